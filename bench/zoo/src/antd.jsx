import { Checkbox, DatePicker, Input, InputNumber, Radio, Select, Slider, Switch, TreeSelect } from 'antd'
import { FRUITS, show, useHeld } from './show.js'

const options = FRUITS.map((label) => ({ label, value: label }))
const style = { width: 240 }
show({
  select: () => {
    const [, set] = useHeld('')
    return <Select aria-label="Fruit" style={style} options={options} onChange={set} />
  },
  search: () => {
    const [, set] = useHeld('')
    return <Select showSearch aria-label="Fruit" style={style} options={options} onChange={set} />
  },
  multi: () => {
    const [, set] = useHeld('Apple')
    return <Select mode="multiple" aria-label="Fruit" style={style} options={options} defaultValue={['Apple']} onChange={(all) => set(all.join())} />
  },
  tree: () => {
    const [, set] = useHeld('')
    const data = [{ title: 'Stone', value: 'Stone', children: [{ title: 'Cherry', value: 'Cherry' }] }]
    return <TreeSelect aria-label="Fruit" style={style} treeData={data} treeDefaultExpandAll onChange={set} />
  },
  date: () => {
    const [, set] = useHeld('')
    return <label>Day <DatePicker onChange={(_, text) => set(text)} /></label>
  },
  slider: () => {
    const [, set] = useHeld(20)
    return <Slider ariaLabelForHandle="Amount" defaultValue={20} onChange={set} />
  },
  number: () => {
    const [, set] = useHeld(1)
    return <InputNumber aria-label="Amount" defaultValue={1} onChange={set} />
  },
  area: () => {
    const [, set] = useHeld('Old text')
    return <Input.TextArea aria-label="Note" defaultValue="Old text" rows={4} onChange={(event) => set(event.target.value)} />
  },
  switch: () => {
    const [value, set] = useHeld(false)
    return <Switch aria-label="Agree" checked={value} onChange={set} />
  },
  checkbox: () => {
    const [value, set] = useHeld(false)
    return <Checkbox checked={value} onChange={(event) => set(event.target.checked)}>Agree</Checkbox>
  },
  radio: () => {
    const [value, set] = useHeld('a')
    return (
      <Radio.Group value={value} onChange={(event) => set(event.target.value)}>
        <Radio value="a">Later</Radio><Radio value="b">Agree</Radio>
      </Radio.Group>
    )
  },
})
