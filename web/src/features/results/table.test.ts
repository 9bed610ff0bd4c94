import { expect, test } from 'vitest'
import type { Cell, ResultRow } from '@/api/types'
import type { ToolRow } from '@/stream/rows'
import { addColumn, changeColumns, takeSchema } from './columns'
import { nextOrder, readCell, sorted, tableOf, toTsv } from './table'

const row = (id: string, name: Cell, price: Cell): ResultRow => ({ id, at: 'then', values: { name, price } })
const rows = [
  row('1', 'Kettle 10', 5),
  row('2', 'kettle 9', null),
  row('3', 'Äpfel', 43.9),
  row('4', null, 12),
]
const ids = (list: ResultRow[]) => list.map(({ id }) => id).join('')

test('rows are sorted by value, those without one last', () => {
  expect(ids(sorted(rows, null, 'en'))).toBe('1234')
  expect(ids(sorted(rows, { column: 'price', down: false }, 'en'))).toBe('1432')
  expect(ids(sorted(rows, { column: 'price', down: true }, 'en'))).toBe('3412')
  expect(ids(sorted(rows, { column: 'name', down: false }, 'en'))).toBe('3214')
  expect(ids(rows)).toBe('1234')
})

test('a heading sorts up, down, then as recorded', () => {
  const up = nextOrder(null, 'name')
  expect(up).toEqual({ column: 'name', down: false })
  expect(nextOrder(up, 'price')).toEqual({ column: 'price', down: false })
  expect(nextOrder(nextOrder(up, 'name'), 'name')).toBeNull()
})

test('the table has the rows of all its steps, in the order of the columns', () => {
  const schema = {
    type: 'array' as const,
    items: {
      type: 'object' as const,
      properties: { 2024: { type: 'number' as const }, name: { type: 'string' as const } },
      required: ['name', '2024'],
    },
  }
  const step = (some: ResultRow[]) => ({ runId: 'r', result: { schema, rows: some } }) as unknown as ToolRow
  const table = tableOf([step(rows.slice(0, 1)), { result: null } as ToolRow, step(rows.slice(1))])
  expect(table?.columns.map(({ name }) => name)).toEqual(['name', '2024'])
  expect(table?.rows).toHaveLength(4)
  expect(tableOf([{ result: null } as ToolRow])).toBeNull()
})

test('a copy has no formulas and no cells within cells', () => {
  const columns = [
    { name: 'name', type: 'string' as const },
    { name: 'price', type: 'number' as const },
  ]
  const copied = toTsv(columns, [row('1', '=1+1', -2), row('2', 'a\tb\nc', null)])
  expect(copied).toBe("name\tprice\n'=1+1\t-2\na b c\t")
})

test('what is typed is read by the type of its column', () => {
  expect(readCell(' 1 299,50 ', { type: 'number' })).toBe(1299.5)
  expect(readCell('1.5', { type: 'integer' })).toBeUndefined()
  expect(readCell('dear', { type: 'number' })).toBeUndefined()
  expect(readCell('', { type: 'number' })).toBeNull()
  expect(readCell('true', { type: 'boolean' })).toBe(true)
  expect(readCell(' a ', { type: 'string' })).toBe('a')
})

test('a message takes the columns once, with the one that is still typed', () => {
  const add = (name: string) => {
    changeColumns('s', { isOn: true, name })
    return addColumn('s')
  }
  expect(takeSchema('s')).toBeNull()
  expect(add(' name ')).toBe(true)
  expect(add('NAME')).toBe(false)
  expect(add('missing')).toBe(false)
  changeColumns('s', { name: '2024', kind: 'integer' })
  expect(takeSchema('s')?.items).toEqual({
    type: 'object',
    properties: { name: { type: 'string' }, 2024: { type: 'integer' } },
    required: ['name', '2024'],
  })
  expect(takeSchema('s')).toBeNull()
})
