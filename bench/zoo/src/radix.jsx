import { Checkbox, ContextMenu, Dialog, DropdownMenu, Label, Select, Slider, ToggleGroup } from 'radix-ui'
import { useState } from 'react'
import { FRUITS, show, useHeld } from './show.js'

const NAMES = ['Rename', 'Duplicate']
const white = { background: 'white', border: '1px solid', padding: 8 }
show({
  select: () => {
    const [value, set] = useHeld('')
    return (
      <Select.Root value={value} onValueChange={set}>
        <Select.Trigger aria-label="Fruit"><Select.Value placeholder="Choose" /></Select.Trigger>
        <Select.Portal>
          <Select.Content style={white}>
            <Select.Viewport>
              {FRUITS.map((one) => <Select.Item key={one} value={one}><Select.ItemText>{one}</Select.ItemText></Select.Item>)}
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
    )
  },
  slider: () => {
    const [value, set] = useHeld(20)
    const thumb = { display: 'block', width: 20, height: 20, background: 'black' }
    return (
      <Slider.Root value={[value]} onValueChange={([one]) => set(one)} style={{ position: 'relative', display: 'flex', width: 300, height: 20 }}>
        <Slider.Track style={{ background: 'grey', flexGrow: 1 }}><Slider.Range /></Slider.Track>
        <Slider.Thumb aria-label="Amount" style={thumb} />
      </Slider.Root>
    )
  },
  checkbox: () => {
    const [value, set] = useHeld(false)
    return (
      <>
        <Checkbox.Root id="f" checked={value} onCheckedChange={set} style={{ width: 20, height: 20 }}><Checkbox.Indicator>x</Checkbox.Indicator></Checkbox.Root>
        <Label.Root htmlFor="f">Agree</Label.Root>
      </>
    )
  },
  toggle: () => {
    const [value, set] = useHeld('')
    return (
      <ToggleGroup.Root type="single" value={value} onValueChange={set}>
        <ToggleGroup.Item value="bold">Bold</ToggleGroup.Item><ToggleGroup.Item value="italic">Italic</ToggleGroup.Item>
      </ToggleGroup.Root>
    )
  },
  menu: () => {
    const [, set] = useHeld('')
    return (
      <DropdownMenu.Root>
        <DropdownMenu.Trigger>More</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content style={white}>
            {NAMES.map((one) => <DropdownMenu.Item key={one} onSelect={() => set(one)}>{one}</DropdownMenu.Item>)}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    )
  },
  context: () => {
    const [, set] = useHeld('')
    return (
      <ContextMenu.Root>
        <ContextMenu.Trigger><div tabIndex={0} style={{ padding: 20 }}>report.txt</div></ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content style={white}>
            {NAMES.map((one) => <ContextMenu.Item key={one} onSelect={() => set(one)}>{one}</ContextMenu.Item>)}
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
    )
  },
  dialog: () => {
    const [value, set] = useHeld('a.txt')
    const [draft, write] = useState('')
    return (
      <Dialog.Root>
        <p>{value}</p>
        <Dialog.Trigger>Rename</Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay style={{ position: 'fixed', inset: 0, background: '#0008' }} />
          <Dialog.Content aria-describedby={undefined} style={{ ...white, position: 'fixed', top: 90, left: 90 }}>
            <Dialog.Title>Rename the file</Dialog.Title>
            <label>New name <input value={draft} onChange={(event) => write(event.target.value)} /></label>
            <Dialog.Close onClick={() => set(draft)}>Save</Dialog.Close>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    )
  },
})
