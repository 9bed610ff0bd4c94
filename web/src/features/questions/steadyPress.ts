import { type RefObject, useEffect } from 'react'

const buttonAt = (event: Event) => (event.target instanceof Element ? event.target.closest('button') : null)

/**
 * A press counts for the button at which it began and ended, not for what the page has moved under the finger since: a
 * click comes milliseconds after a touch, and the feed may scroll in between.
 */
export function useSteadyPress(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let began: Element | null = null
    let isPressed = false
    const begin = (event: Event) => {
      began = buttonAt(event)
      isPressed = true
    }
    const end = (event: Event) => {
      if (buttonAt(event) !== began) began = null
    }
    const cancel = () => void (isPressed = false)
    // Clicks by keys have no detail; those by screen readers may come without a press.
    const check = (event: MouseEvent) => {
      const clicked = buttonAt(event)
      const meant = isPressed && event.detail > 0 ? began : clicked
      isPressed = false
      if (meant === clicked || !clicked || !card.current) return
      const concerns = (button: Element | null) => button !== null && card.current!.contains(button)
      if (!concerns(clicked) && !concerns(meant)) return
      event.preventDefault()
      event.stopPropagation()
      if (concerns(meant)) (meant as HTMLButtonElement).click()
    }
    const options = { capture: true }
    document.addEventListener('pointerdown', begin, options)
    document.addEventListener('pointerup', end, options)
    document.addEventListener('pointercancel', cancel, options)
    document.addEventListener('click', check, options)
    return () => {
      document.removeEventListener('pointerdown', begin, options)
      document.removeEventListener('pointerup', end, options)
      document.removeEventListener('pointercancel', cancel, options)
      document.removeEventListener('click', check, options)
    }
  }, [card])
}
