import { ArrowUp, CornerDownRight, ListEnd, Pause, Play, Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useConfig } from '@/api/queries'
import type { SendMode, Session } from '@/api/types'
import { ApprovalBar } from '@/features/questions/ApprovalBar'
import { useRunControls } from '@/features/chat/controls'
import { reveal } from '@/features/chat/reveal'
import { RunStrip } from '@/features/chat/RunStrip'
import { Composer } from '@/features/composer/Composer'
import { TaskPicker } from '@/features/composer/TaskPicker'
import { AttachmentChips } from '@/features/files/AttachmentChips'
import { DropZone } from '@/features/files/DropZone'
import { sendWithFiles } from '@/features/files/sendWithFiles'
import { ColumnEditor } from '@/features/results/ColumnEditor'
import { takeSchema } from '@/features/results/columns'
import { HeldBar } from '@/features/takeover/HeldBar'
import { useT } from '@/i18n'
import { useShortcuts } from '@/lib/keys'
import { PointerChips } from '@/session/pointing/PointerChips'
import { usePointing } from '@/session/pointing/pointMarks'
import { takeSchedule } from '@/session/repeat'
import { useSessionActions } from '@/session/sessionActions'
import { useLive } from '@/stream/store'
import { IconButton } from '@/ui/IconButton'
import { AddMenu } from './AddMenu'

/** The composer of a session: a new request, an answer to a question, or a word to a run at work. */
export function ChatComposer({ session }: { session: Session }) {
  const t = useT()
  const controls = useRunControls(session.id)
  const pending = useLive((state) => state.pending)
  const [mode, setMode] = useState<SendMode>('steer')
  const config = useConfig()
  const isBusy = controls.status !== null
  const isAsked = pending !== null
  const beginsTask = !isAsked && (!isBusy || mode === 'queue')
  const send = (text: string) => {
    const { id, agent, model, max_tool_steps, ask_first } = session
    if (takeSchedule(text, { agent, model, max_tool_steps, ask_first, created_from: id })) return
    const schema = beginsTask && session.agent !== 'assistant' ? takeSchema(session.id) : null
    // Should the question be closed by now, an answer becomes a word to the run.
    const lane = isAsked ? 'steer' : mode
    sendWithFiles(session.id, text, isBusy ? lane : null, schema)
  }
  const filled = useFilled()
  const togglePause = controls.status === 'paused' ? controls.resume : controls.pause
  const stop = () => isBusy && controls.stop()
  useShortcuts({ escape: () => stop(), 'mod+.': () => isBusy && togglePause() })

  const words = isAsked ? t('composer.answer') : isBusy ? t(`composer.${mode}`) : t('composer.ask')
  return (
    <div className="mx-auto w-full max-w-[792px] print:hidden px-4 pb-[max(16px,env(safe-area-inset-bottom))]">
      <HeldBar />
      <ApprovalBar onShow={reveal} />
      <RunStrip stopping={controls.isStopping} />
      <DropZone sessionId={session.id}>
        <Composer
          sessionId={session.id}
          label={t('composer')}
          placeholder={words}
          maxBytes={config?.limits.message_bytes}
          onSend={send}
          onEscape={stop}
          filled={filled}
          above={
            <>
              <PointerChips sessionId={session.id} />
              <AttachmentChips sessionId={session.id} />
              {beginsTask && <ColumnEditor sessionId={session.id} agent={session.agent} />}
            </>
          }
          tools={
            <>
              <AddMenu sessionId={session.id} agent={beginsTask ? session.agent : null} />
              {isBusy && !isAsked && <ModeChoice mode={mode} onChange={setMode} />}
              <span className={isBusy ? 'hidden min-w-0 @xl:flex' : 'contents'}>
                <Picker session={session} locked={isBusy ? t('model.locked') : undefined} />
              </span>
            </>
          }
          actions={({ isEmpty, isTooLong, submit }) => (
            <>
              {isBusy && (
                <>
                  <PauseButton status={controls.status} onClick={togglePause} />
                  <IconButton
                    label={t('stop')}
                    keys="escape"
                    disabled={controls.isStopping}
                    onClick={controls.stop}
                  >
                    <Square size={14} fill="currentColor" aria-hidden />
                  </IconButton>
                </>
              )}
              {(!isBusy || !isEmpty) && (
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
            </>
          )}
        />
      </DropZone>
    </div>
  )
}

/** Text that came with marks, until the composer has it. */
function useFilled(): { text: string } | null {
  const filled = usePointing((state) => state.filled)
  useEffect(() => {
    if (filled) usePointing.setState({ filled: null })
  }, [filled])
  return filled
}

function PauseButton({ status, onClick }: { status: string | null; onClick: () => void }) {
  const t = useT()
  if (status === 'waiting_user' || status === 'queued') return null
  const isPaused = status === 'paused'
  return (
    <IconButton label={isPaused ? t('resume') : t('pause')} keys="mod+." onClick={onClick}>
      {isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
    </IconButton>
  )
}

function Picker({ session, locked }: { session: Session; locked: string | undefined }) {
  const config = useConfig()
  const { patch } = useSessionActions()
  if (!config) return null
  return (
    <TaskPicker
      {...{ config, locked }}
      value={session}
      onChange={(change) => void patch(session.id, change)}
    />
  )
}

/** When a message sent during a run is read. */
function ModeChoice({ mode, onChange }: { mode: SendMode; onChange: (mode: SendMode) => void }) {
  const t = useT()
  return (
    <div role="radiogroup" aria-label={t('mode')} className="flex rounded-md bg-s2 p-0.5">
      {(['steer', 'queue'] as const).map((value) => (
        <label
          key={value}
          title={t(`mode.${value}.note`)}
          className="touch flex h-6 items-center gap-1 rounded-sm px-2 text-xs text-muted has-checked:bg-bg has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name="send-mode"
            className="sr-only"
            checked={mode === value}
            onChange={() => onChange(value)}
          />
          {value === 'steer' ? <CornerDownRight size={13} aria-hidden /> : <ListEnd size={13} aria-hidden />}
          {t(`mode.${value}`)}
        </label>
      ))}
    </div>
  )
}
