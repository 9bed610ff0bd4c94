import type { ReactNode } from 'react'

interface Props {
  title: string
  about?: string
  children: ReactNode
}

export function Section({ title, about, children }: Props) {
  return (
    <section className="flex flex-col gap-4">
      <div>
        <h2 className="font-bold">{title}</h2>
        {about && <p className="text-sm text-muted">{about}</p>}
      </div>
      {children}
    </section>
  )
}

/** Names and values that cannot be changed here. */
export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
