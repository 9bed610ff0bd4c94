import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'
import { Kbd } from './Kbd'

interface Props {
  text: ReactNode
  keys?: string
  children: ReactElement<Record<string, unknown>>
}

export const TooltipProvider = Base.Provider

export function Tooltip({ text, keys, children }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="overlay flex max-w-72 items-center gap-2 rounded-md bg-text px-2 py-1 text-2xs text-bg">
            {text}
            {keys && <Kbd keys={keys} inverse />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
