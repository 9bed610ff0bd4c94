import { KeyRound } from 'lucide-react'
import { useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { Button } from '@/ui/Button'
import { type LiveView, useLiveState } from './liveView'
import { words } from './takeoverWords'

/** Asks whether to store the login with which the person has signed in. */
export function KeepLogin({ view }: { view: LiveView }) {
  const t = useWords(words)
  const login = useLiveState(view, (state) => state.login)
  const fault = useLiveState(view, (state) => state.fault)
  if (!login) return null
  const isNew = login.kind === 'new'
  const answer = (answer: 'save' | 'later' | 'never') => view.send({ type: 'keep_login', answer })
  return (
    <section
      aria-labelledby="keep-login"
      className="flex flex-col gap-2 rounded-md border border-line bg-s2 p-3 text-sm"
    >
      <h3 id="keep-login" className="flex gap-2 font-medium [overflow-wrap:anywhere]">
        <KeyRound size={16} aria-hidden className="mt-0.5 shrink-0" />
        {t(isNew ? 'keep.new' : 'keep.changed', { host: login.host })}
      </h3>
      <p className="text-muted">{t('keep.about')}</p>
      {fault && (
        <p role="alert" className="text-danger">
          {inLanguage(fault.message, fault.message_parts)}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button small onClick={() => answer('save')}>
          {t(isNew ? 'keep.save' : 'keep.replace')}
        </Button>
        <Button small tone="quiet" onClick={() => answer('later')}>
          {t('keep.later')}
        </Button>
        <Button small tone="quiet" onClick={() => answer('never')}>
          {t('keep.never')}
        </Button>
      </div>
    </section>
  )
}
