import type { Session } from '@/api/types'
import { type Age, ageOf } from '@/lib/time'

const ORDER: Age[] = ['pinned', 'today', 'yesterday', 'week', 'older']

export interface Group {
  age: Age
  sessions: Session[]
}

/** Sessions under Pinned, Today, Yesterday, 7 days, Older; the newest first in each. */
export function groupSessions(sessions: Session[], now: Date): Group[] {
  const byAge = new Map<Age, Session[]>()
  const newest = [...sessions].sort((a, b) => b.updated_at.localeCompare(a.updated_at))
  for (const session of newest) {
    const age = session.pinned ? 'pinned' : ageOf(new Date(session.updated_at), now)
    byAge.set(age, [...(byAge.get(age) ?? []), session])
  }
  return ORDER.flatMap((age) => {
    const found = byAge.get(age)
    return found ? [{ age, sessions: found }] : []
  })
}
