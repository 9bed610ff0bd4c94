import { CircleX, Hand, MessageCircleQuestionMark, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Mark } from '@/session/shots'

interface Look {
  icon: ReactNode
  line: string
  word: 'tool.failed' | 'shot.mark.approval' | 'shot.mark.handover' | 'shot.mark.question'
}

export const MARK_LOOK: Record<Mark, Look> = {
  failed: { icon: <CircleX size={13} className="text-danger" />, line: 'bg-danger', word: 'tool.failed' },
  approval: {
    icon: <ShieldAlert size={13} className="text-warn" />,
    line: 'bg-warn',
    word: 'shot.mark.approval',
  },
  question: {
    icon: <MessageCircleQuestionMark size={13} className="text-info" />,
    line: 'bg-info',
    word: 'shot.mark.question',
  },
  handover: { icon: <Hand size={13} className="text-info" />, line: 'bg-info', word: 'shot.mark.handover' },
}
