import { expect, it } from 'vitest'
import type { Shot } from '@/session/shots'
import { stepOf } from './factStep'

const shot = (url: string, second: number): Shot => ({
  id: `${second}`,
  row: {} as Shot['row'],
  aim: null,
  picture: null,
  url,
  at: new Date(second * 1000).toISOString(),
  mark: null,
})
const SHOTS = [shot('https://a.example/', 10), shot('https://b.example/', 20), shot('https://a.example/', 30)]
const at = (second: number) => new Date(second * 1000).toISOString()

it('finds the last step at that page before the fact was noted', () => {
  expect(stepOf({ fact: '', url: 'https://a.example/', at: at(25) }, SHOTS)).toBe(1)
  expect(stepOf({ fact: '', url: 'https://a.example/', at: at(30) }, SHOTS)).toBe(3)
  expect(stepOf({ fact: '', url: 'https://a.example/' }, SHOTS)).toBe(3)
})

it('knows no step for a page that no step led to', () => {
  expect(stepOf({ fact: '', url: 'https://c.example/', at: at(99) }, SHOTS)).toBeNull()
  expect(stepOf({ fact: '' }, SHOTS)).toBeNull()
})
