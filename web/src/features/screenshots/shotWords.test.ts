// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { translatorOf } from '@/i18n'
import { shotsOf } from '@/session/shots'
import type { QuestionRow, Row } from '@/stream/rows'
import { answerKey, shotWords } from './shotWords'
import { words } from './viewerWords'

const t = translatorOf('en', words.en)
const manual = (wants: string, more: object = {}) =>
  ({
    kind: 'question',
    id: 'q',
    answer: 'yes',
    outcome: null,
    question: { kind: 'manual', reason: 'Which one?', wants },
    ...more,
  }) as unknown as QuestionRow
const shotOf = (row: Row) => shotsOf(['q'], { q: row })[0]!

test('a question of the agent is no hand-over, and its answer no approval', () => {
  const [asked, step] = [shotOf(manual('answer')), shotOf(manual('step'))]
  expect([shotWords(asked, t), asked.mark]).toEqual(['Asked: Which one?', 'question'])
  expect([shotWords(step, t), step.mark]).toEqual(['Handed over to you', 'handover'])
  const told = (more: object) => t(answerKey(manual('answer', more)))
  expect([told({ outcome: 'answered' }), told({ outcome: 'done' })]).toEqual(['answered', 'done by you'])
  expect([told({ answer: 'open' }), told({ answer: 'void' })]).toEqual([
    'not answered yet',
    'no longer asked',
  ])
})
