import { MousePointerClick, Paperclip, Plus } from 'lucide-react'
import { useRef } from 'react'
import { FileInput } from '@/features/files/FileInput'
import { TableItem } from '@/features/results/TableItem'
import { useWords, wordbook } from '@/i18n'
import { usePointing } from '@/session/pointing/pointMarks'
import { words as pointingWords } from '@/session/pointing/pointingWords'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuItem } from '@/ui/Menu'

const words = wordbook('addMenu', { add: 'Add to the message' })

interface Props {
  sessionId: string | null
  /** Of the task that the message begins; without it no table can be asked for. */
  agent: string | null
}

/** What a message can have besides its words: files, marks on the page, the columns of a table. */
export function AddMenu({ sessionId, agent }: Props) {
  const t = useWords(words)
  const tellPoint = useWords(pointingWords)
  const point = usePointing((state) => state.point)
  const files = useRef<HTMLInputElement>(null)
  const trigger = (
    <IconButton small label={t('add')}>
      <Plus size={16} aria-hidden />
    </IconButton>
  )
  return (
    <>
      <FileInput ref={files} sessionId={sessionId} />
      <Menu trigger={trigger} align="start" side="top">
        <MenuItem icon={<Paperclip size={15} aria-hidden />} onSelect={() => files.current?.click()}>
          {t('attach')}
        </MenuItem>
        {sessionId !== null && (
          <MenuItem
            icon={<MousePointerClick size={15} aria-hidden />}
            onSelect={() => point({ picture: null })}
          >
            {tellPoint('point.title')}
          </MenuItem>
        )}
        {agent !== null && <TableItem sessionId={sessionId} agent={agent} />}
      </Menu>
    </>
  )
}
