;(() => {
  const clean = (text) => (text || '').replace(/\s+/g, ' ').trim().slice(0, 60)
  const ownText = (label) =>
    [...label.childNodes]
      .filter(
        (node) =>
          node.nodeType === 3 ||
          !node.querySelector ||
          (!node.matches('input,select,textarea') && !node.querySelector('input,select,textarea')),
      )
      .map((node) => node.textContent)
      .join(' ')
  const nameOf = (el) =>
    clean(
      el.getAttribute('aria-label') ||
        (el.labels && el.labels[0] && ownText(el.labels[0])) ||
        el.placeholder ||
        el.title ||
        el.getAttribute('name') ||
        el.id,
    ) || (el.type || 'text') + ' field'
  const told = (binding, text) => {
    try {
      binding(text)
    } catch {}
  }

  // Names of fields that the person changes, each once.
  const reported = new WeakSet()
  const report = (el) => {
    if (reported.has(el)) return
    reported.add(el)
    told(pilothouseField, nameOf(el))
  }
  const onInput = (event) => {
    const el = event.composedPath()[0]
    if (!event.isTrusted || !el || !el.getAttribute) return
    report(el)
    if (el === current) announce(el)
  }
  for (const kind of ['input', 'change']) addEventListener(kind, onInput, { capture: true, passive: true })

  // What the person copies.
  const selected = (el) =>
    typeof el.selectionStart === 'number' && el.type !== 'password'
      ? el.value.slice(el.selectionStart, el.selectionEnd)
      : String(getSelection())
  const copy = (event) => {
    if (!event.isTrusted) return
    const set = event.clipboardData ? event.clipboardData.getData('text/plain') : ''
    const text = set || selected(event.composedPath()[0] || document.body)
    if (text) told(pilothouseCopied, text.slice(0, 20000))
  }
  for (const kind of ['copy', 'cut']) addEventListener(kind, copy, { passive: true })

  // The field that has the focus: the browser's own lists and pickers are windows that no picture shows.
  const PICKED = ['date', 'time', 'month', 'week', 'datetime-local', 'color']
  const KEYBOARDS = { tel: 'tel', email: 'email', url: 'url', search: 'search', number: 'decimal' }
  let current = null,
    announced = ''
  const isList = (el) => el.tagName === 'SELECT' && !el.multiple && el.size <= 1
  const kindOf = (el) => {
    if (!el || !el.matches || el.disabled || el.readOnly) return ''
    if (isList(el)) return 'select'
    if (el.tagName !== 'INPUT') return ''
    return PICKED.includes(el.type) ? el.type : el.list && el.type !== 'password' ? 'suggestions' : ''
  }
  const optionsOf = (el) =>
    [...(el.options || el.list?.options || [])].slice(0, 500).map((one, at) => ({
      label: clean(one.label || one.value),
      value: isList(el) ? String(at) : one.value.slice(0, 200),
      group: clean(one.parentElement?.tagName === 'OPTGROUP' ? one.parentElement.label : ''),
      disabled: one.disabled || one.parentElement?.disabled === true,
    }))
  const announce = (el) => {
    current = el
    const kind = kindOf(el)
    const value = kind === 'select' ? String(el.selectedIndex) : kind ? el.value.slice(0, 200) : ''
    const picker = kind ? { kind, name: nameOf(el), value, options: optionsOf(el) } : null
    const isText = el && (el.isContentEditable || el.tagName === 'TEXTAREA' || el.tagName === 'INPUT')
    const keyboard = el?.inputMode || KEYBOARDS[el?.type] || (isText ? 'text' : '')
    const field = JSON.stringify({ keyboard, picker })
    if (field !== announced) told(pilothouseFocused, field)
    announced = field
  }
  const focused = (event) => event.isTrusted && announce(event.composedPath()[0])
  addEventListener('focusin', focused, { capture: true, passive: true })
  addEventListener('focusout', (event) => event.isTrusted && announce(null), { capture: true, passive: true })

  // What would open such a window only gives the field the focus.
  const instead = (event) => {
    const el = event.composedPath()[0]?.closest?.('select,input')
    const kind = kindOf(el)
    const opens =
      event.type === 'mousedown'
        ? kind === 'select'
        : event.type === 'click'
          ? PICKED.includes(kind)
          : event.key === ' ' || event.key === 'F4' || (event.altKey && /^Arrow(Up|Down)$/.test(event.key))
    if (!event.isTrusted || !opens || !kind || kind === 'suggestions') return
    event.preventDefault()
    el.focus()
    announced = '' // its panel may have been closed
    announce(el)
  }
  for (const kind of ['mousedown', 'click', 'keydown']) addEventListener(kind, instead, { capture: true })

  globalThis.pilothouseChoose = (value) => {
    const el = current
    if (!el?.isConnected || !kindOf(el)) return false
    if (isList(el)) {
      const option = el.options[Number(value)]
      if (!option || option.disabled || option.parentElement.disabled) return false
      el.selectedIndex = Number(value)
    } else el.value = value
    for (const kind of ['input', 'change'])
      el.dispatchEvent(new Event(kind, { bubbles: true, composed: true }))
    report(el)
    return isList(el) || el.value === value
  }
  SENT_LOGIN
  // What has the focus already.
  let active = document.activeElement
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
  if (window === top || (active && active !== document.body))
    announce(active === document.body ? null : active)
})()
