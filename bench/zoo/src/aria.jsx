import { parseDate } from '@internationalized/date'
import {
  Button, ComboBox, DateField, DateInput, DateSegment, Group, I18nProvider, Input, Label, ListBox, ListBoxItem,
  NumberField, Popover, Select, SelectValue, Slider, SliderThumb, SliderTrack, Switch,
} from 'react-aria-components'
import { FRUITS, show, useHeld } from './show.js'

const list = <Popover><ListBox>{FRUITS.map((one) => <ListBoxItem key={one} id={one}>{one}</ListBoxItem>)}</ListBox></Popover>
show({
  select: () => {
    const [, set] = useHeld('')
    return <Select onSelectionChange={set} onChange={set}><Label>Fruit</Label><Button><SelectValue /></Button>{list}</Select>
  },
  combobox: () => {
    const [, set] = useHeld('')
    return <ComboBox onSelectionChange={set} onChange={set}><Label>Fruit</Label><Input /><Button>v</Button>{list}</ComboBox>
  },
  slider: () => {
    const [value, set] = useHeld(20)
    return (
      <Slider value={value} onChange={set} style={{ width: 300 }}>
        <Label>Amount</Label>
        <SliderTrack style={{ position: 'relative', height: 30, background: 'grey' }}>
          <SliderThumb style={{ width: 20, height: 20, top: 15, background: 'black' }} />
        </SliderTrack>
      </Slider>
    )
  },
  number: () => {
    const [value, set] = useHeld(1)
    return (
      <I18nProvider locale="en-GB">
        <NumberField value={value} onChange={set}><Label>Amount</Label><Group><Button slot="decrement">-</Button><Input /><Button slot="increment">+</Button></Group></NumberField>
      </I18nProvider>
    )
  },
  date: () => {
    const [value, set] = useHeld(parseDate('2026-01-01'))
    window.held = () => String(value)
    return (
      <I18nProvider locale="en-US">
        <DateField value={value} onChange={(one) => one && set(one)}><Label>Day</Label><DateInput>{(part) => <DateSegment segment={part} />}</DateInput></DateField>
      </I18nProvider>
    )
  },
  switch: () => {
    const [value, set] = useHeld(false)
    return <Switch isSelected={value} onChange={set}><div style={{ width: 30, height: 15, background: 'grey' }} />Agree</Switch>
  },
})
