import { cx } from '@/lib/cx'

/** A compass in a porthole. */
export function Mark({ size = 20, className }: { size?: number; className?: string }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden className={cx('shrink-0', className)}>
      <circle cx="12" cy="12" r="10" fill="none" stroke="currentColor" strokeWidth="1.75" />
      <path d="M12 4.5 15.2 12 12 19.5 8.8 12Z" fill="currentColor" opacity="0.35" />
      <path d="M12 4.5 15.2 12H8.8Z" fill="currentColor" />
    </svg>
  )
}

export function Brand() {
  return (
    <span className="flex items-center gap-2 text-accent-text">
      <Mark />
      <span className="font-bold tracking-tight text-text">Pilothouse</span>
    </span>
  )
}
