import { useId } from 'react'
import { useLang, useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { INPUT } from '@/ui/Field'
import { words } from './instructionWords'

/** Characters; the server takes no more. */
const MOST = 2000

interface Props {
  label: string
  text: string
  onChange: (text: string) => void
  disabled?: boolean
  autoFocus?: boolean
}

/** The person's words to the model: for all sessions, one session or the runs of an automation. */
export function InstructionsField({ label, text, onChange, ...rest }: Props) {
  const t = useWords(words)
  const number = new Intl.NumberFormat(useLang())
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <span id={`${id}-count`} className="tabular text-xs text-muted">
          {t('instructions.count', { n: number.format(text.length), most: number.format(MOST) })}
        </span>
      </div>
      <textarea
        {...rest}
        id={id}
        dir="auto"
        rows={5}
        maxLength={MOST}
        value={text}
        aria-describedby={`${id}-hint ${id}-count`}
        onChange={(event) => onChange(event.target.value)}
        className={cx(INPUT, 'h-auto resize-y py-2')}
      />
      <p id={`${id}-hint`} className="text-xs text-muted">
        {t('instructions.hint')}
      </p>
    </div>
  )
}
