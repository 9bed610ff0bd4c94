import { ChevronDown, Eye, FlaskConical, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Config, ModelInfo } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { modelName } from '@/session/names'
import { compact, money } from '@/lib/numbers'
import { useOverlay } from '@/lib/overlay'
import { Badge } from '@/ui/Badge'
import { Menu, MenuChoice, MenuItem, MenuLine, MenuOption } from '@/ui/Menu'
import { Tooltip } from '@/ui/Tooltip'
import { words } from './modelWords'

interface Props {
  config: Config
  value: string
  onChange: (model: string) => void
  /** Why it cannot be changed now. */
  locked?: string | undefined
}

export function ModelPicker({ config, value, onChange, locked }: Props) {
  const t = useWords(words)
  const chosen = config.models.find((model) => model.id === value)
  const text = chosen ? modelName(chosen, t) : value
  const trigger = <PickerButton label={t('model')} text={text} />
  if (locked) return <LockedPicker label={t('model')} text={text} reason={locked} />
  return (
    <Menu trigger={trigger} align="start" side="top" wide>
      <MenuChoice label={t('model')} value={value} onChange={onChange}>
        {config.models
          .filter((model) => model.ready || model.id === value)
          .map((model) => (
            <MenuOption key={model.id} value={model.id} disabled={!model.ready}>
              <ModelLine model={model} />
            </MenuOption>
          ))}
      </MenuChoice>
      <MenuLine />
      <MenuItem
        icon={<KeyRound size={15} aria-hidden />}
        onSelect={() => useOverlay.getState().show('connect')}
      >
        {t('model.keys')}
      </MenuItem>
    </Menu>
  )
}

function ModelLine({ model }: { model: ModelInfo }) {
  const t = useWords(words)
  const lang = useLang()
  const facts = [
    model.context ? t('model.context', { size: compact(model.context, lang) }) : null,
    model.price_in != null && model.price_out != null
      ? t('model.price', { in: money(model.price_in, lang), out: money(model.price_out, lang) })
      : null,
  ].filter(Boolean)
  return (
    <>
      <span className="flex items-center gap-1.5">
        <span className="min-w-0">{modelName(model, t)}</span>
        {model.demo && (
          <Badge tone="info">
            <FlaskConical size={11} aria-hidden />
            {t('model.demo')}
          </Badge>
        )}
        {model.vision && <Eye size={13} className="shrink-0 text-faint" aria-label={t('model.vision')} />}
      </span>
      <span className="block text-2xs text-faint">{model.ready ? facts.join(' · ') : t('model.needs')}</span>
    </>
  )
}

/** Without what is explained in brackets; the label has all of it. */
const inShort = (text: string): string => text.replace(/ \([^)]*\)$/, '')

interface ButtonProps extends React.ComponentProps<'button'> {
  label: string
  text: string
  /** What is set besides, for the label. */
  note?: string | undefined
  icon?: ReactNode
}

const labelOf = (label: string, text: string, note?: string) =>
  note ? `${label}: ${text}, ${note}` : `${label}: ${text}`

export function PickerButton({ label, text, note, icon, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-label={labelOf(label, text, note)}
      {...rest}
      className="touch flex h-7 min-w-0 items-center gap-1 rounded-md px-2 text-xs text-muted hover:bg-s2 max-md:gap-0.5 max-md:px-1 hover:text-text"
    >
      {icon}
      <span className="truncate">{inShort(text)}</span>
      <ChevronDown size={13} aria-hidden className="shrink-0" />
    </button>
  )
}

interface LockedProps {
  label: string
  text: string
  note?: string | undefined
  reason: string
}

export function LockedPicker({ label, text, note, reason }: LockedProps) {
  return (
    <Tooltip text={reason}>
      <button
        type="button"
        aria-disabled
        aria-label={`${labelOf(label, text, note)}. ${reason}`}
        className="touch flex h-7 min-w-0 items-center rounded-md px-2 text-xs text-faint"
      >
        <span className="truncate">{inShort(text)}</span>
      </button>
    </Tooltip>
  )
}
