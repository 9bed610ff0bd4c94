// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { Composer } from './Composer'

afterEach(cleanup)

function open(maxBytes?: number) {
  const onSend = vi.fn()
  render(
    <Composer
      sessionId={null}
      placeholder=""
      label="Message"
      onSend={onSend}
      maxBytes={maxBytes}
      tools={null}
      actions={({ isEmpty, isTooLong, submit }) => (
        <button type="button" disabled={isEmpty || isTooLong} onClick={submit}>
          Send
        </button>
      )}
    />,
  )
  const box = screen.getByRole('textbox')
  return { onSend, box, write: (text: string) => fireEvent.change(box, { target: { value: text } }) }
}

test('a message is measured as the server does it, and what is too long stays in the box', async () => {
  const { onSend, box, write } = open(10)
  write('ийийи')
  expect(screen.queryByRole('alert')).toBeNull()
  write('ийийий')
  expect(screen.getByRole('alert').textContent).toContain('by 1 character')
  expect((screen.getByRole('button') as HTMLButtonElement).disabled).toBe(true)
  await userEvent.type(box, '{Enter}')
  expect(onSend).not.toHaveBeenCalled()
  expect((box as HTMLTextAreaElement).value).toContain('ийийий')
  write('ийийи  ')
  await userEvent.click(screen.getByRole('button'))
  expect(onSend).toHaveBeenCalledWith('ийийи')
})

test('without a known limit nothing is too long', () => {
  open().write('x'.repeat(100_000))
  expect(screen.queryByRole('alert')).toBeNull()
})
