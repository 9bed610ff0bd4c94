import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

type Tone = 'plain' | 'ok' | 'warn' | 'danger' | 'info' | 'accent'

const TONES: Record<Tone, string> = {
  plain: 'bg-s2 text-muted',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
  accent: 'bg-accent-soft text-accent-text',
}

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1 rounded-full px-2 text-2xs leading-5 font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}
