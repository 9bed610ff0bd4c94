import type { Firing } from '@/api/types'

export const TONES: Record<Firing['outcome'], 'plain' | 'ok' | 'warn' | 'danger' | 'info'> = {
  waiting: 'info',
  running: 'info',
  completed: 'ok',
  failed: 'danger',
  cancelled: 'plain',
  interrupted: 'danger',
  needs_you: 'warn',
  skipped: 'plain',
  missed: 'warn',
}
