import {
  Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Field, Label, Listbox, ListboxButton, ListboxOption,
  ListboxOptions, Menu, MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch,
} from '@headlessui/react'
import { useSelect } from 'downshift'
import { useState } from 'react'
import { FRUITS, show, useHeld } from './show.js'

show({
  listbox: () => {
    const [value, set] = useHeld('')
    return (
      <Field>
        <Label>Fruit</Label>
        <Listbox value={value} onChange={set}>
          <ListboxButton>{value || 'Choose'}</ListboxButton>
          <ListboxOptions anchor="bottom">
            {FRUITS.map((one) => <ListboxOption key={one} value={one}>{one}</ListboxOption>)}
          </ListboxOptions>
        </Listbox>
      </Field>
    )
  },
  combobox: () => {
    const [value, set] = useHeld('')
    const [query, search] = useState('')
    const found = FRUITS.filter((one) => one.toLowerCase().includes(query.toLowerCase()))
    return (
      <Combobox value={value} onChange={set} onClose={() => search('')}>
        <ComboboxInput aria-label="Fruit" onChange={(event) => search(event.target.value)} />
        <ComboboxOptions anchor="bottom">
          {found.map((one) => <ComboboxOption key={one} value={one}>{one}</ComboboxOption>)}
        </ComboboxOptions>
      </Combobox>
    )
  },
  downshift: () => {
    const [value, set] = useHeld('')
    const it = useSelect({ items: FRUITS, selectedItem: value, onSelectedItemChange: (change) => set(change.selectedItem) })
    return (
      <>
        <label {...it.getLabelProps()}>Fruit</label>
        <div {...it.getToggleButtonProps()}>{value || 'Choose'}</div>
        <ul {...it.getMenuProps()}>
          {it.isOpen && FRUITS.map((item, index) => <li key={item} {...it.getItemProps({ item, index })}>{item}</li>)}
        </ul>
      </>
    )
  },
  switch: () => {
    const [value, set] = useHeld(false)
    const style = { width: 40, height: 20, background: value ? 'green' : 'grey' }
    return <Field><Switch checked={value} onChange={set} style={style} /><Label>Agree</Label></Field>
  },
  radio: () => {
    const [value, set] = useHeld('a')
    const one = (key, text) => <Field><Radio value={key}>o</Radio><Label>{text}</Label></Field>
    return <RadioGroup value={value} onChange={set}>{one('a', 'Later')}{one('b', 'Agree')}</RadioGroup>
  },
  menu: () => {
    const [, set] = useHeld('')
    return (
      <Menu>
        <MenuButton>More</MenuButton>
        <MenuItems anchor="bottom">
          {['Rename', 'Duplicate'].map((one) => <MenuItem key={one}><button onClick={() => set(one)}>{one}</button></MenuItem>)}
        </MenuItems>
      </Menu>
    )
  },
})
