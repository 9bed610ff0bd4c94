import { EditorView, basicSetup } from 'codemirror'
import { OTPInput } from 'input-otp'
import RcSlider from 'rc-slider'
import { useEffect, useRef } from 'react'
import { NumericFormat } from 'react-number-format'
import { Virtuoso } from 'react-virtuoso'
import { List } from 'react-window'
import { show, useHeld } from './show.js'

const PEOPLE = Array.from({ length: 500 }, (_, at) => `Person ${at + 1}`)
const Row = ({ index, style, choose }) => <button style={style} onClick={() => choose(PEOPLE[index])}>{PEOPLE[index]}</button>
show({
  slider: () => {
    const [, set] = useHeld(20)
    return <RcSlider ariaLabelForHandle="Amount" defaultValue={20} onChange={set} styles={{ handle: { width: 16, height: 16, position: 'absolute', background: 'black' }, rail: { height: 6, background: 'grey' } }} />
  },
  number: () => {
    const [, set] = useHeld(0)
    return <label>Amount <NumericFormat thousandSeparator="," onValueChange={(value) => set(value.floatValue)} /></label>
  },
  otp: () => {
    const [, set] = useHeld('')
    const render = ({ slots }) => slots.map(({ char }, at) => <span key={at} style={{ padding: 8, border: '1px solid' }}>{char || ' '}</span>)
    return <OTPInput maxLength={6} render={render} aria-label="Amount" onChange={set} />
  },
  code: () => {
    const place = useRef(null)
    useEffect(() => {
      const view = new EditorView({ doc: 'Old text', extensions: [basicSetup], parent: place.current })
      window.held = () => view.state.doc.toString()
      return () => view.destroy()
    }, [])
    return <div ref={place} />
  },
  window: () => {
    const [, set] = useHeld('')
    return <div style={{ height: 300 }}><List rowComponent={Row} rowCount={500} rowHeight={30} rowProps={{ choose: set }} /></div>
  },
  virtuoso: () => {
    const [, set] = useHeld('')
    return <Virtuoso style={{ height: 300 }} data={PEOPLE} itemContent={(_, name) => <button onClick={() => set(name)}>{name}</button>} />
  },
})
