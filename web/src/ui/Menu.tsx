import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '@/lib/cx'

const ITEM =
  'flex min-h-8 pointer-coarse:min-h-11 items-center gap-2.5 rounded-md px-2 py-1 text-sm outline-none select-none data-[highlighted]:bg-s2 data-[disabled]:text-faint'

interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  disabled?: boolean
  wide?: boolean
}

export function Menu({
  trigger,
  children,
  align = 'end',
  side = 'bottom',
  disabled,
  wide = false,
}: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} disabled={disabled} />
      <Base.Portal>
        <Base.Positioner align={align} side={side} sideOffset={4} collisionPadding={8} className="z-40">
          <Base.Popup
            className={cx(
              'overlay overlay-pop max-h-[min(70dvh,var(--available-height))] overflow-y-auto rounded-lg border border-line bg-bg p-1 shadow-lg shadow-backdrop/10',
              wide ? 'w-80 max-w-[calc(100vw-16px)]' : 'min-w-44',
            )}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface ItemProps {
  icon?: ReactNode
  onSelect: () => void
  children: ReactNode
  danger?: boolean
  disabled?: boolean
}

export function MenuItem({ icon, onSelect, children, danger = false, disabled }: ItemProps) {
  return (
    <Base.Item onClick={onSelect} disabled={disabled} className={cx(ITEM, danger && 'text-danger')}>
      {icon}
      {children}
    </Base.Item>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

export function MenuChoice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <Base.RadioGroup value={value} onValueChange={(next) => onChange(String(next))}>
      <Base.Group>
        <Base.GroupLabel className="px-2 pt-1.5 pb-1 text-2xs font-medium text-faint">
          {label}
        </Base.GroupLabel>
        {children}
      </Base.Group>
    </Base.RadioGroup>
  )
}

interface OptionProps {
  value: string
  disabled?: boolean
  children: ReactNode
}

export function MenuOption({ value, disabled, children }: OptionProps) {
  return (
    <Base.RadioItem value={value} disabled={disabled} closeOnClick className={ITEM}>
      <span className="flex w-4 shrink-0 justify-center">
        <Base.RadioItemIndicator>
          <Check size={15} aria-hidden />
        </Base.RadioItemIndicator>
      </span>
      <span className="min-w-0 flex-1">{children}</span>
    </Base.RadioItem>
  )
}

interface CheckProps {
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  /** The menu closes after a change. */
  closes?: boolean
  children: ReactNode
}

export function MenuCheck({ checked, onChange, disabled, closes = false, children }: CheckProps) {
  return (
    <Base.CheckboxItem
      checked={checked}
      disabled={disabled}
      closeOnClick={closes}
      onCheckedChange={onChange}
      className={ITEM}
    >
      <span className="flex w-4 shrink-0 justify-center">
        <Base.CheckboxItemIndicator>
          <Check size={15} aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      <span className="min-w-0 flex-1">{children}</span>
    </Base.CheckboxItem>
  )
}

export const MenuLine = () => <Base.Separator className="mx-1 my-1 h-px bg-line" />
