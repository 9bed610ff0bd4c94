// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { queryClient } from '@/api/queries'
import type { Pending } from '@/api/types'
import { loadSentences } from '@/i18n/sentences'
import { usePrefs } from '@/lib/prefs'
import { SessionIdProvider } from '@/session/sessionId'
import type { QuestionRow } from '@/stream/rows'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import { ApprovalCard } from './ApprovalCard'
import { PastQuestion } from './PastQuestion'

beforeAll(() => loadSentences('ru'))
afterEach(cleanup)

const SENDS = 'new orders to shop.example (item)'
const word = (code: string, word: string) => ({ code, values: { word } })
const PARTS = [
  {
    code: 'held.request_with',
    values: {
      act: [word('held_act.new', 'new'), ' ', word('held_act.order', 'orders')],
      host: 'shop.example',
      fields: [word('held_field.item', 'item')],
    },
  },
]

function shown(Card: typeof ApprovalCard | typeof PastQuestion, would_send: string | null): string {
  const question = {
    reference: 'r',
    kind: 'confirm',
    reason: 'places an order or a booking',
    reason_parts: [{ code: 'effect.order', values: {} }],
    action: { kind: 'click', eid: 'e1' },
    target: { name: 'Zoom in', role: 'button' },
    url: 'https://pictures.example/one',
    risk: 'order',
    would_send,
    would_send_parts: PARTS,
  } as unknown as Pending
  const row = { question, answer: Card === PastQuestion ? 'no' : null, outcome: null, note: null }
  render(
    <QueryClientProvider client={queryClient}>
      <SessionIdProvider value="s">
        <SessionStoreProvider value={storeOf('s')}>
          <Card row={row as unknown as QuestionRow} />
        </SessionStoreProvider>
      </SessionIdProvider>
    </QueryClientProvider>,
  )
  return document.body.textContent ?? ''
}

test('the reason of the rules is in the language of the page', () => {
  expect(shown(ApprovalCard, null)).toContain('places an order or a booking')
  cleanup()
  usePrefs.setState({ lang: 'ru' })
  expect(shown(ApprovalCard, null)).toContain('оформляет заказ или бронь')
  usePrefs.setState({ lang: 'en' })
  cleanup()
})

test.each([
  [ApprovalCard, 'It is about to send:'],
  [PastQuestion, 'It was about to send:'],
] as const)('what was about to be sent is said while it is asked about and after it', (Card, words) => {
  expect(shown(Card, SENDS)).toContain(`${words} ${SENDS}`)
  cleanup()
  usePrefs.setState({ lang: 'ru' })
  expect(shown(Card, SENDS)).toContain('создать заказ на shop.example (товар)')
  usePrefs.setState({ lang: 'en' })
  cleanup()
  expect(shown(Card, null)).not.toContain(words)
})
