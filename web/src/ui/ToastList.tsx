import { Toast as Base } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useT } from '@/i18n'
import { type Note, useNotes } from './notes'

const toasts = Base.createToastManager()

function show({ title, action, timeout }: Note): void {
  const id = toasts.add({
    title,
    timeout,
    actionProps: action && {
      children: action.label,
      onClick: () => {
        action.act()
        toasts.close(id)
      },
    },
  })
}

export default function ToastList() {
  const waiting = useNotes((state) => state.waiting)
  useEffect(() => {
    if (waiting.length === 0) return
    useNotes.setState({ waiting: [] })
    waiting.forEach(show)
  }, [waiting])
  return (
    <Base.Provider toastManager={toasts} limit={3}>
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-3 top-14 z-40 mx-auto flex max-w-sm flex-col gap-2 md:right-4 md:left-auto md:mx-0 md:w-96">
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function List() {
  const t = useT()
  const { toasts: shown } = Base.useToastManager()
  return shown.map((item) => (
    <Base.Root
      key={item.id}
      toast={item}
      className="overlay rounded-lg border border-line bg-bg shadow-lg shadow-backdrop/10 data-[limited]:hidden"
    >
      <Base.Content className="flex items-center gap-2 py-1.5 pr-1.5 pl-4">
        <Base.Title className="min-w-0 flex-1 py-1 text-sm wrap-anywhere" />
        <Base.Action className="touch h-8 rounded-md px-2.5 text-sm font-medium text-accent-text hover:bg-s2" />
        <Base.Close
          aria-label={t('close')}
          className="touch flex size-8 items-center justify-center rounded-md text-muted hover:bg-s2"
        >
          <X size={16} aria-hidden />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ))
}
