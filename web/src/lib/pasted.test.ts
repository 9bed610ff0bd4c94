// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { filesIn, LONG_PASTE, longTextIn } from './pasted'

const picture = new File(['png'], 'image.png', { type: 'image/png' })

function data(files: File[], kinds: Record<string, string> = {}): DataTransfer {
  return { files, getData: (kind: string) => kinds[kind] ?? '' } as unknown as DataTransfer
}

test.each([
  [
    'cells are text',
    data([picture], { 'text/plain': 'a\t1\nb\t2', 'text/html': '<table><tr><td>a</td></tr></table>' }),
    0,
  ],
  ['a picture alone is a file', data([picture]), 1],
  [
    'a picture of a page is a file',
    data([picture], { 'text/plain': 'https://e.com/x', 'text/html': '<img src="https://e.com/x">' }),
    1,
  ],
  [
    'a picture among words is text',
    data([picture], { 'text/plain': 'a', 'text/html': '<p>a<img src="x"></p>' }),
    0,
  ],
  ['a file with its path is a file', data([picture], { 'text/plain': '/home/me/image.png' }), 1],
  ['two files are files', data([picture, picture], { 'text/plain': '/a\n/b' }), 2],
  ['words have no files', data([], { 'text/plain': 'a' }), 0],
])('%s', (_, from, count) => {
  expect(filesIn(from)).toHaveLength(count)
})

test('only a long text becomes a file', () => {
  const long = 'x'.repeat(LONG_PASTE + 1)
  expect(longTextIn(data([], { 'text/plain': long }))).toBe(long)
  expect(longTextIn(data([], { 'text/plain': long.slice(1) }))).toBeNull()
})
