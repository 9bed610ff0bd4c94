import { describe, expect, it } from 'vitest'
import { splitAttached, withAttached } from './attached'

describe('names of attached files', () => {
  it('are no part of the words', () => {
    expect(splitAttached(withAttached('open it\n\nnow', ['a.txt', 'b.pdf']))).toEqual({
      words: 'open it\n\nnow',
      names: ['a.txt', 'b.pdf'],
    })
  })

  it('may stand alone, and in Russian', () => {
    expect(splitAttached(withAttached('', ['a.txt']))).toEqual({ words: '', names: ['a.txt'] })
    expect(splitAttached('вот\n\nПриложенные файлы: a.txt')).toEqual({ words: 'вот', names: ['a.txt'] })
  })

  it('are only read from the last paragraph', () => {
    const quoted = 'it says\n\nAttached files: a.txt\n\nwhy?'
    expect(splitAttached(quoted)).toEqual({ words: quoted, names: [] })
    expect(withAttached('x', [])).toBe('x')
  })
})
