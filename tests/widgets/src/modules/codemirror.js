export * from 'codemirror'
