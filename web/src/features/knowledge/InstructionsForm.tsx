import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { InstructionsField } from '@/session/InstructionsField'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toasts'
import { words } from './knowledgeWords'

const KEY = ['instructions']

/** The person's words for all runs. */
export function InstructionsForm() {
  const t = useWords(words)
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
      <InstructionsField
        label={t('knowledge.instructions')}
        disabled={data === undefined}
        text={text}
        onChange={setDraft}
      />
      <Button type="submit" className="self-start" disabled={draft === null || draft === data?.text}>
        {t('knowledge.save')}
      </Button>
    </form>
  )
}
