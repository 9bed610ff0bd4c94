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

test('of two steps with the same text only the one that was reached is done or failed', () => {
  const plan = ['Find', 'Read', 'Find', 'Read']
  const at = (current: number, progress: object) =>
    planSteps({ ...work, plan, progress: { current, done: [], blocked: [], ...progress } }, true).map(
      ({ status }) => status,
    )
  expect(at(1, { done: ['Find'] })).toEqual(['done', 'doing', 'todo', 'todo'])
  expect(at(3, { done: ['Find', 'Read'], blocked: ['Read'] })).toEqual(['done', 'done', 'done', 'failed'])
})

test('the goal is told without the names of attached files', () => {
  expect(goalOf({ ...NO_WORK, goal: 'Upload it\n\nAttached files: a.txt' })).toBe('Upload it')
  expect(goalOf({ ...NO_WORK, goal: 'Buy a kettle' })).toBe('Buy a kettle')
})
