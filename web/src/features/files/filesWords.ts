import { wordbook } from '@/i18n'

export const words = wordbook(
  {
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
  },
  {
    'files.none':
      'Файлов пока нет. Сюда попадает то, что скачал браузер, а добавленное вами может использовать агент.',
    'files.failed': 'Не удалось загрузить список файлов.',
    'files.add': 'Добавить файлы',
    'files.drop': 'Перетащите файлы сюда',
    'drop.here': 'Отпустите, чтобы прикрепить',
    'paste.name': 'Вставленный текст.txt',
    'files.save': 'Скачать {name}',
    'files.remove': 'Удалить {name}',
    'files.remove.sure': 'Удалить насовсем?',
    'files.origin.download': 'скачан',
    'files.origin.upload': 'добавлен вами',
    'files.limit': 'Не больше {files} файлов по {size} в сессии.',
    'files.busy': 'Добавляется {name}…',
  },
)
