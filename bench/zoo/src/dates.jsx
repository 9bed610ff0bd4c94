import DatePicker from 'react-datepicker'
import { DayPicker } from 'react-day-picker'
import { show, useHeld } from './show.js'

const written = (day) => (day ? [day.getFullYear(), day.getMonth() + 1, day.getDate()].join('-') : '')
show({
  picker: () => {
    const [value, set] = useHeld(null)
    window.held = () => written(value)
    return <label>Day <DatePicker selected={value} onChange={set} dateFormat="yyyy-MM-dd" /></label>
  },
  days: () => {
    const [value, set] = useHeld(undefined)
    window.held = () => written(value)
    return <DayPicker mode="single" selected={value} onSelect={set} defaultMonth={new Date(2027, 2)} />
  },
})
