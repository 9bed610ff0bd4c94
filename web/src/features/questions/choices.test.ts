import { expect, test } from 'vitest'
import { choicesOf } from './choices'

test('numbered lines are choices, and the rest is the question', () => {
  const reason =
    '2 elements fit “Log in”:\n\n1. button “Log in” (head)\n2. link “Log in” (foot)\n\nWhich one?'
  expect(choicesOf(reason)).toEqual({
    text: '2 elements fit “Log in”:\n\nWhich one?',
    choices: ['button “Log in” (head)', 'link “Log in” (foot)'],
  })
})

test('a question with one number or with none is asked as it is', () => {
  for (const reason of ['Which size?', 'See this:\n1. only one', 'In 2024. it was\n3. third\n7. seventh'])
    expect(choicesOf(reason)).toEqual({ text: reason, choices: [] })
})
