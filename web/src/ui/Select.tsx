import { useId } from 'react'
import { cx } from '@/lib/cx'
import { INPUT } from './Field'

interface Props {
  label: string
  note?: string
  error?: string
  options: { value: string; label: string; disabled?: boolean }[]
  value: string
  onChange: (value: string) => void
  className?: string
}

/** A list to choose one of, with its label. */
export function Select({ label, note, error, options, value, onChange, className }: Props) {
  const id = useId()
  return (
    <div className={cx('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        className={`${INPUT} touch`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      {error && (
        <p id={`${id}-error`} role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
      {note && <p className="text-xs text-muted">{note}</p>}
    </div>
  )
}
