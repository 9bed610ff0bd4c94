import { useState } from 'react'
import type { ResultSchema } from '@/api/types'
import { useWords } from '@/i18n'
import { Field } from '@/ui/Field'
import { words } from './automationWords'
import { columnsText, readColumns } from './tableText'

interface Props {
  schema: ResultSchema | null
  onChange: (schema: ResultSchema | null) => void
}

/** The table that the runs fill, as `name, price:number`. */
export function TableField({ schema, onChange }: Props) {
  const t = useWords(words)
  const [text, setText] = useState(() => columnsText(schema))
  return (
    <Field
      maxLength={1000}
      label={t('auto.table')}
      hint={t('auto.table.hint')}
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        onChange(readColumns(event.target.value, schema))
      }}
    />
  )
}
