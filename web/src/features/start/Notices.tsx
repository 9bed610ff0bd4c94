import { Info, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { Notice } from '@/api/types'
import { useLang, useT } from '@/i18n'
import { serverWords } from '@/i18n/serverWords'
import { cx } from '@/lib/cx'

/** What is missing for the main job, in the server's words. */
export function Notices({ notices }: { notices: Notice[] }) {
  return notices.map((notice) => <NoticeLine key={notice.code} notice={notice} />)
}

function NoticeLine({ notice: { code, text } }: { notice: Notice }) {
  const t = useT()
  const lang = useLang()
  const isCalm = code === 'mock' || code === 'demo'
  const Icon = isCalm ? Info : TriangleAlert
  return (
    <div
      className={cx(
        'flex gap-2.5 rounded-lg px-4 py-2.5 text-sm',
        isCalm ? 'bg-info-soft text-info' : 'bg-warn-soft text-warn',
      )}
    >
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 flex-1">
        {serverWords(text, lang)}{' '}
        {!isCalm && (
          <Link href="/settings" className="underline underline-offset-2">
            {t('settings')}
          </Link>
        )}
      </p>
    </div>
  )
}
