import type { ReactNode } from 'react'

interface Props {
  icon: ReactNode
  title?: string
  onClick: () => void
  children: ReactNode
}

/** A small act that belongs to what stands above it. */
export function Chip({ icon, title, onClick, children }: Props) {
  return (
    <button
      type="button"
      title={title}
      onClick={onClick}
      className="touch flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-full border border-line bg-bg px-3 text-xs text-text hover:bg-s1 [&>svg]:shrink-0 [&>svg]:text-muted"
    >
      {icon}
      {children}
    </button>
  )
}
