export * from '@codemirror/lang-json'
