import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import type { SettingName } from './fields'
import { useSave } from './settingsDraft'
import { words } from './settingsWords'

/** A group of settings that is saved as one. */
export function SettingsForm({ names, children }: { names: SettingName[]; children: ReactNode }) {
  const t = useWords(words)
  const { isDirty, save, forget } = useSave(names)
  const [isBusy, setBusy] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const submit = async () => {
    setBusy(true)
    const fault = await save()
    setBusy(false)
    setFailure(fault)
    setSaved(fault === null)
  }
  return (
    <form
      className="flex flex-col gap-5"
      onChange={() => setSaved(false)}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {failure && (
        <p role="alert" className="text-sm text-danger">
          {failure}
        </p>
      )}
      <div role="status" className="sticky bottom-0 -mx-4 px-4">
        {isDirty && (
          <div className="flex items-center gap-2 border-t border-line bg-bg py-3">
            <span className="min-w-0 flex-1 text-sm text-muted">{t('settings.dirty')}</span>
            <Button tone="quiet" onClick={forget}>
              {t('settings.discard')}
            </Button>
            <Button type="submit" tone="primary" disabled={isBusy}>
              {t('settings.save')}
            </Button>
          </div>
        )}
        {!isDirty && isSaved && (
          <p className="flex items-center gap-1.5 py-2 text-sm text-ok">
            <Check size={15} aria-hidden />
            {t('settings.saved')}
          </p>
        )}
      </div>
    </form>
  )
}
