import { expect, test } from 'vitest'
import { readHeaders } from './headers'

test.each([
  ['', {}],
  ['Authorization: Bearer a:b', { Authorization: 'Bearer a:b' }],
  [' X-One: 1 \n\nX-Two:2', { 'X-One': '1', 'X-Two': '2' }],
  ['no colon', null],
  ['Empty:', null],
])('headers of %j', (text, headers) => {
  expect(readHeaders(text)).toEqual(headers)
})
