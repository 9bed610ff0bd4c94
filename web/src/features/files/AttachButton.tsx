import { Paperclip } from 'lucide-react'
import { useRef } from 'react'
import { useT } from '@/i18n'
import { IconButton } from '@/ui/IconButton'
import { attach } from './attachments'

/** Gives files to the session; the agent can use them in the pages it works on. */
export function AttachButton({ sessionId }: { sessionId: string | null }) {
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton small label={t('attach')} onClick={() => input.current?.click()}>
        <Paperclip size={15} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('attach')}
        onChange={(event) => {
          attach(sessionId, event.target.files ?? [])
          event.target.value = ''
        }}
      />
    </>
  )
}
