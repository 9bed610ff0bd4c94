;([x, y, width, height], listening) => {
  const isIt = (el) => {
    const r = el.getBoundingClientRect()
    return [r.x - x, r.y - y, r.width - width, r.height - height].every((off) => Math.abs(off) <= 1)
  }
  const isField = (el) => (el?.matches?.('input[type=file]') && !el.disabled ? el : null)
  const fieldOf = (el) => {
    const inside = [...el.querySelectorAll('input[type=file]')].filter(isField)
    return isField(el) || isField(el.closest('label')?.control) || (inside.length === 1 ? inside[0] : null)
  }
  const found = [],
    search = (root) => {
      for (const el of root.querySelectorAll('*')) {
        if (isIt(el)) found.push(el)
        if (el.shadowRoot) search(el.shadowRoot)
      }
    }
  search(document)
  const field = found.map(fieldOf).find(Boolean),
    zone = found.find((el) => listening?.includes(el))
  globalThis.pilothouseUpload =
    field || Object.assign(document.createElement('input'), { type: 'file', multiple: true })
  globalThis.pilothouseZone = field ? null : zone
  return field ? 'field' : zone ? 'zone' : ''
}
