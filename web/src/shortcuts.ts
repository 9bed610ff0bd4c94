import { useLocation } from 'wouter'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import type { Page, Session } from '@/api/types'
import { groupSessions } from '@/features/sessions/groups'
import { type Frame, focusComposer } from '@/lib/frame'
import { useShortcuts } from '@/lib/keys'

/** Keys that work on every page behind the login. */
export function usePageShortcuts(frame: Frame): void {
  const [path, go] = useLocation()
  const client = useQueryClient()
  const step = (by: number) => {
    const data = client.getQueryData<InfiniteData<Page<Session>>>(['sessions', ''])
    const sessions = data?.pages.flatMap((page) => page.items) ?? []
    const ids = groupSessions(sessions, new Date()).flatMap((group) =>
      group.sessions.map((session) => session.id),
    )
    const at = ids.findIndex((id) => path === `/s/${id}`)
    const next = ids[at < 0 ? 0 : at + by]
    if (next) go(`/s/${next}`)
  }
  useShortcuts({
    'mod+shift+o': () => go('/'),
    'mod+b': frame.sidebar.toggle,
    'mod+j': frame.panel.toggle,
    'alt+arrowup': () => step(-1),
    'alt+arrowdown': () => step(1),
    '/': focusComposer,
    j: () => moveRow(1),
    k: () => moveRow(-1),
    c: copyRow,
    end: goToEnd,
  })
}

function goToEnd(): void {
  const press = new KeyboardEvent('keydown', { key: 'End', bubbles: true, cancelable: true })
  document.getElementById('feed')?.dispatchEvent(press)
}

const currentRow = () => document.activeElement?.closest<HTMLElement>('[role="article"]') ?? null

function moveRow(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('#feed [role="article"]')]
  rows.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
  const current = currentRow()
  const at = current ? rows.indexOf(current) + by : rows.length - 1
  rows[Math.min(Math.max(at, 0), rows.length - 1)]?.focus()
}

function copyRow(): void {
  currentRow()?.querySelector<HTMLElement>('[data-copy]')?.click()
}
