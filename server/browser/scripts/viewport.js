;() => {
  const ROLES = {
    A: 'link',
    BUTTON: 'button',
    SELECT: 'combobox',
    TEXTAREA: 'textbox',
    SUMMARY: 'button',
    H1: 'heading',
    H2: 'heading',
    H3: 'heading',
  }
  const KINDS = {
    checkbox: 'checkbox',
    radio: 'radio',
    submit: 'button',
    button: 'button',
    reset: 'button',
    image: 'button',
    range: 'slider',
    number: 'spinbutton',
    search: 'searchbox',
  }
  const started = performance.now(),
    lines = [],
    listed = new Set(),
    forms = new Set(),
    numbers = new Map()
  let around = null
  const clean = (text) =>
    String(text || '')
      .slice(0, 2000)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 120)
  const given = (el) =>
    (Element.prototype.getAttribute.call(el, 'role') || '').slice(0, 100).trim().split(/\s+/)[0]
  // A role is a word. Anything else that a page writes there could be read as a part of the line.
  const roleOf = (el) =>
    (/^[a-zA-Z]{1,30}$/.test(given(el)) ? given(el).toLowerCase() : '') ||
    (el.tagName === 'INPUT'
      ? el.type === 'hidden'
        ? ''
        : KINDS[el.type] || 'textbox'
      : ROLES[el.tagName] || '')
  const nameOf = (el) =>
    clean(
      el.getAttribute('aria-label') ||
        el.labels?.[0]?.innerText ||
        el.innerText ||
        el.title ||
        el.placeholder ||
        el.alt ||
        (el.type === 'submit' ? el.value : ''),
    )
  // A form's fields hide its own properties when they are named like them.
  const getter = (kind, name) => Object.getOwnPropertyDescriptor(kind.prototype, name).get
  // Places only: the name of a tag can hold brackets and quotes.
  const path = (el) => {
    const steps = []
    for (; el && el !== root; el = getter(Node, 'parentElement').call(el)) {
      let nth = 1
      for (let kin = el; (kin = getter(Element, 'previousElementSibling').call(kin));) nth += 1
      steps.unshift(`:nth-child(${nth})`)
      if (steps.length > 100) return ''
    }
    return 'css=:root > ' + steps.join(' > ')
  }
  const boxOf = (el) => {
    const r = Element.prototype.getBoundingClientRect.call(el)
    return `[box=${[r.x, r.y, r.width, r.height].map(Math.round)}]`
  }
  // What is sent together stands below one line: Enter in a field presses a button of the same form.
  const AROUND = 'form,search,dialog,[role=form],[role=search],[role=dialog],[role=alertdialog]'
  const FORM_OF = {
    INPUT: HTMLInputElement,
    BUTTON: HTMLButtonElement,
    SELECT: HTMLSelectElement,
    TEXTAREA: HTMLTextAreaElement,
  }
  const formOf = (el) => (FORM_OF[el.tagName] ? getter(FORM_OF[el.tagName], 'form').call(el) : null)
  const add = (el, line) => {
    const form = formOf(el),
      own = form || Element.prototype.closest.call(el.parentElement || el, AROUND)
    if (own !== around && own) {
      const tag = getter(Element, 'tagName').call(own),
        role = /^(DIALOG|FORM|SEARCH)$/.test(tag) ? tag.toLowerCase() : given(own)
      if (!numbers.has(own)) numbers.set(own, numbers.size)
      lines.push(`- ${role} [ref=group${numbers.get(own)}] ${boxOf(own)}:`)
    }
    around = own
    lines.push(own ? `  ${line}` : line)
    if (form) forms.add(form)
  }
  const list = (el, isWanted) => {
    const r = Element.prototype.getBoundingClientRect.call(el)
    if (listed.has(el)) return
    if (
      !isWanted &&
      (r.bottom < 0 ||
        r.top > innerHeight ||
        r.right < 0 ||
        r.left > innerWidth ||
        r.width < 2 ||
        r.height < 2)
    )
      return
    const role = roleOf(el),
      box = boxOf(el)
    listed.add(el)
    if (role) {
      const target = role === 'heading' ? '' : path(el),
        where = target && ` [ref=${target}]`
      const value =
        role.endsWith('box') && el.type !== 'password' && el.value
          ? ': ' + JSON.stringify(clean(el.value))
          : ''
      add(el, `- ${role} ${JSON.stringify(nameOf(el))}${where} ${box}${value}`)
      return
    }
    const inside = el.parentElement?.closest('a,button,select,textarea,summary,h1,h2,h3,[role]')
    const own = inside ? [] : [...el.childNodes].filter((node) => node.nodeType === 3).slice(0, 100)
    const words = clean(own.map((node) => node.data.slice(0, 2000)).join(' '))
    if (words) add(el, `- generic ${box}: ${JSON.stringify(words)}`)
  }
  const root = Document.prototype.getElementsByTagName.call(document, '*')[0]
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT)
  while (lines.length < 250 && performance.now() - started < 1500 && walker.nextNode()) {
    try {
      list(walker.currentNode)
    } catch {} // a form whose fields hide its methods
  }
  const controls = getter(HTMLFormElement, 'elements')
  for (const form of forms) {
    try {
      const sends = [...controls.call(form)].find((el) => /^(submit|image)$/.test(el.type))
      if (sends) list(sends, true) // the button that Enter presses, also where it is out of view
    } catch {}
  }
  return lines.join('\n')
}
