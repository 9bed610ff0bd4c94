// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { moved } from '@/features/plan/usePlan'
import { newId } from './ids'
import { chordOf } from './keys'
import { canNotify } from './notifications'
import { duration, money } from './numbers'
import { ageOf, clock, countdown, dayOf, exact, relative, showZone } from './time'
import { hostOf, pictureUrl, safeUrl } from './url'

const now = new Date(2026, 10, 22, 12, 0, 0)
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)

test('times are told relative to now, in the language', () => {
  expect(relative(before(5), now, 'en')).toBe('now')
  expect(relative(before(130), now, 'en')).toBe('2 min. ago')
  expect(relative(before(7200), now, 'ru')).toBe('2 ч назад')
  expect(relative(before(86_400), now, 'en')).toBe('yesterday')
  expect(relative(before(30 * 86_400), now, 'en')).toBe('Oct 23')
})

test('sessions age at midnight', () => {
  expect(ageOf(before(60), now)).toBe('today')
  expect(ageOf(new Date(2026, 10, 22, 0, 0, 0), now)).toBe('today')
  expect(ageOf(new Date(2026, 10, 21, 23, 59, 59), now)).toBe('yesterday')
  expect(ageOf(new Date(2026, 10, 15, 1), now)).toBe('week')
  expect(ageOf(new Date(2026, 10, 14, 1), now)).toBe('older')
})

test('times and days are those of the zone that is shown', () => {
  const at = new Date('2026-11-22T23:30:00Z')
  const soon = new Date('2026-11-23T00:30:00Z')
  showZone('Asia/Tokyo')
  expect([exact(at, 'en'), clock(at, 'ru'), dayOf(at)]).toEqual([
    'Nov 23, 2026, 8:30:00 AM',
    '08:30:00',
    '2026-11-23',
  ])
  expect(ageOf(at, soon)).toBe('today')
  showZone('UTC')
  expect([clock(at, 'ru'), ageOf(at, soon)]).toEqual(['23:30:00', 'yesterday'])
  showZone(null)
})

test('durations and money are short', () => {
  expect([400, 12_300, 185_000].map((ms) => duration(ms, 'en'))).toEqual(['0.4s', '12s', '3m 5s'])
  expect([0.004, 0.08, 12].map((cost) => money(cost, 'en'))).toEqual(['$0.004', '$0.08', '$12.00'])
  expect([5, 65, 3725, -1].map(countdown)).toEqual(['0:05', '1:05', '1:02:05', '0:00'])
})

test('keys are told by their place, so that they work in any layout', () => {
  const chord = (init: KeyboardEventInit) => chordOf(new KeyboardEvent('keydown', init))
  expect(chord({ code: 'KeyK', key: 'л', ctrlKey: true })).toBe('mod+k')
  expect(chord({ code: 'KeyO', key: 'O', ctrlKey: true, shiftKey: true })).toBe('mod+shift+o')
  expect(chord({ code: 'Slash', key: '?', shiftKey: true })).toBe('?')
  expect(chord({ code: 'ArrowUp', key: 'ArrowUp', altKey: true })).toBe('alt+arrowup')
})

test('only harmless addresses are followed and only our pictures are shown', () => {
  expect(safeUrl('https://a.example/x')).toBe('https://a.example/x')
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', '/api/x', 'file:///etc/passwd', '', null]) {
    expect(safeUrl(bad)).toBeNull()
  }
  expect(pictureUrl('/api/files/screenshots/s/a.jpg', 320)).toBe('/api/files/screenshots/s/a.jpg?w=320')
  expect(pictureUrl('/pics/s-1/0123abcd.webp')).toBe('/pics/s-1/0123abcd.webp')
  for (const bad of [
    'https://evil.example/a.jpg',
    '//evil.example/a.jpg',
    '/\\evil.example/a.jpg',
    '/api/auth/logout',
    '/pics/../api/x.jpg',
    '/pics/./a.jpg',
    '/pics/a.jpg?x=1',
    '/pics/a.svg',
    'pics/a.jpg',
    'data:image/png;base64,x',
    '/pics/%2e%2e/a.jpg',
    '',
  ]) {
    expect(pictureUrl(bad)).toBeNull()
  }
  expect(hostOf('http://127.0.0.1:8000/x')).toBe('127.0.0.1:8000')
  expect(hostOf('chrome-error://chromewebdata/')).toBeNull()
})

test('ids are version 4 UUIDs', () => {
  expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a step is moved within its plan only', () => {
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
  expect(moved(['a', 'b'], Number.NaN, 0)).toEqual(['a', 'b'])
})

test('a page notifies where it can: on Android the constructor is there, but throws', () => {
  expect(canNotify()).toBe(false)
  vi.stubGlobal('Notification', class {})
  expect(canNotify()).toBe(true)
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/150.0 Mobile' })
  expect(canNotify()).toBe(false)
  vi.unstubAllGlobals()
})
