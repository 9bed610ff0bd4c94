import type { ReactNode } from 'react'

/** A step on the course line that connects the steps of a request; around it `data-rail` names the ends of the line. */
export function Rail({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="relative flex gap-2.5 py-0.5">
      <span
        aria-hidden
        className="absolute top-0 bottom-0 left-[11px] w-px bg-line in-data-[rail~=first]:top-4 in-data-[rail~=last]:bottom-[calc(100%-1rem)] in-data-[rail~=first]:in-data-[rail~=last]:hidden"
      />
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
