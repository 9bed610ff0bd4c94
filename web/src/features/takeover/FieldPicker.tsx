import { Check, X } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { useWords } from '@/i18n'
import { INPUT } from '@/ui/Field'
import { IconButton } from '@/ui/IconButton'
import { type LiveView, useLiveState } from './liveView'
import type { Picker, PickerOption } from './protocol'
import { words } from './takeoverWords'

interface Props {
  view: LiveView
  /** The box that takes the keys for the page. */
  keys: RefObject<HTMLTextAreaElement | null>
}

/** The list or picker of the field that has the focus in the page: the browser's own is a window that no picture shows. */
export function FieldPicker({ view, keys }: Props) {
  const t = useWords(words)
  const picker = useLiveState(view, ({ field }) => field?.picker ?? null)
  const [closed, setClosed] = useState<Picker | null>(null)
  if (!picker || picker === closed) return null
  const close = () => {
    setClosed(picker)
    keys.current?.focus()
  }
  const choose = (value: string) => view.send({ type: 'choose', value })
  const isList = picker.kind === 'select' || picker.kind === 'suggestions'
  return (
    <section
      aria-label={t('picker', { name: picker.name })}
      className="absolute inset-x-2 bottom-2 z-10 mx-auto flex max-h-[60%] max-w-96 flex-col gap-1 rounded-md border border-line bg-bg p-2 shadow-lg"
    >
      <header className="flex shrink-0 items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-sm text-muted">{picker.name}</span>
        <IconButton label={t('close')} onClick={close}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      {isList ? (
        <Options
          picker={picker}
          onChoose={(value) => {
            choose(value)
            close()
          }}
        />
      ) : (
        <input
          key={`${picker.kind} ${picker.name}`}
          type={picker.kind}
          aria-label={picker.name}
          defaultValue={picker.value}
          onChange={(event) => choose(event.target.value)}
          className={`${INPUT} touch w-full`}
        />
      )}
    </section>
  )
}

function Options({ picker, onChoose }: { picker: Picker; onChoose: (value: string) => void }) {
  return (
    <ul className="min-h-0 overflow-y-auto">
      {picker.options.map((option, at) => (
        <li key={`${at} ${option.value}`}>
          {option.group && option.group !== picker.options[at - 1]?.group && (
            <p className="px-1.5 pt-1.5 text-xs text-muted">{option.group}</p>
          )}
          <Option option={option} isChosen={option.value === picker.value} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  )
}

interface OptionProps {
  option: PickerOption
  isChosen: boolean
  onChoose: (value: string) => void
}

function Option({ option, isChosen, onChoose }: OptionProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      disabled={option.disabled}
      onClick={() => onChoose(option.value)}
      className="touch flex min-h-8 w-full items-center gap-2 rounded-md px-1.5 text-start text-sm hover:bg-s2 disabled:text-muted"
    >
      <span className="min-w-0 flex-1 truncate">{option.label}</span>
      {isChosen && <Check size={15} aria-hidden />}
    </button>
  )
}
