import { expect, test } from 'vitest'
import { stageSign } from './sign'

const idle = { isActing: false, hasEnded: true, isDriven: false }

test('after a run the stage says that it has ended, whether the line holds or not', () => {
  for (const seen of ['none', 'closed', 'starting', 'connecting', 'lost'] as const)
    expect(stageSign(seen, idle)).toBe('ended')
  expect(stageSign('lost', { ...idle, hasEnded: false })).toBe('lost')
})

test('who has the browser is told also after a run, and in a take-over that the line is lost', () => {
  expect(stageSign('me', idle)).toBe('me')
  expect(stageSign('other', idle)).toBe('other')
  expect(stageSign('lost', { ...idle, isDriven: true })).toBe('lost')
})

test('a closed browser is being started while an act is under way', () => {
  const acting = { isActing: true, hasEnded: false, isDriven: false }
  expect(stageSign('closed', acting)).toBe('starting')
  expect(stageSign('none', acting)).toBe('none')
})
