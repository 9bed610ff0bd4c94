import type { Pending } from '@/api/types'
import { TargetOverlay } from '@/features/screenshots/TargetOverlay'
import { useT } from '@/i18n'
import { hostOf, pictureUrl } from '@/lib/url'

/** The page with the place of the action outlined. */
export function TargetPicture({ ask }: { ask: Pending }) {
  const t = useT()
  const address = pictureUrl(ask.screenshot)
  if (!address) return null
  return (
    <div className="relative overflow-hidden rounded-md border border-line bg-s2">
      <img
        src={address}
        width={1280}
        height={800}
        alt={t('ask.picture', { site: hostOf(ask.url) ?? '', target: ask.target?.name ?? '' })}
        className="block h-auto w-full"
      />
      <TargetOverlay box={ask.target?.box} />
    </div>
  )
}
