;(box) => {
  // Every element of the page and of its open shadow roots.
  const every = function* (root) {
    for (const el of root.querySelectorAll('*')) {
      yield el
      if (el.shadowRoot) yield* every(el.shadowRoot)
    }
  }
  const sides = (el) => {
    const r = el.getBoundingClientRect()
    return [r.x, r.y, r.width, r.height]
  }
  const isThere = (el) => sides(el).every((side, at) => Math.abs(side - box[at]) <= 1.5)
  const isSeen = (el) => {
    const [, , width, height] = sides(el)
    return width > 3 && height > 3 && el.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  }
  // Also across the borders of shadow roots.
  const isWithin = (inner, outer) => {
    for (let at = inner; at; at = at.assignedSlot || at.parentNode || at.host) if (at === outer) return true
    return false
  }
  const plain = (text) => (text || '').replace(/\s+/g, ' ').trim().toLowerCase()
  const LIST = '[role=combobox],[role=listbox],[role=tree],[aria-haspopup]'
  const there = [...every(document)].filter(isThere)
  const el =
    there.find((one) => one.matches(LIST)) || there.find((one) => one.localName === 'input') || there[0]
  // A list of the browser itself at this place is another one than what was seen here.
  if (!el || el.localName === 'select') return null
  const input = el.matches('input') ? el : el.querySelector('input')
  const before = new Set([...every(document)].filter(isSeen))
  const isInline = el.matches('[role=listbox],[role=tree]')
  const ROLES =
    '[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem],[role=gridcell]'
  const owned = () =>
    [el, input]
      .filter(Boolean)
      .flatMap((one) => `${one.getAttribute('aria-controls')} ${one.getAttribute('aria-owns')}`.split(/\s+/))
      .map((id) => el.getRootNode().getElementById?.(id) || document.getElementById(id))
      .filter(Boolean)
  const isOpen = () =>
    isInline ||
    [el, input].some((one) => one?.ariaExpanded === 'true') ||
    owned().some((list) => isSeen(list) && list.querySelector(ROLES))
  const textOf = (one) => one.ariaLabel || one.innerText || one.textContent || ''
  // What can be chosen: what has the role of an option, or is shown since the list is open. The innermost of equal texts
  // is what is pressed.
  const options = () => {
    const lists = isInline ? [el] : owned().filter(isSeen)
    const all = [...every(document)].filter(
      (one) => isSeen(one) && !one.contains(el) && !one.matches('input,textarea,script,style'),
    )
    const meant = all.filter(
      (one) => one.matches(ROLES) && (!lists.length || lists.some((list) => list.contains(one))),
    )
    const inRole = meant.length ? meant : all.filter((one) => one.matches(ROLES) && !before.has(one))
    if (inRole.length) return inRole
    const shown = all.filter((one) => !before.has(one) && plain(textOf(one)) && textOf(one).length < 200)
    return shown.filter((one) => !shown.some((other) => other !== one && one.contains(other)))
  }
  const isOff = (one) => one.ariaDisabled === 'true' || one.matches('[disabled],[class*=disabled i]')
  const isChosen = (one) => one.ariaSelected === 'true' || one.ariaChecked === 'true'
  const linesOf = (one) => textOf(one).split('\n').map(plain).filter(Boolean)
  const fits = (one, wanted, isLoose) => {
    const text = plain(textOf(one)),
      lines = linesOf(one)
    if (text === wanted || lines.includes(wanted) || plain(one.title) === wanted) return true
    return (
      isLoose &&
      lines.some((line) => line.startsWith(wanted) && !/[\p{L}\p{N}]/u.test(line[wanted.length] || ''))
    )
  }
  const scroller = () => {
    for (let at = options()[0]; at; at = at.parentElement || at.getRootNode().host)
      if (at.scrollHeight > at.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(at).overflowY))
        return at
    return null
  }
  let chosen = null
  globalThis.pilothouseList = {
    isOpen,
    hasInput: Boolean(input) && !input.readOnly,
    focus: () => (input || el).focus(),
    names: () =>
      options()
        .filter((one) => !isOff(one))
        .map((one) => textOf(one).replace(/\s+/g, ' ').trim()),
    find: (words, isLoose) => {
      const wanted = plain(words)
      let found = options().filter((one) => fits(one, wanted, isLoose))
      const exact = found.filter((one) => plain(textOf(one)) === wanted)
      found = exact.length ? exact : found
      found = found.filter((one) => !isOff(one)).length ? found.filter((one) => !isOff(one)) : found
      chosen = found[0]
      chosen?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
      return {
        many: found.length,
        names: found.map((one) => textOf(one).replace(/\s+/g, ' ').trim()),
        isOff: found.length > 0 && isOff(found[0]),
        isChosen: found.length > 0 && isChosen(found[0]),
      }
    },
    place: () => {
      const [x, y, width, height] = sides(chosen)
      const at = { x: Math.round(x + Math.min(width / 2, 80)), y: Math.round(y + height / 2) }
      let top = document.elementFromPoint(at.x, at.y)
      while (
        top?.shadowRoot?.elementFromPoint(at.x, at.y) &&
        top.shadowRoot.elementFromPoint(at.x, at.y) !== top
      )
        top = top.shadowRoot.elementFromPoint(at.x, at.y)
      return chosen.isConnected && top && (isWithin(top, chosen) || isWithin(chosen, top)) ? at : null
    },
    further: () => {
      const list = scroller(),
        from = list?.scrollTop
      list?.scrollBy({ top: list.clientHeight * 0.8, behavior: 'instant' })
      return Boolean(list) && list.scrollTop > from
    },
    first: () => scroller()?.scrollTo({ top: 0, behavior: 'instant' }),
    // What the list holds, in its own words: of it, or of what is drawn around its field.
    holds: (words) => {
      const wanted = plain(words)
      if (
        chosen?.isConnected &&
        isSeen(chosen) &&
        (chosen.ariaSelected !== null || chosen.ariaChecked !== null)
      )
        return { isChosen: isChosen(chosen), text: '' }
      const own = input?.value || (el.isConnected ? el.innerText : '')
      let around = el,
        text = plain(own)
      for (let up = 0; up < 4 && !text.includes(wanted) && around.parentElement; up++) {
        around = around.parentElement
        if (around.getBoundingClientRect().height > 200) break
        text = plain(
          `${around.innerText} ${[...around.querySelectorAll('input')].map((one) => one.value).join(' ')}`,
        )
      }
      return { isChosen: text.includes(wanted), text: own.replace(/\s+/g, ' ').trim() }
    },
  }
  return { isOpen: isOpen(), hasInput: globalThis.pilothouseList.hasInput }
}
