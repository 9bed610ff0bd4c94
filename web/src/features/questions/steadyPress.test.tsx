// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { useRef } from 'react'
import { expect, test } from 'vitest'
import { useSteadyPress } from './steadyPress'

const done: string[] = []

function Card() {
  const card = useRef<HTMLDivElement>(null)
  useSteadyPress(card)
  const button = (name: string) => <button onClick={() => done.push(name)}>{name}</button>
  return (
    <>
      <div ref={card}>
        {button('Approve')}
        {button('Later')}
      </div>
      {button('Outside')}
    </>
  )
}

/** A press that begins, ends and clicks at these buttons; without the first two a screen reader's. */
function press(clicked: string, began?: string, ended = began, detail = began ? 1 : 0): string[] {
  const at = (name: string) => screen.getByRole('button', { name })
  done.length = 0
  if (began) at(began).dispatchEvent(new Event('pointerdown', { bubbles: true }))
  if (ended) at(ended).dispatchEvent(new Event('pointerup', { bubbles: true }))
  at(clicked).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }))
  return [...done]
}

test('a press counts for the button under the finger, not for what has moved there', () => {
  render(<Card />)
  expect(press('Approve', 'Approve')).toEqual(['Approve'])
  expect(press('Approve')).toEqual(['Approve'])
  expect(press('Later', 'Approve')).toEqual(['Approve'])
  expect(press('Approve', 'Later')).toEqual(['Later'])
  expect(press('Approve', 'Outside')).toEqual([])
  expect(press('Approve', 'Outside', 'Approve')).toEqual([])
  expect(press('Outside', 'Approve')).toEqual(['Approve'])
  expect(press('Outside', 'Outside')).toEqual(['Outside'])
  // A press that led to no click, then a key.
  screen.getByRole('button', { name: 'Later' }).dispatchEvent(new Event('pointerdown', { bubbles: true }))
  expect(press('Approve')).toEqual(['Approve'])
})
