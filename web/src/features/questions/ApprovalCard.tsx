import { MessageSquareX, ShieldAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Pending } from '@/api/types'
import { useT, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { hostOf } from '@/lib/url'
import { InsteadItem } from '@/session/pointing/InsteadItem'
import { actionWords } from '@/session/toolWords'
import type { QuestionRow } from '@/stream/rows'
import { Button } from '@/ui/Button'
import { MenuItem } from '@/ui/Menu'
import { AllowFor, grantOf, ONCE, useApproveWords } from './AllowFor'
import { isSpending, payloadOf, titleOf } from './questionWords'
import { useDecide, useHasLogin } from './decide'
import { DenyNote } from './DenyNote'
import { Expiry } from './Expiry'
import { MoreAnswers } from './MoreAnswers'
import { payloadWords } from './payloadWords'
import { useSight } from './sight'
import { StartPlan } from './StartPlan'
import { startWords } from './startPlanWords'
import { titleWords } from './titleWords'
import { TargetPicture } from './TargetPicture'

/** What will happen, where and why it asks. Nothing here is focused by itself, least of all the yes. */
export function ApprovalCard({ row }: { row: QuestionRow }) {
  const t = useT()
  const tell = useWords(startWords)
  const title = useWords(titleWords)
  const { question } = row
  const { start } = question
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  return (
    <section
      aria-label={start ? tell('start.title') : t('question.title')}
      className="my-3 overflow-hidden rounded-lg border border-warn bg-bg"
    >
      <header className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-sm text-warn">
        <ShieldAlert size={16} aria-hidden className="shrink-0" />
        <h3 className="min-w-0 flex-1 font-medium wrap-anywhere">
          {start ? tell('start.title') : (titleOf(question, title) ?? t('question.title'))}
        </h3>
        <Expiry at={question.expires_at} />
      </header>
      <div className="flex flex-col gap-3 p-4">
        {start && <StartPlan start={start} chosen={chosen} onChange={setChosen} />}
        {!start && <ActDetails question={question} />}
        <TargetPicture question={question} />
        {!start && <Why row={row} />}
        <Answers question={question} chosen={start ? [...chosen] : undefined} />
      </div>
    </section>
  )
}

function ActDetails({ question }: { question: Pending }) {
  const t = useT()
  const site = hostOf(question.url)
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <div className="min-w-0">
        <p className="text-lg font-bold wrap-anywhere">{actionWords(question, t)}</p>
        {site && (
          <p className="text-sm wrap-anywhere text-muted">
            {t('question.on')} <strong className="font-medium text-text">{site}</strong>
          </p>
        )}
        {question.would_send && (
          <p className="text-sm wrap-anywhere text-warn">
            {t('question.wouldSend')}{' '}
            <strong className="font-medium">
              {inLanguage(question.would_send, question.would_send_parts)}
            </strong>
          </p>
        )}
        {question.sends_to && (
          <p className="text-sm wrap-anywhere text-warn">
            {t('question.sends')} <strong className="font-medium">{question.sends_to}</strong>
          </p>
        )}
      </div>
      {question.amount && isSpending(question) && (
        <p className="tabular text-lg font-bold whitespace-nowrap">
          <span className="sr-only">{t('question.amount')}: </span>
          {question.amount}
        </p>
      )}
    </div>
  )
}

function Why({ row: { question } }: { row: QuestionRow }) {
  const t = useT()
  const tell = useWords(payloadWords)
  const isMentioned = question.amount && !isSpending(question)
  const facts = [
    [t('question.why'), inLanguage(question.reason, question.reason_parts)] as const,
    ...payloadOf(question, tell),
    ...(isMentioned ? [[t('question.mentioned'), question.amount] as const] : []),
  ]
  return (
    <dl className="grid grid-cols-[fit-content(40%)_1fr] gap-x-4 gap-y-1 text-sm">
      {facts.map(([name, value], at) => (
        <div key={at} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="wrap-anywhere whitespace-pre-line">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Answers({ question, chosen }: { question: Pending; chosen?: number[] }) {
  const { reference } = question
  const t = useT()
  const tell = useWords(startWords)
  const approveWords = useApproveWords()
  const { decide, isBusy, failure } = useDecide()
  const hasLogin = useHasLogin()
  const [isNoting, setNoting] = useState(false)
  const [allowed, setAllowed] = useState(ONCE)
  const menuButton = useRef<HTMLButtonElement>(null)
  const place = useRef<HTMLDivElement>(null)
  useSight(reference, place)
  const cancel = () => {
    flushSync(() => setNoting(false))
    menuButton.current?.focus()
  }
  const deny = (message?: string) => void decide({ reference, confirmed: false, message })
  return (
    <div className="flex flex-col gap-3">
      {hasLogin && !isNoting && !chosen && (
        <AllowFor question={question} allowed={allowed} onChange={setAllowed} />
      )}
      <div ref={place} data-answers>
        {isNoting ? (
          <DenyNote
            isBusy={isBusy}
            hint={chosen ? tell('start.note.hint') : t('question.note')}
            sends={chosen ? tell('start.send') : t('deny.send')}
            onSend={deny}
            onCancel={cancel}
          />
        ) : (
          <div className="flex flex-wrap items-center gap-2 max-md:[&>:first-child]:flex-1 max-md:[&>:last-child]:w-full">
            <Button disabled={isBusy} onClick={() => deny()}>
              {chosen ? tell('start.no') : t('deny')}
            </Button>
            <MoreAnswers question={question} menuButton={menuButton}>
              <MenuItem icon={<MessageSquareX size={15} aria-hidden />} onSelect={() => setNoting(true)}>
                {chosen ? tell('start.note') : t('deny.note')}
              </MenuItem>
              {hasLogin && !chosen && <InsteadItem picture={question.screenshot ?? null} />}
            </MoreAnswers>
            <span className="flex-1 max-md:hidden" />
            <Button
              tone="primary"
              disabled={isBusy}
              onClick={() =>
                void decide({ reference, confirmed: true, grant: grantOf(allowed), effects: chosen })
              }
            >
              {chosen ? tell('start.yes') : approveWords(allowed, question)}
            </Button>
          </div>
        )}
      </div>
      {failure && (
        <p role="alert" className="text-sm text-danger">
          {failure}
        </p>
      )}
    </div>
  )
}
