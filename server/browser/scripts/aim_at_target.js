;() => {
  const el = globalThis.pilothouseTarget,
    { x, y, width, height } = el.getBoundingClientRect()
  const at = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) },
    top = document.elementFromPoint(at.x, at.y)
  if (!el.isConnected || !top || !(el.contains(top) || top.contains(el))) return null
  const guard = { isHit: false },
    kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick']
  const judge = (event) => {
    if (event.composedPath().includes(el)) guard.isHit ||= event.type === 'click'
    else {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  guard.end = () => {
    for (const kind of kinds) removeEventListener(kind, judge, true)
    return guard.isHit
  }
  for (const kind of kinds) addEventListener(kind, judge, true)
  globalThis.pilothouseGuard = guard
  return at
}
