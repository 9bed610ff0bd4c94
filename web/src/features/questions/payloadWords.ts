import { wordbook } from '@/i18n'

/** What the parts of an action are called on its card. */
export const payloadWords = wordbook('payload', {
  'payload.accept': 'Accepts the dialog',
  'payload.field': '“{name}”',
  'payload.fields': 'Text',
  'payload.file': 'File',
  'payload.key': 'Key',
  'payload.option': 'Option',
  'payload.query': 'Words',
  'payload.server': 'Server of the tool',
  'payload.submit': 'Then presses Enter',
  'payload.text': 'Text',
  'payload.url': 'Address',
  'payload.true': 'yes',
  'payload.false': 'no',
})
