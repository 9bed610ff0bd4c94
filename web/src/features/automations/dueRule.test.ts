import { expect, test } from 'vitest'
import { dayName, ruleOf, usualWhen, whenOf } from './dueRule'

const now = new Date(2026, 0, 5, 12)
const usual = usualWhen(now)

test('each simple rule is written and read back as the same fields', () => {
  const cases = [
    [{ ...usual }, 'FREQ=DAILY'],
    [{ ...usual, repeats: 'weekdays' }, 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
    [{ ...usual, repeats: 'weekly', days: ['SU', 'MO'] }, 'FREQ=WEEKLY;BYDAY=MO,SU'],
    [{ ...usual, repeats: 'monthly', day: 15 }, 'FREQ=MONTHLY;BYMONTHDAY=15'],
    [{ ...usual, repeats: 'hours', hours: 3, time: '00:30' }, 'FREQ=HOURLY;INTERVAL=3'],
    [{ ...usual, repeats: 'advanced', text: 'RRULE:FREQ=DAILY;COUNT=3' }, 'FREQ=DAILY;COUNT=3'],
  ] as const
  for (const [when, text] of cases) {
    const rule = ruleOf(when as never)
    expect(rule).toBe(`DTSTART:20260105T${when.time.replace(':', '')}00\nRRULE:${text}`)
    const read = whenOf(rule, now)
    expect(read.repeats).toBe(when.repeats)
    expect(ruleOf(read)).toBe(rule)
  }
})

test('no rule is due by time only when it is called', () => {
  expect(ruleOf({ ...usual, repeats: 'never' })).toBeNull()
  expect(whenOf(null, now).repeats).toBe('never')
})

test('days have names', () => {
  expect(dayName('MO', 'en', 'long')).toBe('Monday')
  expect(dayName('SU', 'ru', 'short')).toBe('вс')
})
