import { Switch as Base } from '@base-ui/react/switch'

interface Props {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

export function Switch({ label, checked, onChange }: Props) {
  return (
    <label className="touch flex items-center justify-between gap-4 text-sm">
      {label}
      <Base.Root
        checked={checked}
        onCheckedChange={onChange}
        className="flex h-6 w-10 shrink-0 items-center rounded-full border border-strong bg-s2 p-0.5 transition-colors data-[checked]:border-accent data-[checked]:bg-accent"
      >
        <Base.Thumb className="size-4 rounded-full bg-strong transition-transform data-[checked]:translate-x-4 data-[checked]:bg-on-accent" />
      </Base.Root>
    </label>
  )
}
