import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface TabSpec {
  id: string
  label: string
  badge?: ReactNode
  content: () => ReactNode
}

interface Props {
  tabs: TabSpec[]
  value: string
  onChange: (id: string) => void
  label: string
  trailing?: ReactNode
}

export function Tabs({ tabs, value, onChange, label, trailing }: Props) {
  return (
    <Base.Root
      value={value}
      onValueChange={(id) => onChange(String(id))}
      className="flex min-h-0 flex-1 flex-col overflow-hidden"
    >
      <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
        {/* By focus, which comes with the press: the browser may move the tabs before the button is let go. */}
        <Base.List
          activateOnFocus
          aria-label={label}
          className="flex min-w-0 flex-1 items-center gap-0.5 overflow-x-auto [scrollbar-width:none]"
        >
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.id}
              value={tab.id}
              className="touch flex h-8 shrink-0 items-center gap-1.5 rounded-md px-2.5 text-sm whitespace-nowrap text-muted -outline-offset-2 hover:text-text data-[active]:bg-s2 data-[active]:font-medium data-[active]:text-text"
            >
              {tab.label}
              {tab.badge}
            </Base.Tab>
          ))}
        </Base.List>
        {trailing}
      </div>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.id}
          value={tab.id}
          className="min-h-0 flex-1 overflow-y-auto -outline-offset-2"
          render={<section />}
        >
          {tab.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
