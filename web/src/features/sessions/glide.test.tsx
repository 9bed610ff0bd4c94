// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import { useRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { useGlide } from './glide'

afterEach(cleanup)

const HEIGHT = 40

function List({ ids }: { ids: string[] }) {
  const list = useRef<HTMLUListElement>(null)
  useGlide(list, ids.join(' '))
  const place = (item: HTMLElement | null) => {
    if (!item) return
    const top = () => HEIGHT * [...item.parentElement!.children].indexOf(item)
    Object.defineProperty(item, 'offsetTop', { get: top, configurable: true })
    item.animate = animate.bind(null, item.dataset.glide) as unknown as typeof item.animate
  }
  return (
    <ul ref={list}>
      {ids.map((id) => (
        <li key={id} ref={place} data-glide={id} />
      ))}
    </ul>
  )
}

const animate = vi.fn()
const moves = () => animate.mock.calls.map(([id, [from]]) => [id, from.transform])
afterEach(() => animate.mockClear())

test('what moved glides from where it was, what is new or stays does not', () => {
  const { rerender } = render(<List ids={['a', 'b', 'c']} />)
  expect(moves()).toEqual([])
  rerender(<List ids={['b', 'a', 'c', 'd']} />)
  expect(moves()).toEqual([
    ['b', 'translateY(40px)'],
    ['a', 'translateY(-40px)'],
  ])
})

test('a reader who wants no motion sees none', () => {
  const media = vi.spyOn(globalThis, 'matchMedia').mockReturnValue({ matches: true } as MediaQueryList)
  const { rerender } = render(<List ids={['a', 'b']} />)
  rerender(<List ids={['b', 'a']} />)
  expect(moves()).toEqual([])
  media.mockRestore()
})
