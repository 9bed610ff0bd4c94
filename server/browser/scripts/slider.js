;(at, first) => {
  const el = globalThis.pilothouseFields[at]?.input
  if (!el?.isConnected) return null
  if (first === 'focus') {
    el.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    el.focus({ preventScroll: true })
  }
  const { x, y, width, height } = el.getBoundingClientRect()
  const number = (name, otherwise) => {
    const written = el.getAttribute(name)
    return written !== null && Number.isFinite(+written) ? +written : otherwise
  }
  return {
    now: number('aria-valuenow', 0),
    low: number('aria-valuemin', 0),
    high: number('aria-valuemax', 100),
    x: x + width / 2,
    y: y + height / 2,
    tall: el.getAttribute('aria-orientation') === 'vertical',
  }
}
