import { createContext, useContext, useEffect, useState } from 'react'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import { refreshQuestions } from '@/api/queries'
import type { Decision } from '@/api/types'
import { useT, useWords, wordbook } from '@/i18n'
import { focusComposer } from '@/lib/frame'
import { isTouch } from '@/lib/media'
import { useSessionId } from '@/session/sessionId'
import { useSessionStore } from '@/stream/store'
import { grantIds, offerUndo } from './undoGrant'

const words = wordbook('decide', {
  given: 'Approved, and such acts are now allowed.',
  undone: 'The permission is taken back. What was approved stays approved.',
})

/** Milliseconds for which a card does nothing after it has appeared: a click or key may have been meant for what was there. */
const REST = 500

/** Where a card is, if others are above it: when they change, it appears again in another place. */
const CardPlace = createContext('')
export const CardPlaceProvider = CardPlace.Provider

type Send = (decision: Decision) => Promise<unknown>

/** How a card answers without a login: nothing of the session can be read there. */
const OtherWay = createContext<Send | null>(null)
export const OtherWayProvider = OtherWay.Provider
export const useHasLogin = (): boolean => useContext(OtherWay) === null

/** Whether the card appeared just now. */
function useRest(): boolean {
  const place = useContext(CardPlace)
  const [restedAt, setRestedAt] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRestedAt(place), REST)
    return () => clearTimeout(timer)
  }, [place])
  return restedAt !== place
}

/** Sends a decision once, and none while the card is new; the stream reports a question decided elsewhere, which closes the card. */
export function useDecide() {
  const t = useWords(words)
  const tell = useT()
  const sessionId = useSessionId()
  const store = useSessionStore()
  const otherWay = useContext(OtherWay)
  const isResting = useRest()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const decide = async (decision: Decision) => {
    if (isResting || isBusy) return
    setBusy(true)
    setFailure(null)
    try {
      if (otherWay) return await otherWay(decision)
      const before = decision.grant ? await grantIds(sessionId) : null
      await api.decide(sessionId, decision)
      if (before) offerUndo(sessionId, before, { given: t('given'), undo: tell('undo'), undone: t('undone') })
      refreshQuestions()
      const isYes = decision.confirmed ?? decision.done ?? false
      store.getState().answer(decision.reference, isYes, decision.message ?? null)
      if (!isTouch()) focusComposer()
    } catch (error) {
      const isOver = error instanceof ApiError && (error.status === 409 || error.status === 404)
      if (isOver && !otherWay) {
        store.setState({ stale: true })
        refreshQuestions()
      }
      setFailure((error as Error).message)
      setBusy(false)
    }
  }
  return { decide, isBusy: isBusy || isResting, failure }
}
