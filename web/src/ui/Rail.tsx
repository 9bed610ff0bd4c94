import type { ReactNode } from 'react'

/** A step on the course line that runs from a request to its answer. */
export function Rail({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="relative flex gap-2.5 py-0.5">
      <span aria-hidden className="absolute inset-y-0 left-[11px] w-px bg-line" />
      <span
        aria-hidden
        className="relative mt-1 flex size-[23px] shrink-0 items-center justify-center rounded-full bg-bg"
      >
        {icon}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
