// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { FieldPicker } from './FieldPicker'
import { LiveView } from './liveView'
import type { Picker, ToServer } from './protocol'

afterEach(cleanup)

class WatchedView extends LiveView {
  sent: ToServer[] = []
  override send(message: ToServer) {
    this.sent.push(message)
  }
}

const option = (label: string, value: string, more = {}) => ({
  label,
  value,
  group: '',
  disabled: false,
  ...more,
})
const TOWNS: Picker = {
  kind: 'select',
  name: 'Town',
  value: '0',
  options: [
    option('Springfield', '0', { group: 'Missouri' }),
    option('Chicago', '1', { disabled: true }),
    option('Springfield', '2', { group: 'Oregon' }),
  ],
}

function shown(picker: Picker | null) {
  const view = new WatchedView('s 1')
  view.store.setState({ field: { keyboard: '', picker } })
  render(<FieldPicker view={view} keys={{ current: null }} />)
  return view
}

test('of two equal options the one that is pressed is chosen, and the list closes', () => {
  const view = shown(TOWNS)
  expect(screen.getByText('Oregon')).toBeTruthy()
  expect(screen.getByText<HTMLButtonElement>('Chicago').closest('button')?.disabled).toBe(true)
  fireEvent.click(screen.getAllByText('Springfield')[1]!)
  expect(view.sent).toEqual([{ type: 'choose', value: '2' }])
  expect(screen.queryByText('Oregon')).toBeNull()
})

test.each([
  ['date', '2027-03-05'],
  ['time', '14:30'],
  ['color', '#ff0000'],
] as const)('a %s is picked on this device', (kind, value) => {
  const view = shown({ kind, name: 'When', value: '', options: [] })
  fireEvent.change(screen.getByLabelText('When'), { target: { value } })
  expect(view.sent).toEqual([{ type: 'choose', value }])
})

test('a field that the browser opens no window for needs none here', () => {
  shown(null)
  expect(screen.queryByRole('button')).toBeNull()
})
