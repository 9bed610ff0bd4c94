import type { ComponentProps } from 'react'
import { cx } from '@/lib/cx'

type Tone = 'plain' | 'primary' | 'quiet' | 'danger'

const TONES: Record<Tone, string> = {
  plain: 'border border-strong bg-bg text-text hover:bg-s2',
  primary: 'border border-transparent bg-accent text-on-accent hover:bg-accent-hover',
  quiet: 'border border-transparent text-muted hover:bg-s2 hover:text-text',
  danger: 'border border-transparent bg-danger text-on-danger hover:opacity-90',
}

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: Tone
  small?: boolean
}

export function Button({ tone = 'plain', small = false, className, ...rest }: ButtonProps) {
  const size = small ? 'h-7 px-2.5 text-xs' : 'h-8 px-3 text-sm'
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        'touch inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors',
        'disabled:border-line disabled:bg-s2 disabled:text-faint',
        TONES[tone],
        size,
        className,
      )}
    />
  )
}
