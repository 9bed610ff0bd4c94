import { type RefObject, useLayoutEffect, useRef } from 'react'

const GLIDE = { duration: 160, easing: 'ease-out' }

/** Lets the items of a list glide to where they have moved. An item has `data-glide`, its id; `order` changes with the
 *  list. A reader who wants no motion sees none. */
export function useGlide(list: RefObject<HTMLElement | null>, order: string): void {
  const known = useRef(new Map<string, number>())
  useLayoutEffect(() => {
    const before = known.current
    known.current = new Map()
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    for (const item of list.current?.querySelectorAll<HTMLElement>('[data-glide]') ?? []) {
      const top = item.offsetTop // in the whole list, however far it is scrolled
      const was = before.get(item.dataset.glide!)
      known.current.set(item.dataset.glide!, top)
      if (was !== undefined && was !== top && !isStill)
        item.animate([{ transform: `translateY(${was - top}px)` }, { transform: 'none' }], GLIDE)
    }
  }, [list, order])
}
