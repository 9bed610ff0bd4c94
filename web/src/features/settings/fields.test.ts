import { expect, test } from 'vitest'
import { SPECS } from './fields'

test('times are minutes in the form and seconds on the wire', () => {
  expect(SPECS.run_timeout.show(1800)).toBe('30')
  expect(SPECS.run_timeout.read('1.5')).toBe(90)
})

test('an empty number takes a change back', () => {
  expect(SPECS.cost_budget.read('')).toBeNull()
  expect(SPECS.cost_budget.show(null)).toBe('')
})

test('hosts are one a line, however they were written', () => {
  expect(SPECS.allowed_hosts.read('a.example, b.example\n\nc.example')).toEqual([
    'a.example',
    'b.example',
    'c.example',
  ])
  expect(SPECS.allowed_hosts.show(['a.example', 'b.example'])).toBe('a.example\nb.example')
})
