import { expect, test } from 'vitest'
import { sizeOf } from './size'

test('a size is told with its unit in the plural of the language', () => {
  expect(sizeOf(8, 'en')).toBe('8 bytes')
  expect(sizeOf(160_000, 'en')).toBe('160 kB')
  expect(sizeOf(8, 'ru')).toBe('8 байт')
  expect(sizeOf(3, 'ru')).toBe('3 байта')
})
