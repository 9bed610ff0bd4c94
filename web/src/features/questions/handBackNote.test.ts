import { expect, it } from 'vitest'
import { wordsIn } from './handBackNote'

it('shows what the person said, not what the agent is told of the page', () => {
  const changes = 'The page is now http://a.example/. Values were entered in "User".'
  expect(wordsIn(changes)).toBe('')
  expect(wordsIn('No change can be seen.')).toBe('')
  expect(wordsIn('2 tabs are open, 1 were.')).toBe('')
  expect(wordsIn(`${changes} The person says: "I am "in""`)).toBe('I am "in"')
  expect(wordsIn('The code is wrong')).toBe('The code is wrong')
})
