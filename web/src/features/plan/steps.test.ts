import { expect, test } from 'vitest'
import { NO_WORK } from '@/stream/live'
import { goalOf, planSteps } from './steps'

const work = {
  ...NO_WORK,
  plan: ['Find', 'Compare', 'Buy', 'Tell'],
  progress: { current: 1, done: ['Find'], blocked: ['Compare'] },
}
const statuses = (isActive: boolean) => planSteps(work, isActive).map(({ status }) => status)

test('what comes after a step that failed is to do while a run works, and skipped when none does', () => {
  expect(statuses(true)).toEqual(['done', 'failed', 'todo', 'todo'])
  expect(statuses(false)).toEqual(['done', 'failed', 'skipped', 'skipped'])
})

test('without a failure nothing is skipped', () => {
  const steps = planSteps({ ...work, progress: { current: 1, done: [], blocked: [] } }, false)
  expect(steps.map(({ status }) => status)).toEqual(['done', 'todo', 'todo', 'todo'])
})

test('the goal is told without the names of attached files', () => {
  expect(goalOf({ ...NO_WORK, goal: 'Upload it\n\nAttached files: a.txt' })).toBe('Upload it')
  expect(goalOf({ ...NO_WORK, goal: 'Buy a kettle' })).toBe('Buy a kettle')
})
