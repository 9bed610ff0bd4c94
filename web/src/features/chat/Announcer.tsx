import { useEffect, useRef, useState } from 'react'
import { useT } from '@/i18n'
import { shortened } from '@/lib/shortened'
import { toolWords } from '@/session/toolWords'
import { type SessionState, useLive } from '@/stream/store'
import { runWords } from './RunStrip'

const QUIET = 5000

/** For screen readers: what happens, at most one sentence in five seconds, never the tokens. */
export function Announcer() {
  const t = useT()
  const tool = useLive(lastTool)
  const run = useLive((state) => state.run)
  const status = run?.status
  const answer = useLive(lastAnswer)
  const words = toWords()
  const said = useSlowly(words)

  function toWords(): string {
    if (status === 'completed' && answer) return answer
    if (status === 'queued') return runWords(t, status, run)
    if (status !== 'running') return ''
    if (!tool) return t('run.working')
    const { verb, name, object } = toolWords(tool, t, tool.status !== 'running')
    return `${verb ? t(verb) : name} ${object ?? ''}`
  }
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}

function useSlowly(words: string): string {
  const [said, setSaid] = useState('')
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + QUIET - Date.now())
    const timer = setTimeout(() => {
      last.current = Date.now()
      setSaid(words)
    }, wait)
    return () => clearTimeout(timer)
  }, [words])
  return said
}

function lastTool({ ids, rows }: SessionState) {
  const row = rows[ids.findLast((id) => rows[id]?.kind === 'tool') ?? '']
  return row?.kind === 'tool' ? row : null
}

function lastAnswer({ ids, rows }: SessionState): string | null {
  const row = rows[ids.at(-1) ?? '']
  return row?.kind === 'text' && !row.live ? shortened(row.text.split(/(?<=[.!?])\s/)[0] ?? '', 200) : null
}
