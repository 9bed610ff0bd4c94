import { Maximize2, Minimize2 } from 'lucide-react'
import { type CSSProperties, useState } from 'react'
import type { Pending } from '@/api/types'
import { TargetOverlay } from '@/features/screenshots/TargetOverlay'
import { useT } from '@/i18n'
import { hostOf, pictureUrl } from '@/lib/url'
import { IconButton } from '@/ui/IconButton'

/** Height over width of the strip that shows the place of the action. */
const STRIP = 6 / 16

/** The page with the place of the action outlined: the strip around it, or the whole picture. */
export function TargetPicture({ ask }: { ask: Pending }) {
  const t = useT()
  const [isWhole, setWhole] = useState(false)
  const [ratio, setRatio] = useState(10 / 16)
  const address = pictureUrl(ask.screenshot)
  if (!address) return null
  const box = ask.target?.box
  const isStrip = !isWhole && ratio > STRIP
  const [frame, picture] = isStrip ? strip(ratio, box ? box[1] + box[3] / 2 : 0) : [{ aspectRatio: 1 / ratio }, { top: 0 }]
  const alt = t('ask.picture', { site: hostOf(ask.url) ?? '', target: ask.target?.name ?? '' })
  return (
    <div className="relative overflow-hidden rounded-md border border-line bg-s2" style={frame}>
      <div className="absolute inset-x-0" style={picture}>
        <img
          src={address}
          alt={alt}
          onLoad={({ currentTarget: img }) => setRatio(img.naturalHeight / img.naturalWidth)}
          className="block w-full"
        />
        <TargetOverlay box={box} />
      </div>
      <IconButton
        small
        label={isWhole ? t('ask.shrink') : t('ask.enlarge')}
        onClick={() => setWhole(!isWhole)}
        className="absolute right-1.5 bottom-1.5 border border-line bg-bg"
      >
        {isWhole ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
      </IconButton>
    </div>
  )
}

/** A frame with the height of the strip, and the picture moved so that `center` percent of it is in the middle. */
function strip(ratio: number, center: number): [CSSProperties, CSSProperties] {
  const height = (100 * ratio) / STRIP
  const top = Math.min(0, Math.max(100 - height, 50 - (center * height) / 100))
  return [{ aspectRatio: 1 / STRIP }, { top: `${top}%` }]
}
