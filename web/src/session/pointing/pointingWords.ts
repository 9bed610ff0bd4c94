import { wordbook } from '@/i18n'

export const words = wordbook('pointing', {
  point: 'Point',
  'point.title': 'Point at something',
  'point.add': 'Add to message',
  'point.hint': 'Click what you mean, or draw a frame around it.',
  'point.picture': 'The page to point at',
  'point.last': 'The agent is at work: this is the last picture of its page.',
  'point.none': 'There is no page to point at yet.',
  'point.places': 'Of this picture only places are known, no elements.',
  'point.full': 'Ten marks are the most for one message.',
  'point.list': 'What is on the page',
  'point.filter': 'Filter',
  'point.marks': 'Your marks',
  'point.note': 'Note on {n}',
  'point.note.hint': 'What about it?',
  'point.remove': 'Remove mark {n}',
  'point.place': 'place on the picture',
  'point.zoom': 'Enlarge',
  'point.pointed': 'Pointed at',
  'point.instead': 'Not this one, that one',
  'point.instead.text': 'Not this one: {n}',
})
