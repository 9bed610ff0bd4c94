import { ArrowUp, Info } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useConfig } from '@/api/queries'
import type { Config } from '@/api/types'
import { Composer } from '@/features/composer/Composer'
import { TaskPicker } from '@/features/composer/TaskPicker'
import { AttachmentChips } from '@/features/files/AttachmentChips'
import { hasAttachments } from '@/features/files/attachments'
import { DropZone } from '@/features/files/DropZone'
import { startWithFiles } from '@/features/files/sendWithFiles'
import { ColumnEditor } from '@/features/results/ColumnEditor'
import { changeColumns, takeSchema } from '@/features/results/columns'
import { Examples } from '@/features/start/Examples'
import { Notices } from '@/features/start/Notices'
import { words } from '@/features/start/startWords'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { rememberHere } from '@/lib/storage'
import { useTitle } from '@/lib/title'
import { takeSchedule } from '@/session/repeat'
import { type StartChoice, startSession } from '@/session/send'
import { Mark } from '@/ui/Brand'
import { IconButton } from '@/ui/IconButton'
import { SidebarButton } from '@/ui/SidebarButton'
import { AddMenu } from './AddMenu'

/** No session yet: what can be asked here, and the composer. */
export function StartPage() {
  const t = useWords(words)
  const config = useConfig()
  const [, go] = useLocation()
  const [choice, setChoice] = useState<StartChoice>({})
  const [filled, setFilled] = useState<{ text: string } | null>(null)
  const model = choice.model ?? config?.defaults.model
  const agent = choice.agent ?? config?.defaults.agent ?? ''
  const isDemo = config?.models.find((one) => one.id === model)?.demo ?? false
  useTitle('Pilothouse', 'none')
  const start = (text: string) => {
    if (takeSchedule(text, { agent, model, ask_first: choice.ask_first ?? false })) return
    rememberHere('draft.new', '')
    const schema = agent === 'assistant' ? null : takeSchema(null)
    const begin = hasAttachments(null) ? startWithFiles : startSession
    go(`/s/${begin(text, choice, schema)}`)
  }
  return (
    <div className="flex h-full flex-col overflow-y-auto">
      <header className="flex h-12 shrink-0 items-center px-2">
        <SidebarButton />
      </header>
      <div className="mx-auto flex w-full max-w-[720px] flex-1 flex-col justify-center gap-6 px-4 pb-[12vh]">
        <div>
          <Mark size={36} className="mb-4 text-accent-text" />
          <h1 className="text-2xl font-bold">{t('start.title')}</h1>
          <p className="mt-1 text-muted">{t('start.about')}</p>
        </div>
        {config && <Notices notices={config.notices} isDemo={isDemo} />}
        <DropZone sessionId={null}>
          <Composer
            sessionId={null}
            label={t('composer')}
            placeholder={t('composer.ask')}
            maxBytes={config?.limits.message_bytes}
            filled={filled}
            onSend={start}
            above={
              <>
                <AttachmentChips sessionId={null} />
                <ColumnEditor sessionId={null} agent={agent} />
              </>
            }
            tools={
              <>
                <AddMenu sessionId={null} agent={agent} />
                {config && <Picker config={config} choice={choice} onChange={setChoice} />}
              </>
            }
            actions={({ isEmpty, isTooLong, submit }) => (
              <IconButton
                filled
                label={t('send')}
                keys="enter"
                disabled={isEmpty || isTooLong}
                onClick={submit}
              >
                <ArrowUp size={18} aria-hidden />
              </IconButton>
            )}
          />
        </DropZone>
        {/* Which examples fit is known with the config. Until then they keep their place, and nothing changes under
            a pointer. */}
        <div className={cx(!config && 'invisible')}>
          <Examples
            kind={config?.mode === 'mock' ? 'mock' : isDemo ? 'demo' : 'model'}
            hasSample={config?.sample_site === 'here'}
            onStart={start}
            onPick={(text, columns) => {
              setFilled({ text })
              changeColumns(null, columns ? { isOn: true, columns } : { isOn: false, columns: [] })
            }}
          />
          {isDemo && config?.sample_site === 'out of reach' && (
            <p className="mt-2 text-xs text-muted">{t('start.no.sample')}</p>
          )}
        </div>
        <p className="flex gap-2 text-xs text-muted">
          <Info size={14} aria-hidden className="mt-0.5 shrink-0" />
          {t('start.limits')}
        </p>
      </div>
    </div>
  )
}

interface PickerProps {
  config: Config
  choice: StartChoice
  onChange: (choice: StartChoice) => void
}

function Picker({ config, choice, onChange }: PickerProps) {
  return (
    <TaskPicker
      config={config}
      value={{ ...config.defaults, ask_first: false, ...choice }}
      onChange={(change) => onChange({ ...choice, ...change })}
    />
  )
}
