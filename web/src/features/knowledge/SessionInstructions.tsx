import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { InstructionsField } from '@/session/InstructionsField'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { toast } from '@/ui/Toasts'
import { words } from './knowledgeWords'

interface Props {
  sessionId: string
  onClose: () => void
}

/** The person's words for the runs of one session. */
export default function SessionInstructions({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const { data, error } = useQuery({
    queryKey: ['instructions', sessionId],
    queryFn: async () => (await api.session(sessionId)).instructions ?? '',
    gcTime: 0,
  })
  return (
    <Dialog open onClose={onClose} title={t('knowledge.session')}>
      <p className="mb-4 text-sm text-muted">
        {t('knowledge.session.about')}{' '}
        <Link
          href="/grants"
          onClick={onClose}
          className="rounded-sm text-accent-text underline underline-offset-2"
        >
          {t('grants')}
        </Link>
      </p>
      {data === undefined && !error && <Spinner className="text-muted" />}
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error.message}
        </p>
      )}
      {data !== undefined && <Form sessionId={sessionId} stored={data} onSaved={onClose} />}
    </Dialog>
  )
}

interface FormProps {
  sessionId: string
  stored: string
  onSaved: () => void
}

function Form({ sessionId, stored, onSaved }: FormProps) {
  const t = useWords(words)
  const [text, setText] = useState(stored)
  const [failure, setFailure] = useState('')
  const save = async () => {
    try {
      await api.patchSession(sessionId, { instructions: text })
      toast(t('knowledge.saved'))
      onSaved()
    } catch (error) {
      setFailure((error as Error).message)
    }
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <InstructionsField autoFocus label={t('knowledge.session.label')} text={text} onChange={setText} />
      {failure && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={text === stored}>
          {t('knowledge.save')}
        </Button>
        <Button tone="quiet" onClick={onSaved}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}
