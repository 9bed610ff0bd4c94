;() =>
  (globalThis.pilothouseFields || []).map((one) => {
    const el = one?.input
    if (el?.isConnected && one.text) return { value: one.text(), editor: true }
    if (el?.isConnected && one.parts)
      return {
        value: one.parts.map((part) => part.value).join(''),
        parts: one.parts.map((part) => Math.max(1, part.maxLength)),
      }
    if (!el?.isConnected || ['password', 'file'].includes(el.type)) return null
    if (['checkbox', 'radio'].includes(el.type)) return { checked: el.checked }
    if (el.matches('video,audio')) return { playing: !el.paused }
    if (el.value === undefined && el.matches('[role=slider],[role=spinbutton]'))
      return { value: el.ariaValueNow || '', slides: el.matches('[role=slider]') }
    if (el.tagName !== 'SELECT' && el.value === undefined) return { checked: el.ariaChecked === 'true' }
    if (el.tagName !== 'SELECT')
      return {
        value: el.value,
        locked: !!el.readOnly,
        line: /^(text|search|tel|url|email|number)$/.test(el.type) && !el.readOnly,
      }
    const isOff = (one) => one.disabled || one.parentElement?.disabled
    return {
      several: el.multiple,
      options: [...el.options].map((one) => ({
        name: (one.label || one.text).trim().replace(/\s+/g, ' '),
        group: one.parentElement?.label || '',
        disabled: !!isOff(one),
        chosen: one.selected,
      })),
    }
  })
