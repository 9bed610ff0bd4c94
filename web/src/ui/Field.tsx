import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from '@/lib/cx'

interface Props extends ComponentProps<'input'> {
  label: string
  hint?: ReactNode
  error?: ReactNode
  trailing?: ReactNode
}

export const INPUT =
  'h-9 w-full rounded-md border border-strong bg-bg px-3 text-sm placeholder:text-faint focus-visible:outline-offset-0'

export function Field({ label, hint, error, trailing, className, ...rest }: Props) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={cx('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        <input
          {...rest}
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={note ? `${id}-note` : undefined}
          className={cx(INPUT, 'touch', !!trailing && 'pr-11')}
        />
        {trailing && <div className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</div>}
      </div>
      {note && (
        <p
          id={`${id}-note`}
          role={error ? 'alert' : undefined}
          className={cx('text-xs', error ? 'text-danger' : 'text-muted')}
        >
          {note}
        </p>
      )}
    </div>
  )
}
