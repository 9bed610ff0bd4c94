import Select from 'react-select'
import { FRUITS, show, useHeld } from './show.js'

const options = FRUITS.map((label) => ({ label, value: label }))
show({
  single: () => {
    const [, set] = useHeld('')
    return <Select aria-label="Fruit" options={options} onChange={(one) => set(one.value)} />
  },
  multi: () => {
    const [, set] = useHeld('Apple')
    const change = (all) => set(all.map((one) => one.value).join())
    return <Select isMulti aria-label="Fruit" options={options} defaultValue={[options[0]]} onChange={change} />
  },
})
