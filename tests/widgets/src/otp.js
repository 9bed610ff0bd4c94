import { OTPInput } from 'input-otp'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

const slot = ({ char }, at) => createElement('span', { key: at, style: { padding: 8, border: '1px solid' } }, char || ' ')
const render = ({ slots }) => slots.map(slot)
createRoot(window.place).render(createElement(OTPInput, { maxLength: 6, render, 'aria-label': 'Code' }))
