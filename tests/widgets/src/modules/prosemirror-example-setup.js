export * from 'prosemirror-example-setup'
