export * from 'lexical'
