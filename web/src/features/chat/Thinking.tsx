import { Brain } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useLang, useT } from '@/i18n'
import { growText } from '@/lib/growText'
import { duration } from '@/lib/numbers'
import type { ThinkingRow } from '@/stream/rows'
import { Disclosure } from '@/ui/Disclosure'
import { Rail } from '@/ui/Rail'
import { Elapsed } from './Elapsed'

export function Thinking({ row }: { row: ThinkingRow }) {
  const t = useT()
  const lang = useLang()
  const [isOpen, setOpen] = useState(false)
  const isLive = row.endedAt === null
  const measured = row.at && row.endedAt ? Date.parse(row.endedAt) - Date.parse(row.at) : null
  const spent = row.ms ?? measured
  const done = spent === null ? t('thoughts') : t('thought', { time: duration(spent, lang) })
  return (
    <Rail icon={<Brain size={15} className={isLive ? 'breathing text-accent-text' : 'text-faint'} />}>
      <Disclosure
        open={isOpen}
        onToggle={() => setOpen(!isOpen)}
        summary={
          <span className="text-sm text-muted">
            {isLive ? t('thinking') : done}
            {isLive && <Elapsed since={row.at} className="text-faint" />}
          </span>
        }
      >
        <Thoughts text={row.text.trimStart()} />
      </Disclosure>
    </Rail>
  )
}

/** They grow while they are read: a selection in them stays. */
function Thoughts({ text }: { text: string }) {
  const box = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (box.current) growText(box.current, text)
  }, [text])
  return (
    <p
      ref={box}
      dir="auto"
      className="mt-1 mb-2 max-h-80 overflow-y-auto border-s-2 border-line ps-3 text-sm wrap-anywhere whitespace-pre-wrap text-muted"
    />
  )
}
