import { AlarmClock, Ellipsis } from 'lucide-react'
import { type ReactNode, type Ref, useState } from 'react'
import { api } from '@/api/client'
import { refreshQuestions } from '@/api/queries'
import type { Pending } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { timeFormat } from '@/lib/time'
import { useSessionId } from '@/session/sessionId'
import { useSessionStore } from '@/stream/store'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuItem } from '@/ui/Menu'
import { useHasLogin } from './decide'
import { laterWords } from './laterWords'

interface Props {
  question: Pending
  menuButton?: Ref<HTMLButtonElement>
  /** The first items of the menu. */
  children?: ReactNode
}

/** A menu of what else can be answered; who is logged in can also have the question asked again at a time of the day. */
export function MoreAnswers({ question, menuButton, children }: Props) {
  const t = useWords(laterWords)
  const lang = useLang()
  const sessionId = useSessionId()
  const hasLogin = useHasLogin()
  const store = useSessionStore()
  const [isOpen, setOpen] = useState(false)
  const [time, setTime] = useState('18:00')
  const [failure, setFailure] = useState<string | null>(null)
  const send = async () => {
    setFailure(null)
    try {
      await api.putOff(sessionId, question.reference, nextAt(time, new Date()).toISOString())
      store.setState({ stale: true })
      refreshQuestions()
      setOpen(false)
    } catch (error) {
      setFailure((error as Error).message)
    }
  }
  const at = question.later_at && new Date(question.later_at)
  return (
    <>
      {at && (
        <p className="order-last w-full text-sm text-muted">
          {t('later.until', {
            time: timeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' }).format(at),
          })}
        </p>
      )}
      {isOpen ? (
        <form
          className="order-last flex w-full flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <Field
            autoFocus
            required
            type="time"
            label={t('later.at')}
            value={time}
            onChange={(event) => setTime(event.target.value)}
            className="w-36"
          />
          <Button type="submit">{t('later.send')}</Button>
          <Button tone="quiet" onClick={() => setOpen(false)}>
            {t('cancel')}
          </Button>
        </form>
      ) : (
        <Menu
          align="start"
          trigger={
            <IconButton ref={menuButton} label={t('later.menu')}>
              <Ellipsis size={17} aria-hidden />
            </IconButton>
          }
        >
          {children}
          {hasLogin && (
            <MenuItem icon={<AlarmClock size={15} aria-hidden />} onSelect={() => setOpen(true)}>
              {t('later')}
            </MenuItem>
          )}
        </Menu>
      )}
      {failure && (
        <p role="alert" className="order-last w-full text-sm text-danger">
          {failure}
        </p>
      )}
    </>
  )
}

/** The next moment with this local time. */
export function nextAt(time: string, now: Date): Date {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const moment = new Date(now)
  moment.setHours(hour, minute, 0, 0)
  if (moment <= now) moment.setDate(moment.getDate() + 1)
  return moment
}
