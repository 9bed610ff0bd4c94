import { useQueryClient } from '@tanstack/react-query'
import { CirclePause, Ellipsis, Pencil, Play, Trash2, Webhook } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '@/api/client'
import { useQuestions } from '@/api/queries'
import type { Automation } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Disclosure } from '@/ui/Disclosure'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuItem, MenuLine } from '@/ui/Menu'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { words } from './automationWords'
import AutomationForm from './AutomationForm'
import { ownZone } from '@/lib/time'
import { atTime, dayName, whenOf } from './dueRule'
import { FiringLog } from './FiringLog'
import { HookDialog } from './HookDialog'
import { TONES } from './outcomes'

type Shown = 'edit' | 'hook' | 'delete' | null

/** One automation: when it is due, what became of it, and what can be done with it. */
export function AutomationItem({ automation, index }: { automation: Automation; index: number }) {
  const t = useWords(words)
  const client = useQueryClient()
  const [isLog, setLog] = useState(false)
  const [shown, setShown] = useState<Shown>(null)
  const { id, name, enabled } = automation
  const call = (action: Promise<unknown>) =>
    void action
      .catch((error: Error) => toast(error.message))
      .then(() => client.invalidateQueries({ queryKey: ['automations'] }))
  const close = () => setShown(null)
  return (
    <div
      role="article"
      aria-label={name}
      tabIndex={0}
      data-index={index}
      className="flex flex-col gap-1.5 rounded-lg border border-line p-3"
    >
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 pt-1 text-sm font-medium wrap-anywhere">{name}</h2>
        <Button small aria-label={t('auto.run.of', { name })} onClick={() => call(api.runAutomation(id))}>
          <Play size={13} aria-hidden />
          <span className="max-md:sr-only">{t('auto.run')}</span>
        </Button>
        <Menu
          trigger={
            <IconButton small label={t('auto.more.of', { name })}>
              <Ellipsis size={16} aria-hidden />
            </IconButton>
          }
        >
          <MenuItem icon={<Pencil size={15} aria-hidden />} onSelect={() => setShown('edit')}>
            {t('edit')}
          </MenuItem>
          <MenuItem
            icon={enabled ? <CirclePause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
            onSelect={() => call(api.changeAutomation(id, { enabled: !enabled }))}
          >
            {t(enabled ? 'pause' : 'resume')}
          </MenuItem>
          <MenuItem icon={<Webhook size={15} aria-hidden />} onSelect={() => setShown('hook')}>
            {t('auto.hook')}
          </MenuItem>
          <MenuLine />
          <MenuItem danger icon={<Trash2 size={15} aria-hidden />} onSelect={() => setShown('delete')}>
            {t('delete')}
          </MenuItem>
        </Menu>
      </div>
      <p className="line-clamp-2 text-sm wrap-anywhere text-muted">{automation.task}</p>
      <Due automation={automation} />
      <Marks automation={automation} />
      <Last automation={automation} />
      <Disclosure
        open={isLog}
        onToggle={() => setLog(!isLog)}
        summary={<span className="text-xs font-medium text-muted">{t('auto.log')}</span>}
      >
        <FiringLog automation={automation} />
      </Disclosure>
      {shown === 'edit' && <AutomationForm automation={automation} onClose={close} />}
      {shown === 'hook' && <HookDialog automation={automation} onClose={close} />}
      {shown === 'delete' && (
        <Dialog open onClose={close} title={t('auto.delete.of', { name })}>
          <p className="mb-4 text-sm wrap-anywhere">{t('auto.delete.sure', { name })}</p>
          <div className="flex justify-end gap-2">
            <Button tone="quiet" onClick={close}>
              {t('cancel')}
            </Button>
            <Button tone="danger" onClick={() => call(api.removeAutomation(id))}>
              {t('delete')}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

/** What became of it last, and what it has cost this month. */
function Last({ automation }: { automation: Automation }) {
  const t = useWords(words)
  const { last } = automation
  const isAsked = useIsAsked(last)
  if (!last) return null
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
      {isAsked ? (
        <Link href="/inbox" className="touch flex items-center rounded-sm hover:underline">
          <Badge tone="warn">{t('outcome.asks')}</Badge>
        </Link>
      ) : (
        <Badge tone={TONES[last.outcome]}>{t(`outcome.${last.outcome}`)}</Badge>
      )}
      <TimeStamp at={last.at} />
      {automation.used.cost != null && (
        <span>{t('auto.used', { cost: `$${automation.used.cost.toFixed(2)}` })}</span>
      )}
    </p>
  )
}

/** Whether its run waits for the person. */
function useIsAsked(last: Automation['last']): boolean {
  const pages = useQuestions().data?.pages ?? []
  return (
    last?.outcome === 'running' &&
    pages.some(({ items }) => items.some(({ session_id }) => session_id === last.session_id))
  )
}

function Marks({ automation }: { automation: Automation }) {
  const t = useWords(words)
  if (!automation.ask_first && !automation.only_changes && !automation.only_first_model) return null
  return (
    <p className="flex flex-wrap gap-2">
      {automation.ask_first && <Badge>{t('auto.first')}</Badge>}
      {automation.only_changes && <Badge>{t('auto.changes')}</Badge>}
      {automation.only_first_model && <Badge>{t('auto.oneModel')}</Badge>}
    </p>
  )
}

function Due({ automation }: { automation: Automation }) {
  const t = useWords(words)
  const lang = useLang()
  const repeats = useRepeats(automation)
  const { enabled, paused_by: why, next_at: next, zone, rule } = automation
  if (!enabled) {
    return (
      <p className={`text-xs font-medium ${why === 'person' ? 'text-muted' : 'text-warn'}`}>
        {t(`auto.paused.${why ?? 'person'}`)}
      </p>
    )
  }
  if (rule === null) return <p className="text-xs text-muted">{t('auto.by.call')}</p>
  return (
    <p className="text-xs text-muted">
      {repeats}
      {' · '}
      {next ? t('auto.next', { at: atTime(next, zone, lang) }) : t('auto.ended')}
    </p>
  )
}

/** How often, in words; with the zone where that is not the browser's own. */
function useRepeats({ rule, zone }: Automation): string {
  const t = useWords(words)
  const lang = useLang()
  const when = whenOf(rule, new Date())
  if (when.repeats === 'advanced') return when.text
  const names = {
    weekly: when.days.map((day) => dayName(day, lang)).join(', '),
    monthly: `${t('repeats.monthly')}, ${when.day}`,
    hours: `${t('auto.hours')}: ${when.hours}`,
  }
  const repeats =
    when.repeats in names ? names[when.repeats as keyof typeof names] : t(`repeats.${when.repeats}`)
  const place = zone === ownZone() ? '' : ` (${zone})`
  return (when.repeats === 'hours' ? repeats : `${repeats}, ${when.time}`) + place
}
