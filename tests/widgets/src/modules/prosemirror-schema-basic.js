export * from 'prosemirror-schema-basic'
