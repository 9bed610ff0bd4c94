import { useId } from 'react'
import { cx } from '@/lib/cx'

interface Props {
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** Labels with more letters than this are stacked on a phone: wrapped, they would look like two groups. */
const ROW_LETTERS = 32

/** A few alternatives side by side. */
export function Choice({ label, options, value, onChange }: Props) {
  const name = useId()
  const isLong = options.reduce((sum, { label }) => sum + label.length, 0) > ROW_LETTERS
  return (
    <fieldset className="flex flex-wrap items-center justify-between gap-2">
      <legend className="float-left text-sm">{label}</legend>
      <div
        className={cx(
          'flex max-w-full flex-wrap rounded-md bg-s2 p-0.5',
          isLong && 'max-md:w-full max-md:flex-col',
        )}
      >
        {options.map((option) => (
          <label
            key={option.value}
            className="touch flex h-7 grow items-center justify-center rounded-sm px-3 text-sm whitespace-nowrap text-muted has-checked:bg-bg has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
