import { wordbook } from '@/i18n'

/** What a yes spends, as a question. */
export const titleWords = wordbook('title', {
  'title.order': 'Place the order for {amount} at {site}?',
  'title.pay': 'Pay {amount} at {site}?',
})
