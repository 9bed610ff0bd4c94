import { useEffect, useRef } from 'react'
import { useOverlay } from './overlay'
import { usePrefs } from './prefs'

/** `mod` is Ctrl, or Cmd on a Mac. Letters are identified by their place on the keyboard, so any layout works. */
export type Shortcuts = Record<string, (event: KeyboardEvent) => void>

export const isMac = /mac|iphone|ipad/i.test(navigator.platform)

export function chordOf(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase()
  const key = letter ?? (event.key === ' ' ? 'space' : event.key.toLowerCase())
  const isShifted = event.shiftKey && (letter !== undefined || key.length > 1)
  return [mod && 'mod', event.altKey && 'alt', isShifted && 'shift', key].filter(Boolean).join('+')
}

interface Key {
  keyCode: number
  isComposing?: boolean
  nativeEvent?: { isComposing: boolean }
}

/** A key that the input method has used. Safari reports the Enter that ends a composition after it, by its code alone. */
export const isOfInputMethod = ({ keyCode, isComposing, nativeEvent }: Key): boolean =>
  keyCode === 229 || isComposing === true || nativeEvent?.isComposing === true

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName)
}

const OVERLAY = ':is([role="dialog"], [role="alertdialog"], [role="menu"])'

/**
 * Also one that was called and whose chunk is still on its way. One that fades out is closed already, but not for
 * Escape: pressed twice to close it, it would stop the run below.
 */
const isOverlayOpen = (chord: string) =>
  useOverlay.getState().open !== null ||
  document.querySelector(chord === 'escape' ? OVERLAY : `${OVERLAY}:not([data-closed])`) !== null

/** Shortcuts of the page. Plain keys are left alone while someone types; none act below an open dialog. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts)
  useEffect(() => {
    current.current = shortcuts
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isOfInputMethod(event) || !usePrefs.getState().shortcuts) return
      const chord = chordOf(event)
      const act = current.current[chord]
      const isPlain = !/^(mod|alt)\+/.test(chord)
      if (!act || (isPlain && isTyping(event.target)) || isOverlayOpen(chord)) return
      event.preventDefault()
      act(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
