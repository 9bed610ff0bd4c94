import type { ComponentProps } from 'react'
import { cx } from '@/lib/cx'
import { Tooltip } from './Tooltip'

export interface IconButtonProps extends ComponentProps<'button'> {
  label: string
  /** Shown in the tooltip next to the label. */
  keys?: string
  small?: boolean
  filled?: boolean
}

export function IconButton({
  label,
  keys,
  small = false,
  filled = false,
  className,
  ...rest
}: IconButtonProps) {
  const look = filled
    ? 'bg-accent text-on-accent hover:bg-accent-hover disabled:bg-s2 disabled:text-faint'
    : 'text-muted hover:bg-s2 hover:text-text disabled:text-faint disabled:hover:bg-transparent aria-pressed:bg-s2 aria-pressed:text-text'
  return (
    <Tooltip text={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={cx(
          'touch inline-flex shrink-0 items-center justify-center rounded-md transition-colors',
          small ? 'size-7' : 'size-8',
          look,
          className,
        )}
      />
    </Tooltip>
  )
}
