import {
  ArrowDown,
  ArrowUp,
  Circle,
  CircleCheck,
  CircleDot,
  CircleSlash,
  Ellipsis,
  OctagonAlert,
  PenLine,
  Trash2,
} from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { useT, useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuItem } from '@/ui/Menu'
import { TextEditor } from '@/ui/TextEditor'
import { words } from './planWords'
import { type PlanStep, STEP_CHARS, type StepStatus } from './steps'
import type { Plan } from './usePlan'

const LOOK: Record<StepStatus, { icon: React.ReactNode; text: string }> = {
  todo: { icon: <Circle size={16} className="text-faint" />, text: 'text-muted' },
  doing: { icon: <CircleDot size={16} className="text-accent-text" />, text: 'font-medium text-text' },
  done: { icon: <CircleCheck size={16} className="text-ok" />, text: 'text-muted' },
  failed: { icon: <OctagonAlert size={16} className="text-warn" />, text: 'text-text' },
  skipped: { icon: <CircleSlash size={16} className="text-faint" />, text: 'text-muted line-through' },
}

const DRAGGED = 'application/x-plan-step'

interface Props {
  step: PlanStep
  index: number
  /** null: it cannot be changed. */
  plan: Plan | null
}

/** A step of the plan: dragged, or moved, reworded and removed from its menu. */
export function PlanItem({ step, index, plan }: Props) {
  const t = useWords(words)
  const [isEditing, setEditing] = useState(false)
  const [isOver, setOver] = useState(false)
  const look = LOOK[step.status]
  const isDrop = (event: DragEvent) => event.dataTransfer.types.includes(DRAGGED)
  const drop = (event: DragEvent) => {
    setOver(false)
    if (isDrop(event)) plan?.move(Number(event.dataTransfer.getData(DRAGGED)), index)
  }
  const rename = (text: string | null) => {
    setEditing(false)
    if (text) plan?.rename(index, text)
  }
  return (
    <li
      aria-current={step.status === 'doing' ? 'step' : undefined}
      draggable={plan !== null && !isEditing}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, String(index))}
      onDragOver={(event) => {
        if (!isDrop(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cx(
        'group flex items-start gap-2.5 rounded-md border-t-2 px-2 py-1 text-sm',
        isOver ? 'border-accent' : 'border-transparent',
        step.status === 'doing' && 'bg-accent-soft',
      )}
    >
      <span className="mt-1 shrink-0 pointer-coarse:mt-3.5">{look.icon}</span>
      <span className="sr-only">{t(`step.${step.status}`)}: </span>
      {isEditing ? (
        <TextEditor
          label={t('plan.step')}
          text={step.text}
          most={STEP_CHARS}
          onDone={rename}
          className="min-w-0 flex-1"
        />
      ) : (
        <span dir="auto" className={cx('min-w-0 flex-1 py-0.5 wrap-anywhere pointer-coarse:py-3', look.text)}>
          {step.text}
        </span>
      )}
      {plan && <StepMenu index={index} plan={plan} onEdit={() => setEditing(true)} />}
    </li>
  )
}

function StepMenu({ index, plan, onEdit }: { index: number; plan: Plan; onEdit: () => void }) {
  const t = useT()
  const more = (
    <IconButton
      small
      label={t('plan.more', { n: index + 1 })}
      className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-[popup-open]:opacity-100 pointer-coarse:opacity-100"
    >
      <Ellipsis size={15} aria-hidden />
    </IconButton>
  )
  const isLast = index === plan.plan.length - 1
  return (
    <Menu trigger={more}>
      <MenuItem icon={<PenLine size={15} aria-hidden />} onSelect={onEdit}>
        {t('edit')}
      </MenuItem>
      <MenuItem
        icon={<ArrowUp size={15} aria-hidden />}
        disabled={index === 0}
        onSelect={() => plan.move(index, index - 1)}
      >
        {t('plan.up')}
      </MenuItem>
      <MenuItem
        icon={<ArrowDown size={15} aria-hidden />}
        disabled={isLast}
        onSelect={() => plan.move(index, index + 1)}
      >
        {t('plan.down')}
      </MenuItem>
      <MenuItem
        danger
        icon={<Trash2 size={15} aria-hidden />}
        disabled={plan.plan.length === 1}
        onSelect={() => plan.remove(index)}
      >
        {t('plan.remove')}
      </MenuItem>
    </Menu>
  )
}
