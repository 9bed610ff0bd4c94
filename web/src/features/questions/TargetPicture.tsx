import { Maximize2, Minimize2 } from 'lucide-react'
import { type CSSProperties, useState } from 'react'
import type { Box, Pending } from '@/api/types'
import { useT } from '@/i18n'
import { hostOf, pictureUrl } from '@/lib/url'
import { IconButton } from '@/ui/IconButton'
import { TargetOverlay } from '@/ui/TargetOverlay'

/** Height over width of the frame that shows the place of the action. */
const FRAME = 5 / 16
/** How wide the target should look, in percent of the frame, and how far the picture is enlarged for it. */
const WANTED_WIDTH = 25
const MAX_SCALE = 2

/** The page with the place of the action outlined: close up, or the whole picture. */
export function TargetPicture({ question }: { question: Pending }) {
  const t = useT()
  const [isWhole, setWhole] = useState(false)
  const [ratio, setRatio] = useState(10 / 16)
  const address = pictureUrl(question.screenshot)
  if (!address) return null
  const box = question.target?.box
  const start = question.target?.start
  const isClose = !isWhole && ratio > FRAME && !start
  const whole = { left: 0, top: 0, width: '100%' }
  const alt = t('question.picture', { site: hostOf(question.url) ?? '', target: question.target?.name ?? '' })
  return (
    <div
      className="relative overflow-hidden rounded-md border border-line bg-s2"
      style={{ aspectRatio: 1 / (isClose ? FRAME : ratio) }}
    >
      <div className="absolute" style={isClose ? closeUp(ratio, box ?? TOP) : whole}>
        <img
          src={address}
          alt={alt}
          onLoad={({ currentTarget: img }) => setRatio(img.naturalHeight / img.naturalWidth)}
          className="block w-full"
        />
        <TargetOverlay box={start} isStart />
        <TargetOverlay box={box} />
      </div>
      <IconButton
        small
        label={isWhole ? t('question.shrink') : t('question.enlarge')}
        onClick={() => setWhole(!isWhole)}
        className="absolute right-1.5 bottom-1.5 border border-line bg-bg"
      >
        {isWhole ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
      </IconButton>
    </div>
  )
}

const TOP: Box = [0, 0, 100, 0]

/** The picture enlarged and moved so that the box is in the middle of the frame, as far as its edges allow. */
function closeUp(ratio: number, [left, top, width, height]: Box): CSSProperties {
  const scale = Math.min(MAX_SCALE, Math.max(1, WANTED_WIDTH / Math.max(width, 1)))
  const tall = (scale * ratio) / FRAME
  return {
    width: `${100 * scale}%`,
    left: `${shift(left + width / 2, scale)}%`,
    top: `${shift(top + height / 2, tall)}%`,
  }
}

/** Where the picture begins, in percent of the frame, when it is `size` frames long and `center` is to be seen. */
const shift = (center: number, size: number) => Math.min(0, Math.max(100 - 100 * size, 50 - center * size))
