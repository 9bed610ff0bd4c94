import type { ColumnSchema, ResultSchema } from '@/api/types'

type Kind = ColumnSchema['type']

/** `name, price:number` as people write columns, here and in the command line. */
const KINDS: Record<string, Kind> = {
  text: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}
const NAMES: Record<Kind, string> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}

export function columnsText(schema: ResultSchema | null): string {
  const { required = [], properties = {} } = schema?.items ?? {}
  return required.map((name) => nameWithKind(name, properties[name]?.type ?? 'string')).join(', ')
}

const nameWithKind = (name: string, kind: Kind) => (kind === 'string' ? name : `${name}:${NAMES[kind]}`)

/** The table with these columns; known ones keep what else is set of them. Null without any. */
export function readColumns(text: string, known: ResultSchema | null): ResultSchema | null {
  const columns = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part): [string, ColumnSchema] => {
      const [, named = part, word = ''] = /^(.*?)\s*:\s*(\w+)$/.exec(part) ?? []
      const kind = KINDS[word.toLowerCase()]
      const name = kind ? named : part
      const before = known?.items.properties[name]
      return [name, before?.type === (kind ?? 'string') ? before : { type: kind ?? 'string' }]
    })
  if (!columns.length) return null
  const properties = Object.fromEntries(columns)
  return { ...known, type: 'array', items: { type: 'object', properties, required: Object.keys(properties) } }
}
