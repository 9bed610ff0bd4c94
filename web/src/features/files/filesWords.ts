import { wordbook } from '@/i18n'

export const words = wordbook('files', {
  'files.none':
    'No files yet. What the browser downloads lands here, and what you add can be used by the agent.',
  'files.failed': 'The files could not be loaded.',
  'files.add': 'Add files',
  'files.drop': 'Drop files here',
  'drop.here': 'Drop to attach',
  'paste.name': 'Pasted text.txt',
  'files.save': 'Download {name}',
  'files.remove': 'Delete {name}',
  'files.remove.sure': 'Delete for good?',
  'files.origin.download': 'downloaded',
  'files.origin.upload': 'added by you',
  'files.limit': 'At most {files} files of {size} each in a session.',
  'files.busy': 'Adding {name}…',
})
