// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isIntended } from './follow'

let feed: Element

function fire(selector: string, event: Event): boolean {
  let answer = false
  const listen = (heard: Event) => {
    answer = isIntended(heard, feed)
  }
  addEventListener(event.type, listen, { capture: true })
  document.querySelector(selector)?.dispatchEvent(event)
  removeEventListener(event.type, listen, { capture: true })
  return answer
}

beforeEach(() => {
  document.body.innerHTML = `<div id="feed"><p>text</p><button id="approve">Approve</button>
    <button id="more" aria-expanded="false">3 steps</button></div><textarea></textarea>`
  feed = document.getElementById('feed') as Element
})
afterEach(() => {
  document.body.innerHTML = ''
})

const down = () => new MouseEvent('pointerdown', { bubbles: true })
const key = (name: string) => new KeyboardEvent('keydown', { key: name, bubbles: true })

describe('a hand that means to scroll', () => {
  it('is on the feed itself', () => {
    expect(fire('p', new WheelEvent('wheel', { bubbles: true }))).toBe(true)
    expect(fire('#feed', down())).toBe(true)
    expect(fire('p', key('PageUp'))).toBe(true)
    expect(fire('#more', down())).toBe(true)
  })

  it('is one that moves the focus, also into the feed from below it', () => {
    expect(fire('textarea', key('Tab'))).toBe(true)
  })

  it('is not one that approves, writes or presses elsewhere', () => {
    expect(fire('#approve', down())).toBe(false)
    expect(fire('textarea', key('ArrowUp'))).toBe(false)
    expect(fire('textarea', down())).toBe(false)
    expect(fire('p', key('a'))).toBe(false)
  })
})
