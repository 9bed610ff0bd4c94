import { FlaskConical, Info, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { Notice } from '@/api/types'
import { useLang, useT, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { cx } from '@/lib/cx'
import { useOverlay } from '@/lib/overlay'
import { words } from './startWords'

const STRIP = 'flex items-start gap-2.5 rounded-lg px-4 py-2.5 text-sm'

interface Props {
  notices: Notice[]
  /** Whether the demo model answers. */
  isDemo: boolean
}

/** What is missing for the main job, in the server's words; that a model is missing is an offer, no alarm. */
export function Notices({ notices, isDemo }: Props) {
  return (
    <>
      {isDemo && <DemoStrip />}
      {notices
        .filter(({ code }) => !(isDemo && code === 'no_model_key'))
        .map((notice) => (
          <NoticeLine key={notice.code} notice={notice} />
        ))}
    </>
  )
}

function DemoStrip() {
  const t = useWords(words)
  return (
    <div className={cx(STRIP, 'flex-wrap items-center bg-s1 text-muted')}>
      <FlaskConical size={16} aria-hidden className="shrink-0" />
      <p className="min-w-40 flex-1">{t('strip.demo')}</p>
      <button
        type="button"
        className="touch shrink-0 rounded-md px-2 py-1 font-medium text-accent-text hover:bg-s2"
        onClick={() => useOverlay.getState().show('connect')}
      >
        {t('strip.connect')}
      </button>
    </div>
  )
}

function NoticeLine({ notice: { code, text, text_parts: parts } }: { notice: Notice }) {
  const t = useT()
  const lang = useLang()
  const isCalm = code === 'mock'
  const Icon = isCalm ? Info : TriangleAlert
  return (
    <div className={cx(STRIP, isCalm ? 'bg-info-soft text-info' : 'bg-warn-soft text-warn')}>
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 flex-1">
        {inLanguage(text, parts, lang)}{' '}
        {!isCalm && (
          <Link href="/settings" className="underline underline-offset-2">
            {t('settings')}
          </Link>
        )}
      </p>
    </div>
  )
}
