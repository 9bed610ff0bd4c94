import { Hand } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useT, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { hostOf } from '@/lib/url'
import { TakeoverButton } from '@/session/TakeoverButton'
import type { QuestionRow } from '@/stream/rows'
import { Button } from '@/ui/Button'
import { INPUT } from '@/ui/Field'
import { choicesOf } from './choices'
import { useDecide, useHasLogin } from './decide'
import { Expiry } from './Expiry'
import { manualWords } from './manualWords'
import { MoreAnswers } from './MoreAnswers'
import { useSight } from './sight'
import { TargetPicture } from './TargetPicture'

/** A step that only a person can do, or a question that they answer: it says what, and waits for it. */
export function ManualCard({ row }: { row: QuestionRow }) {
  const t = useT()
  const tell = useWords(manualWords)
  const id = useId()
  const { question } = row
  const [note, setNote] = useState('')
  const isAnswer = question.wants === 'answer'
  const { decide, isBusy, failure } = useDecide()
  const hasLogin = useHasLogin()
  const place = useRef<HTMLDivElement & HTMLFormElement>(null)
  useSight(question.reference, place)
  const reason = inLanguage(question.reason, question.reason_parts)
  const { text, choices } = isAnswer ? choicesOf(reason) : { text: reason, choices: [] }
  // The composer takes other words than these; a page of one question has none.
  const hasField = !(choices.length && hasLogin)
  const done = (message = note.trim()) =>
    void decide({ reference: question.reference, done: true, ...(message ? { message } : {}) })
  return (
    <section aria-labelledby={id} className="my-3 overflow-hidden rounded-lg border border-info bg-bg">
      <header className="flex items-center gap-2 bg-info-soft px-4 py-2 text-sm text-info">
        <Hand size={16} aria-hidden className="shrink-0" />
        <h3 id={id} className="min-w-0 flex-1 font-medium">
          {isAnswer ? tell('manual.question') : t('manual.title')}
        </h3>
        <Expiry at={question.expires_at} />
      </header>
      <div className="flex flex-col gap-3 p-4">
        <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
        {question.url && <p className="text-sm text-muted">{hostOf(question.url)}</p>}
        <TargetPicture question={question} />
        {choices.length > 0 && (
          <div ref={hasField ? undefined : place} data-answers className="flex flex-wrap gap-2">
            {choices.map((choice, at) => (
              <Button key={at} disabled={isBusy} onClick={() => done(String(at + 1))}>
                {choice}
              </Button>
            ))}
          </div>
        )}
        {hasLogin && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <TakeoverButton tone={isAnswer ? 'plain' : 'primary'} />
            <MoreAnswers question={question} />
          </div>
        )}
        {hasField && (
          <form
            ref={place}
            data-answers
            className="flex flex-wrap gap-2"
            onSubmit={(event) => {
              event.preventDefault()
              done()
            }}
          >
            <input
              aria-label={isAnswer ? tell('manual.answer') : t('manual.note')}
              placeholder={isAnswer ? tell('manual.answer') : t('manual.note')}
              value={note}
              onChange={(event) => setNote(event.target.value)}
              className={`${INPUT} touch min-w-40 flex-1`}
            />
            <Button
              type="submit"
              tone={hasLogin && !isAnswer ? 'plain' : 'primary'}
              disabled={isBusy || (isAnswer && !note.trim())}
              className="h-9"
            >
              {isAnswer ? tell('manual.reply') : t('manual.done')}
            </Button>
          </form>
        )}
        {failure && (
          <p role="alert" className="text-sm text-danger">
            {failure}
          </p>
        )}
      </div>
    </section>
  )
}
