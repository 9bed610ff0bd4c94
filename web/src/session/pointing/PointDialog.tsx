import { Dialog } from '@base-ui/react/dialog'
import { Check, X, ZoomIn } from 'lucide-react'
import { useState } from 'react'
import type { Box, PointedElement, PointedPage } from '@/api/types'
import { useWords } from '@/i18n'
import { focusComposer } from '@/lib/frame'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { Spinner } from '@/ui/Spinner'
import type { Spot } from './hit'
import { type Mark, marksOf, MAX_MARKS, nextNumber, type Source, spotBox, usePointing } from './pointMarks'
import { usePointedPage } from './pointedPage'
import { MarkList, PointElements } from './PointLists'
import { PointPicture } from './PointPicture'
import { words } from './pointingWords'

interface Props {
  sessionId: string
  source: Source
}

/** A picture of the page in the whole window: what is marked on it goes with the next message. */
export default function PointDialog({ sessionId, source }: Props) {
  const t = useWords(words)
  const { close, keep } = usePointing.getState()
  const { look, find } = usePointedPage(sessionId, source)
  const [marks, setMarks] = useState<Mark[]>(() => marksOf(sessionId))
  const [lit, setLit] = useState<PointedElement | null>(null)
  const [isLarge, setLarge] = useState(false)
  const page = 'page' in look ? look.page : null
  const isFull = marks.length >= MAX_MARKS

  const add = (on: PointedPage, box: Box, element: PointedElement | null) =>
    setMarks((known) => (known.length < MAX_MARKS ? [...known, newMark(known, on, box, element)] : known))
  const addSpot = async (spot: Spot) => {
    if (!page || isFull) return
    const [now, element] = await find(page, spot)
    add(now, element?.box ?? spotBox(...spot), element)
  }
  const finish = () => {
    const [before] = [marksOf(sessionId)]
    const text = source.text?.replace('{n}', String((marks.at(-1) ?? { n: 1 }).n))
    keep(sessionId, marks)
    if (text && marks.length > before.length) usePointing.setState({ filled: { text } })
    close()
    requestAnimationFrame(focusComposer)
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-bg" />
        <Dialog.Popup className="fixed inset-0 z-30 flex flex-col bg-bg outline-none">
          <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
            <Dialog.Close render={<IconButton label={t('close')} keys="escape" />}>
              <X size={18} aria-hidden />
            </Dialog.Close>
            <Dialog.Title className="min-w-0 flex-1 truncate px-1 text-sm font-medium">
              {t('point.title')}
            </Dialog.Title>
            <IconButton label={t('point.zoom')} aria-pressed={isLarge} onClick={() => setLarge(!isLarge)}>
              <ZoomIn size={17} aria-hidden />
            </IconButton>
            <Button tone="primary" disabled={marks.length === 0} onClick={finish}>
              <Check size={15} aria-hidden />
              {t('point.add')}
            </Button>
          </header>
          <div className="flex min-h-0 flex-1 flex-col md:flex-row">
            <div
              tabIndex={isLarge ? 0 : -1}
              role="region"
              aria-label={t('point.picture')}
              className="overflow-auto bg-s2 p-4 max-md:max-h-[50dvh] max-md:shrink-0 md:flex-1"
            >
              {page && (
                <PointPicture
                  picture={page.picture}
                  elements={page.elements}
                  {...{ marks, lit, isLarge }}
                  onSpot={(spot) => void addSpot(spot)}
                  onFrame={(frame) => add(page, frame, null)}
                />
              )}
              {look.kind === 'loading' && <Spinner />}
            </div>
            <aside className="min-h-0 overflow-y-auto border-line max-md:flex-1 max-md:border-t md:w-80 md:border-l">
              <Remark look={look.kind} page={page} isFull={isFull} />
              <MarkList marks={marks} onChange={setMarks} />
              {page && page.elements.length > 0 && (
                <PointElements
                  elements={page.elements}
                  onLight={setLit}
                  onPick={(element) => add(page, element.box, element)}
                />
              )}
            </aside>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Remark({ look, page, isFull }: { look: string; page: PointedPage | null; isFull: boolean }) {
  const t = useWords(words)
  const remarks = [
    look === 'last' && t('point.last'),
    look === 'none' && t('point.none'),
    page?.elements.length === 0 && t('point.places'),
    isFull && t('point.full'),
  ].filter(Boolean)
  return (
    <p role="status" className={remarks.length ? 'px-3 pt-3 text-sm text-muted' : 'sr-only'}>
      {remarks.join(' ')}
    </p>
  )
}

function newMark(known: readonly Mark[], page: PointedPage, box: Box, element: PointedElement | null): Mark {
  const { role, name, near } = element ?? { role: '', name: '', near: [] }
  return {
    n: nextNumber(known),
    picture: page.picture,
    url: page.url,
    element: element?.id ?? null,
    box,
    note: '',
    ...(element ? { target: { role, name, near } } : {}),
  }
}
