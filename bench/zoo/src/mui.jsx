import {
  Autocomplete, Button, Checkbox, FormControl, FormControlLabel, InputLabel, Menu, MenuItem, Rating, Select, Slider,
  Switch, Tab, Tabs, TextField,
} from '@mui/material'
import { useState } from 'react'
import { FRUITS, show, useHeld } from './show.js'

const field = (props) => <TextField {...props} label="Fruit" />
show({
  select: () => {
    const [value, set] = useHeld('')
    return (
      <FormControl fullWidth>
        <InputLabel id="l">Fruit</InputLabel>
        <Select labelId="l" label="Fruit" value={value} onChange={(event) => set(event.target.value)}>
          {FRUITS.map((one) => <MenuItem key={one} value={one}>{one}</MenuItem>)}
        </Select>
      </FormControl>
    )
  },
  autocomplete: () => {
    const [value, set] = useHeld(null)
    return <Autocomplete options={FRUITS} value={value} onChange={(_, one) => set(one)} renderInput={field} />
  },
  multi: () => {
    const [value, set] = useState(['Apple'])
    window.held = () => value.join()
    return <Autocomplete multiple options={FRUITS} value={value} onChange={(_, all) => set(all)} renderInput={field} />
  },
  slider: () => {
    const [value, set] = useHeld(20)
    return <Slider aria-label="Amount" value={value} onChange={(_, one) => set(one)} />
  },
  text: () => {
    const [value, set] = useHeld('Old text')
    return <TextField multiline label="Note" value={value} onChange={(event) => set(event.target.value)} />
  },
  switch: () => {
    const [value, set] = useHeld(false)
    return <FormControlLabel label="Agree" control={<Switch checked={value} onChange={(event) => set(event.target.checked)} />} />
  },
  checkbox: () => {
    const [value, set] = useHeld(false)
    return <FormControlLabel label="Agree" control={<Checkbox checked={value} onChange={(event) => set(event.target.checked)} />} />
  },
  rating: () => {
    const [value, set] = useHeld(1)
    return <Rating value={value} onChange={(_, one) => set(one)} />
  },
  menu: () => {
    const [, set] = useHeld('')
    const [at, open] = useState(null)
    const choose = (one) => { set(one); open(null) }
    return (
      <>
        <Button onClick={(event) => open(event.currentTarget)}>More</Button>
        <Menu anchorEl={at} open={Boolean(at)} onClose={() => open(null)}>
          {['Rename', 'Duplicate'].map((one) => <MenuItem key={one} onClick={() => choose(one)}>{one}</MenuItem>)}
        </Menu>
      </>
    )
  },
  tabs: () => {
    const [value, set] = useHeld(0)
    return <Tabs value={value} onChange={(_, one) => set(one)}><Tab label="First" /><Tab label="Second" /></Tabs>
  },
})
