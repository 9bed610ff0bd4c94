import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button } from '@/ui/Button'
import { INPUT } from '@/ui/Field'
import { toast } from '@/ui/Toasts'
import { words } from './knowledgeWords'

const MOST = 2000
const KEY = ['instructions']

/** The person's words for all runs. */
export function InstructionsForm() {
  const t = useWords(words)
  const id = useId()
  const client = useQueryClient()
  const { data } = useQuery({ queryKey: KEY, queryFn: api.instructions })
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? data?.text ?? ''
  const save = async () => {
    try {
      client.setQueryData(KEY, await api.setInstructions(text))
      setDraft(null)
      toast(t('knowledge.saved'))
    } catch (error) {
      toast((error as Error).message)
    }
  }
  return (
    <form
      className="flex flex-col gap-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <label htmlFor={id} className="text-sm font-medium">
        {t('knowledge.instructions')}
      </label>
      <textarea
        id={id}
        dir="auto"
        rows={5}
        maxLength={MOST}
        disabled={data === undefined}
        value={text}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setDraft(event.target.value)}
        className={cx(INPUT, 'h-auto resize-y py-2')}
      />
      <p id={`${id}-hint`} className="text-xs text-muted">
        {t('knowledge.instructions.hint')}
      </p>
      <Button type="submit" className="self-start" disabled={draft === null || draft === data?.text}>
        {t('knowledge.save')}
      </Button>
    </form>
  )
}
