import { useId } from 'react'
import { INPUT } from '@/ui/Field'

interface BoxProps {
  label: string
  rows: number
  maxLength: number
  value: string
  onChange: (value: string) => void
}

export function TextBox({ label, value, onChange, ...rest }: BoxProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded-md border border-strong bg-bg px-3 py-2 text-sm focus-visible:outline-offset-0"
      />
    </div>
  )
}

interface SelectProps {
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

export function Select({ label, options, value, onChange }: SelectProps) {
  const id = useId()
  return (
    <div className="flex min-w-36 flex-1 flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${INPUT} touch`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
