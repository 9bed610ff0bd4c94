import { Check, Copy, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useT, useWords } from '@/i18n'
import { useCopy } from '@/lib/copy'
import { Markdown } from '@/lib/md/Markdown'
import type { TextRow } from '@/stream/rows'
import { IconButton } from '@/ui/IconButton'
import { TimeStamp } from '@/ui/TimeStamp'
import { AnswerChips } from './AnswerChips'
import { words } from './answerWords'
import { BranchButton } from './BranchButton'
import { type Change, ResultChange } from './ResultChange'

export function AssistantText({ row }: { row: TextRow }) {
  const t = useT()
  const tell = useWords(words)
  return (
    <div className="group pt-3 pb-1" aria-busy={row.live || undefined}>
      <h3 className="sr-only">{t('assistant')}</h3>
      {!row.live && row.meta.outcome === 'blocked' && <Remark>{t('answer.unmet')}</Remark>}
      {!row.live && <Remarks meta={row.meta} />}
      <div className={row.cut ? 'opacity-70' : undefined}>
        <Markdown text={row.text} live={row.live} />
      </div>
      {!row.live && !!row.meta.change && <ResultChange change={row.meta.change as Change} />}
      {row.cut && <p className="mt-1 text-xs text-faint">{tell('unfinished')}</p>}
      {!row.live && !!row.meta.cut && (
        <Remark>{tell(row.meta.cut === 'length' ? 'cut.length' : 'cut.stream')}</Remark>
      )}
      {!row.live && !row.cut && <AnswerChips row={row} />}
      {!row.live && <Actions row={row} />}
    </div>
  )
}

/** What a reader has to know before the answer. */
function Remarks({ meta }: { meta: TextRow['meta'] }) {
  const t = useWords(words)
  return (
    <>
      {!!meta.continues && <p className="mb-1.5 text-xs text-muted">{t('continues')}</p>}
      {!!meta.without_browser && <Remark>{t('without_browser')}</Remark>}
    </>
  )
}

function Remark({ children }: { children: ReactNode }) {
  return (
    <p className="my-1.5 flex items-center gap-1.5 text-xs font-medium text-warn">
      <TriangleAlert size={14} className="shrink-0" aria-hidden />
      {children}
    </p>
  )
}

function Actions({ row }: { row: TextRow }) {
  const t = useT()
  const [copied, copy] = useCopy()
  return (
    <div className="flex h-8 items-center gap-1 text-2xs text-faint opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
      <IconButton
        small
        label={copied ? t('copied') : t('copy.markdown')}
        className="-ml-1.5"
        data-copy
        onClick={() => copy(row.text)}
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </IconButton>
      {!row.cut && <BranchButton messageId={row.id} />}
      {copied && <span aria-hidden>{t('copied')}</span>}
      <TimeStamp at={row.at} />
    </div>
  )
}
