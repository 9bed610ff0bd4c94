import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** The state of a widget, which the page gives as `held()`. */
export const useHeld = (first) => {
  const [value, set] = useState(first)
  window.held = () => value ?? null
  return [value, set]
}

/** Draws the one of these components that the page names. */
export const show = (kinds) => createRoot(document.querySelector('#root')).render(createElement(kinds[window.kind]))

export const FRUITS = ['Apple', 'Banana', 'Cherry', 'Dark cherry']
