import type { ClipboardEvent, CompositionEvent, FormEvent, KeyboardEvent } from 'react'
import { useRef } from 'react'
import { isMac } from '@/lib/keys'
import { isPaste, keyMessage, RELEASE_KEY } from './input'
import type { LiveView } from './liveView'

/** The box is never empty, so that a phone's backspace in it is an event. */
export const BLANK = ' '

/**
 * Sends what is typed into a hidden text box to the page. Keys go as keys; what an input method, a phone's
 * keyboard or the clipboard writes arrives in the box and goes as text.
 */
export function useKeyboard(view: LiveView, release: () => void) {
  const down = useRef(new Map<string, string>())

  const sendText = (text: string) => {
    if (text) view.send({ type: 'text', text })
  }
  const releaseKeys = () => {
    for (const [code, key] of down.current) view.send({ type: 'key', kind: 'up', key, code, modifiers: 0 })
    down.current.clear()
  }
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === RELEASE_KEY) {
        event.preventDefault()
        releaseKeys()
        return release()
      }
      const key = event.nativeEvent
      const isBeingComposed =
        key.isComposing || key.keyCode === 229 || key.key === 'Dead' || key.key === 'Unidentified'
      if (isBeingComposed || isPaste(key)) return
      event.preventDefault()
      down.current.set(key.code, key.key)
      view.send(keyMessage('down', key))
      // A Mac sends no keyup while Cmd is held.
      if (isMac && key.metaKey && key.key !== 'Meta') view.send(keyMessage('up', key))
    },
    onKeyUp: (event: KeyboardEvent) => {
      if (!down.current.delete(event.code)) return
      event.preventDefault()
      view.send(keyMessage('up', event.nativeEvent))
    },
    onBlur: releaseKeys,
    onPaste: (event: ClipboardEvent) => {
      event.preventDefault()
      sendText(event.clipboardData.getData('text/plain'))
    },
    onCompositionEnd: (event: CompositionEvent<HTMLTextAreaElement>) => {
      sendText(event.data)
      event.currentTarget.value = BLANK
    },
    onInput: (event: FormEvent<HTMLTextAreaElement>) => {
      const input = event.nativeEvent as InputEvent
      if (input.isComposing) return
      if (input.inputType === 'deleteContentBackward') pressBackspace(view)
      else if (input.inputType === 'insertLineBreak') sendText('\n')
      else if (input.inputType !== 'insertCompositionText') sendText(input.data ?? '')
      event.currentTarget.value = BLANK
    },
  }
}

function pressBackspace(view: LiveView): void {
  const key = { type: 'key', key: 'Backspace', code: 'Backspace', modifiers: 0 } as const
  view.send({ ...key, kind: 'down' })
  view.send({ ...key, kind: 'up' })
}
