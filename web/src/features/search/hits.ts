import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MessageSquare, MessageSquareText } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import type { ListedSession, Message, Session } from '@/api/types'
import { useWords } from '@/i18n'
import { rowOfMessage } from '@/stream/rows'
import { storeOf } from '@/stream/store'
import type { Hit } from './commands'
import { findRows, matches, patternsOf, shownOf, snippetOf } from './match'
import { words } from './searchWords'

const HERE_LIMIT = 5
const SESSION_LIMIT = 8
const SETTLE = 80

const addressOf = (sessionId: string, rowId?: string) =>
  `/s/${sessionId}${rowId ? `?row=${encodeURIComponent(rowId)}` : ''}`

/** Rows of the open session. */
export function useHitsHere(sessionId: string | null, query: string): Hit[] {
  const t = useWords(words)
  const [, go] = useLocation()
  return useMemo(() => {
    const patterns = patternsOf(query)
    if (!sessionId || patterns.length === 0) return []
    const { ids, rows } = storeOf(sessionId).getState()
    return findRows(ids, rows, patterns, HERE_LIMIT).map((row) => ({
      id: `here:${row.id}`,
      group: t('menu.here'),
      icon: MessageSquareText,
      label: snippetOf(shownOf(row), patterns),
      act: () => go(addressOf(sessionId, row.id)),
    }))
  }, [sessionId, query, go, t])
}

/** Sessions by title, then those that say it in a message. Until `isAnswered` more may be found. */
export function useSessionHits(
  sessionId: string | null,
  query: string,
): { found: Hit[]; isAnswered: boolean } {
  const t = useWords(words)
  const [, go] = useLocation()
  const wanted = query.trim()
  const q = useSettled(wanted, SETTLE)
  const patterns = useMemo(() => patternsOf(wanted), [wanted])
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: ['search', q],
    queryFn: () => api.sessions({ q, limit: SESSION_LIMIT }),
    placeholderData: keepPreviousData,
  })
  const sessions = (data?.items ?? []).filter((session) => session.id !== sessionId)
  const byTitle = sessions.filter((session) => wanted === '' || matches(session.title, patterns))
  // Until the search has answered there are those of the query before: Enter must not open one of these.
  const isAnswered = q === wanted && !isPending && !isPlaceholderData
  const byText = sessions.filter(
    (session) => !byTitle.includes(session) && (isAnswered || saysAll(session, patterns)),
  )

  const title = (session: Session) => session.title || t('sessions.untitled')
  const found = [
    ...byTitle.map((session) => ({
      id: `session:${session.id}`,
      group: t('menu.sessions'),
      icon: MessageSquare,
      label: title(session),
      act: () => go(addressOf(session.id)),
    })),
    ...byText.map((session) => {
      const row = rowThatSays(session)
      return {
        id: `message:${session.id}`,
        group: t('menu.messages'),
        icon: MessageSquareText,
        label: (row && snippetOf(shownOf(row), patterns)) || title(session),
        detail: title(session),
        act: () => go(addressOf(session.id, row?.id)),
      }
    }),
  ]
  return { found, isAnswered }
}

function saysAll(session: ListedSession, patterns: RegExp[]): boolean {
  const row = rowThatSays(session)
  return row !== null && matches(shownOf(row), patterns)
}

const rowThatSays = (session: ListedSession) =>
  session.match ? rowOfMessage(session.match as Message) : null

/** The value when it has not changed for a moment. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
