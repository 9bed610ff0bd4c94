import { KeyRound } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import type { LoginUse, Pending } from '@/api/types'
import { useWords } from '@/i18n'
import type { QuestionRow } from '@/stream/rows'
import { Button } from '@/ui/Button'
import { Select } from '@/ui/Select'
import { useDecide, useHasLogin } from './decide'
import { Expiry } from './Expiry'
import { MoreAnswers } from './MoreAnswers'
import { storedLoginWords } from './storedLoginWords'
import { useSight } from './sight'
import { TargetPicture } from './TargetPicture'

type Login = NonNullable<Pending['login']>
type Choice = Exclude<LoginUse['choice'], 'by_hand'>

/** Whether a stored login may be typed into one form: at which host, as whom, for how long. */
export function LoginCard({ row: { question } }: { row: QuestionRow }) {
  const t = useWords(storedLoginWords)
  const title = useId()
  const { login } = question
  if (!login) return null
  return (
    <section aria-labelledby={title} className="my-3 overflow-hidden rounded-lg border border-warn bg-bg">
      <header className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-sm text-warn">
        <KeyRound size={16} aria-hidden className="shrink-0" />
        <h3 id={title} className="min-w-0 flex-1 font-medium">
          {t('login.title')}
        </h3>
        <Expiry at={question.expires_at} />
      </header>
      <div className="flex flex-col gap-3 p-4">
        <p className="text-lg wrap-anywhere">
          {t('login.at')} <Host {...login} />
        </p>
        {login.has_odd_letters && <p className="text-sm text-warn">{t('login.oddLetters')}</p>}
        <TargetPicture question={question} />
        <Answers question={question} login={login} />
      </div>
    </section>
  )
}

/** The host with the part in bold that says whose it is. */
function Host({ host, site }: Pick<Login, 'host' | 'site'>) {
  const isWithin = host.endsWith(site)
  return (
    <>
      {isWithin && <span className="text-muted">{host.slice(0, host.length - site.length)}</span>}
      <strong>{isWithin ? site : host}</strong>
    </>
  )
}

function Answers({ question, login }: { question: Pending; login: Login }) {
  const t = useWords(storedLoginWords)
  const { reference } = question
  const { decide, isBusy, failure } = useDecide()
  const hasLogin = useHasLogin()
  const [id, setId] = useState(login.choices[0]?.id ?? '')
  const [choice, setChoice] = useState<Choice>('once')
  const place = useRef<HTMLDivElement>(null)
  useSight(reference, place)
  const chosen = login.choices.find((one) => one.id === id)
  const scopes = (['once', 'session', 'automation'] as const).filter(
    (scope) => scope === 'once' || question.scopes?.includes(scope),
  )
  const fields = login.fields.map((name) => t(`login.${name}`)).join(', ')
  return (
    <>
      {login.choices.length > 1 ? (
        <Select
          className="max-w-80"
          label={t('login.which')}
          options={login.choices.map((one) => ({ value: one.id, label: `${one.account} · ${one.title}` }))}
          value={id}
          onChange={setId}
        />
      ) : (
        <p className="wrap-anywhere">
          {t('login.as')} <strong className="font-medium">{chosen?.account}</strong>{' '}
          <span className="text-muted">{chosen?.title}</span>
        </p>
      )}
      {chosen && !chosen.is_exact_host && (
        <p className="text-sm wrap-anywhere text-warn">
          {t('login.otherHost', { site: chosen.site, host: login.host })}
        </p>
      )}
      <p className="text-sm text-muted">
        {t('login.fills')}: {fields}. {t('login.unseen')}
      </p>
      {hasLogin && (
        <Select
          className="max-w-80"
          label={t('login.for')}
          options={scopes.map((value) => ({ value, label: t(`login.${value}`) }))}
          value={choice}
          onChange={(value) => setChoice(value as Choice)}
        />
      )}
      <div ref={place} data-answers className="flex flex-wrap items-center gap-2">
        <Button disabled={isBusy} onClick={() => void decide({ reference, confirmed: false })}>
          {t('login.no')}
        </Button>
        {hasLogin && (
          <Button
            tone="quiet"
            disabled={isBusy}
            onClick={() => void decide({ reference, confirmed: false, login: { choice: 'by_hand' } })}
          >
            {t('login.byHand')}
          </Button>
        )}
        {hasLogin && <MoreAnswers question={question} />}
        <span className="flex-1 max-md:hidden" />
        <Button
          tone="primary"
          disabled={isBusy}
          onClick={() => void decide({ reference, confirmed: true, login: { choice, id } })}
        >
          {t('login.yes')}
        </Button>
      </div>
      {failure && (
        <p role="alert" className="text-sm text-danger">
          {failure}
        </p>
      )}
    </>
  )
}
