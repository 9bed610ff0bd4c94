export * from 'prosemirror-state'
