import { useState } from 'react'
import type { Automation, ResultSchema } from '@/api/types'
import { useWords } from '@/i18n'
import { Field } from '@/ui/Field'
import { words } from './automationWords'
import { columnsText, readColumns } from './tableText'

interface Props {
  schema: Automation['result_schema']
  onChange: (schema: Automation['result_schema']) => void
}

/** The table that the runs fill, as `name, price:number`. */
export function TableField({ schema, onChange }: Props) {
  const t = useWords(words)
  const known = schema as ResultSchema | null
  const [text, setText] = useState(() => columnsText(known))
  return (
    <Field
      maxLength={1000}
      label={t('auto.table')}
      hint={t('auto.table.hint')}
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        onChange(readColumns(event.target.value, known) as Automation['result_schema'])
      }}
    />
  )
}
