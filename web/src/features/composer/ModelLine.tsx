import { Eye, FlaskConical } from 'lucide-react'
import type { ModelInfo } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { compact, money } from '@/lib/numbers'
import { modelName } from '@/session/names'
import { Badge } from '@/ui/Badge'
import { words } from './pickerWords'

/** A model as a menu offers it: its name, what it can do and what it costs. */
export function ModelLine({ model }: { model: ModelInfo }) {
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
