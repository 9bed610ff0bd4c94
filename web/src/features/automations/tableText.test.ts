import { expect, test } from 'vitest'
import { columnsText, readColumns } from './tableText'

test('columns are read as they are written', () => {
  const text = 'name, price:number, in stock : boolean, ratio: x'
  const schema = readColumns(text, null)
  expect(schema?.items.required).toEqual(['name', 'price', 'in stock', 'ratio: x'])
  expect(schema?.items.properties.price).toEqual({ type: 'number' })
  expect(schema?.items.properties['in stock']).toEqual({ type: 'boolean' })
  expect(columnsText(schema)).toBe('name, price:number, in stock:boolean, ratio: x')
  expect(readColumns(' , ', null)).toBeNull()
  expect(columnsText(null)).toBe('')
})

test('a known column keeps what else is set of it', () => {
  const known = {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string', enum: ['x'] } }, required: ['a'] },
    minItems: 3,
  } as never
  const schema = readColumns('a, b', known)
  expect(schema?.items.properties.a).toEqual({ type: 'string', enum: ['x'] })
  expect(schema).toMatchObject({ minItems: 3 })
  expect(readColumns('a:number', known)?.items.properties.a).toEqual({ type: 'number' })
})
