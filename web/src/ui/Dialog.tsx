import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from './IconButton'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  width?: string
}

const BACKDROP = 'overlay fixed inset-0 z-30 bg-backdrop'

export function Dialog({ open, onClose, title, children, width = 'max-w-lg' }: DialogProps) {
  const t = useT()
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          ref={popup}
          initialFocus={() => popup.current?.querySelector<HTMLElement>('input, textarea') ?? popup.current}
          className={cx(
            'overlay overlay-pop fixed inset-x-3 top-[8dvh] z-30 outline-none mx-auto max-h-[84dvh] overflow-y-auto rounded-xl border border-line bg-bg p-5',
            width,
          )}
        >
          <div className="mb-3 flex items-start justify-between gap-4">
            <Base.Title className="text-lg font-bold">{title}</Base.Title>
            <Base.Close render={<IconButton label={t('close')} className="-mt-1 -mr-2" />}>
              <X size={18} aria-hidden />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface SheetProps {
  open: boolean
  onClose: () => void
  label: string
  side: 'left' | 'bottom'
  children: ReactNode
}

const SIDES = {
  left: 'inset-y-0 left-0 w-[min(300px,86vw)] border-r [--sheet-x:-100%]',
  bottom: 'inset-x-0 bottom-0 h-[min(78dvh,640px)] rounded-t-xl border-t [--sheet-y:100%]',
}

/** A drawer from the side, or a sheet from below, on narrow windows. */
export function Sheet({ open, onClose, label, side, children }: SheetProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          aria-label={label}
          className={cx(
            'overlay-sheet fixed z-30 flex flex-col overflow-hidden border-line bg-bg',
            SIDES[side],
          )}
        >
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
