import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'
import OtpInput from 'react-otp-input'

const Boxes = () => {
  const [value, onChange] = useState('')
  return createElement(OtpInput, { value, onChange, numInputs: 6, renderInput: (props) => createElement('input', props) })
}
createRoot(window.place).render(createElement(Boxes))
