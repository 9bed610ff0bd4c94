import type { Ref } from 'react'
import { useT } from '@/i18n'
import { attach } from './attachments'

interface Props {
  sessionId: string | null
  ref: Ref<HTMLInputElement>
}

/** Opened by a press elsewhere; gives files to the session, which the agent can use in the pages it works on. */
export function FileInput({ sessionId, ref }: Props) {
  const t = useT()
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={t('attach')}
      onChange={(event) => {
        attach(sessionId, event.target.files ?? [])
        event.target.value = ''
      }}
    />
  )
}
