export * from 'prosemirror-view'
