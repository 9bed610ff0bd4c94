import { TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { Notice } from '@/api/types'
import { useT } from '@/i18n'

/** What is missing for the main job, in the server's words. */
export function Notices({ notices }: { notices: Notice[] }) {
  const t = useT()
  return notices.map((notice) => (
    <div key={notice.code} role="status" className="flex gap-2.5 rounded-lg bg-warn-soft px-4 py-2.5 text-sm text-warn">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 flex-1">
        {notice.text}{' '}
        <Link href="/settings" className="underline underline-offset-2">
          {t('settings')}
        </Link>
      </p>
    </div>
  ))
}
