import { useEffect, useState } from 'react'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import type { PointedElement, PointedPage } from '@/api/types'
import { type SessionState, useSessionStore } from '@/stream/store'
import { elementAt, isSurface, type Spot } from './hit'
import type { Source } from './pointMarks'

/** `last`: the agent is at work, so that its last picture is shown. */
type Look = { kind: 'live' | 'last' | 'kept'; page: PointedPage } | { kind: 'loading' | 'none' }

/** What is pointed at, and a way to find out what is at a place of it. */
export function usePointedPage(sessionId: string, source: Source) {
  const store = useSessionStore()
  const [look, setLook] = useState<Look>({ kind: 'loading' })
  useEffect(() => {
    let isWanted = true
    const read = async (): Promise<Look> => {
      if (source.picture) return { kind: 'kept', page: await api.pictured(sessionId, source.picture) }
      try {
        return { kind: 'live', page: await api.pointAt(sessionId) }
      } catch (error) {
        const last = lastPicture(store.getState())
        if (!(error instanceof ApiError) || !last) throw error
        return { kind: 'last', page: await api.pictured(sessionId, last) }
      }
    }
    read()
      .catch((): Look => ({ kind: 'none' }))
      .then((found) => isWanted && setLook(found))
    return () => void (isWanted = false)
  }, [sessionId, source, store])

  /** The element at a place, and the page on which it is: as it is now, where the picture does not say enough. */
  const find = async (page: PointedPage, spot: Spot): Promise<[PointedPage, PointedElement | null]> => {
    const found = elementAt(page.elements, spot)
    const isSure = found !== null && !isSurface(found)
    if (isSure || look.kind !== 'live') return [page, isSure ? found : null]
    try {
      const now = await api.pointAt(sessionId, { x: spot[0], y: spot[1] })
      setLook({ kind: 'live', page: now })
      return [now, now.elements.find(({ id }) => id === now.at) ?? null]
    } catch {
      return [page, null]
    }
  }
  return { look, find }
}

function lastPicture({ ids, rows }: SessionState): string | null {
  for (const id of ids.toReversed()) {
    const row = rows[id]
    if (row?.kind === 'tool' && row.screenshot) return row.screenshot
  }
  return null
}
