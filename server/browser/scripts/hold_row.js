;(box, label) => {
  // The words that set the target apart from those of the same name must still be with it when it is pressed: a list may
  // fill its rows with other entries between the last look and the press.
  globalThis.pilothouseRow?.end()
  const MOST_TWINS = 60,
    LONG = 5000,
    PRESSED =
      'a,button,input,summary,label,[role=button],[role=link],[role=menuitem],[role=checkbox],[role=switch]'
  const isThere = (el) => {
    const { x, y, width, height } = el.getBoundingClientRect()
    return [x, y, width, height].every((side, at) => Math.abs(side - box[at]) <= 1)
  }
  const find = (root) => {
    const all = [...root.querySelectorAll('*')]
    const inside = all.filter((one) => one.shadowRoot).map((one) => find(one.shadowRoot))
    const there = all.filter(isThere)
    return there.find((one) => one.matches(PRESSED)) || inside.find(Boolean) || there.at(-1)
  }
  const el = find(document)
  if (!el) return ''
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []
  const asked = words(label)
  const nameOf = (one) => one.getAttribute('aria-label') || one.textContent.trim() || one.value || ''
  const name = nameOf(el)
  const twins = [...el.getRootNode().querySelectorAll(el.localName)]
    .filter((one) => one !== el && nameOf(one) === name)
    .slice(0, MOST_TWINS)
  const cardOf = (one) => {
    const others = [el, ...twins].filter((other) => other !== one)
    let card = one
    while (card.parentElement && !others.some((other) => card.parentElement.contains(other)))
      card = card.parentElement
    return card
  }
  const said = (one) => [one.ariaLabel, one.title, one.getAttribute('alt'), one.value, one.placeholder]
  const says = (card) => {
    const named = [card, ...card.querySelectorAll('[aria-label],[title],[alt],input,textarea')].flatMap(said)
    const found = words([card.textContent.slice(0, LONG), ...named].join(' '))
    return asked.every((word) => found.some((one) => one.startsWith(word))) // the label may be cut
  }
  if (asked.length === 0 || twins.length === 0) return ''
  const card = cardOf(el)
  if (!says(card)) return twins.some((twin) => says(cardOf(twin))) ? 'changed' : ''
  const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'contextmenu']
  let isStopped = false
  const judge = (event) => {
    if (!event.composedPath().includes(el) || (card.contains(el) && says(card))) return
    isStopped = true
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  globalThis.pilothouseRow = {
    end: () => {
      for (const kind of kinds) removeEventListener(kind, judge, true)
      delete globalThis.pilothouseRow
      return isStopped
    },
  }
  for (const kind of kinds) addEventListener(kind, judge, true)
  return 'held'
}
