import { History } from 'lucide-react'
import { useEffect, useState } from 'react'
import { links } from '@/api/links'
import { useLang, useT } from '@/i18n'
import { apiAddress } from '@/lib/base'
import { useTitle } from '@/lib/title'

/** Shows the replay that the link is for, in place of itself. */
export default function ReplayLinkPage() {
  const t = useT()
  const lang = useLang()
  const [failure, setFailure] = useState<string | null>(null)
  useTitle('Pilothouse', 'none')
  useEffect(() => {
    links.openReplay(location.hash.slice(1)).then(
      () => location.replace(apiAddress(`/links/replay?lang=${lang}`)),
      (error: unknown) => setFailure((error as Error).message),
    )
  }, [lang])
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 p-6 text-center">
      <History size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <h1 className="text-lg font-bold">{t('replay')}</h1>
      {failure && (
        <p role="alert" className="max-w-96 text-sm text-balance text-muted">
          {failure}
        </p>
      )}
    </main>
  )
}
