export * from '@lexical/plain-text'
