import { useWords } from '@/i18n'
import { hostOf } from '@/lib/url'
import { type LiveView, useLiveState } from './liveView'
import { words } from './takeoverWords'

/** The browser's own tabs, when it has more than one. */
export function PageTabs({ view, isMine }: { view: LiveView; isMine: boolean }) {
  const t = useWords(words)
  const tabs = useLiveState(view, (state) => state.tabs)
  if (tabs.length < 2) return null
  return (
    <div
      role="group"
      aria-label={t('page.tabs')}
      className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2 py-1"
    >
      {tabs.map((tab) => (
        <button
          key={tab.index}
          type="button"
          disabled={!isMine}
          aria-current={tab.active ? 'page' : undefined}
          title={tab.url}
          onClick={() => view.send({ type: 'tab', index: tab.index })}
          className="touch h-7 max-w-52 shrink-0 truncate rounded-md px-2.5 text-xs text-muted enabled:hover:bg-s2 aria-[current]:bg-s2 aria-[current]:text-text"
        >
          {tab.title || hostOf(tab.url) || tab.url || t('page.new')}
        </button>
      ))}
    </div>
  )
}
