;() => {
  const MAX_BYTES = 4e6,
    MAX_MS = 2000,
    DEEP = 60,
    DEEPEST = 3000,
    LITTLE = 200,
    MAX_ROWS = 3000,
    MAX_BOXES = 5000,
    started = performance.now()
  const SKIPPED = new Set(
    (
      'script style noscript template head title link meta base svg canvas video audio object ' +
      'embed input textarea select datalist option optgroup progress meter map area'
    ).split(' '),
  )
  const ASIDE = new Set(['nav', 'footer', 'aside'])
  const ASIDE_ROLES = new Set(['navigation', 'contentinfo', 'complementary', 'banner', 'search'])
  const KEPT = new Set('h1 h2 h3 h4 h5 h6 p ul ol li pre blockquote dl dt dd code del s'.split(' '))
  const GRID = {
    table: 'table',
    grid: 'table',
    treegrid: 'table',
    row: 'tr',
    cell: 'td',
    gridcell: 'td',
    columnheader: 'th',
    rowheader: 'th',
  }

  // Documents and forms show what is in them under its name, before their own methods: a page that has an <img
  // name=querySelectorAll> must not blind this script. So what belongs to either is taken from its prototype.
  const getter = (kind, name) => {
    const get = Object.getOwnPropertyDescriptor(kind.prototype, name).get
    return (node) => get.call(node)
  }
  const typeOf = getter(Node, 'nodeType'),
    firstOf = getter(Node, 'firstChild'),
    nextOf = getter(Node, 'nextSibling'),
    parentOf = getter(Node, 'parentNode')
  const tagOf = getter(Element, 'localName'),
    shadowOf = getter(Element, 'shadowRoot'),
    slotOf = getter(Element, 'assignedSlot'),
    hostOf = getter(ShadowRoot, 'host'),
    dataOf = getter(CharacterData, 'data')
  const rowsOf = getter(HTMLTableElement, 'rows'),
    cellsOf = getter(HTMLTableRowElement, 'cells')
  const baseOf = getter(Node, 'baseURI'),
    bodyOf = getter(Document, 'body'),
    rootOf = getter(Document, 'documentElement')
  const attribute = (el, name) => Element.prototype.getAttribute.call(el, name) || ''
  const has = (el, css) => Element.prototype.querySelector.call(el, css) !== null
  const roleOf = (el) => attribute(el, 'role').slice(0, 30).toLowerCase()
  const placeOf = (el) => Element.prototype.getBoundingClientRect.call(el)
  const childrenOf = (node) => {
    const found = []
    for (let at = firstOf(node); at; at = nextOf(at)) found.push(at)
    return found
  }

  const root = () => bodyOf(document) || rootOf(document)

  const serialise = (leavesOut) => {
    const parts = []
    let room = MAX_BYTES,
      isFull = false,
      main = null,
      chars = 0,
      level = 0
    // Counted as the JSON that is sent: a character outside of ASCII takes six bytes there.
    const put = (text) => {
      let size = text.length
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        if (code > 126 || code < 32 || code === 60) size += 5
        else if (code === 34 || code === 92) size += 1
      }
      if (size > room) {
        isFull = true
        return
      }
      room -= size
      parts.push(text)
    }
    const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
    const isDisplayed = (el, style) =>
      Element.prototype.checkVisibility.call(el, { opacityProperty: true }) || style.display === 'contents'
    const showsText = (el, style) => {
      if (style.visibility !== 'visible' || parseFloat(style.fontSize) < 2) return false
      if (/^rgba\(.*, 0\)$/.test(style.color) && !/text/.test(style.backgroundClip)) return false
      if (style.display === 'contents') return true
      const { left, top, right, bottom, width, height } = placeOf(el),
        page = el.ownerDocument.defaultView || window
      if ((width <= 1 || height <= 1) && (style.overflow !== 'visible' || style.clip !== 'auto')) return false
      if (/inset\((50|100)%/.test(style.clipPath)) return false
      const isOutside = (style.direction !== 'rtl' && right + page.scrollX <= 0) || bottom + page.scrollY <= 0
      return !(isOutside && (right > left || bottom > top))
    }
    const address = (el) => {
      const given = attribute(el, 'href').trim()
      if (!given || given.startsWith('#') || given.length > 2000) return ''
      try {
        const url = new URL(given, baseOf(el))
        return /^https?:$/.test(url.protocol) && url.href.length <= 500 ? url.href : ''
      } catch {
        return ''
      }
    }
    const inside = (open, close, walk) => {
      const isNested = ++level > DEEP
      put(isNested ? ' ' : open)
      walk()
      put(isNested ? ' ' : close)
      level--
    }

    const walkText = (data, isPre) => {
      const text = isPre ? data : data.replace(/\s+/g, ' ')
      chars += text.trim().length
      for (let at = 0; at < text.length && !isFull; at += 10000) put(escape(text.slice(at, at + 10000)))
    }
    const walkChildren = (node, depth, isPre, showsIt) => {
      for (const child of childrenOf(node)) walk(child, depth + 1, isPre, showsIt)
    }
    const walkTable = (table, depth) => {
      put('<table>')
      const open = [] // By column, a cell that spans the next rows: its HTML and the number of those rows.
      for (const row of [...rowsOf(table)].slice(0, 100000)) {
        if (isFull || !isDisplayed(row, getComputedStyle(row))) continue
        put('<tr>')
        let column = 0
        const fill = () => {
          while (open[column] && open[column].rows > 0) {
            open[column].rows--
            put(open[column++].html)
          }
        }
        for (const cell of [...cellsOf(row)].slice(0, 1000)) {
          fill()
          const style = getComputedStyle(cell)
          if (!isDisplayed(cell, style)) continue
          const tag = tagOf(cell),
            begin = parts.length,
            columns = Math.min(50, parseInt(attribute(cell, 'colspan')) || 1)
          put(`<${tag}>`)
          walkChildren(cell, depth, false, showsText(cell, style))
          put(`</${tag}>` + `<${tag}></${tag}>`.repeat(columns - 1))
          const rows = Math.min(1000, parseInt(attribute(cell, 'rowspan')) || 1) - 1
          if (rows > 0)
            open[column] = {
              rows,
              html: parts.slice(begin).join('').slice(0, 2000),
            }
          column += columns
        }
        fill()
        put('</tr>')
      }
      put('</table>')
    }
    const walkElement = (el, depth, isPre) => {
      const tag = tagOf(el),
        role = roleOf(el)
      if (SKIPPED.has(tag)) return
      if (leavesOut && depth > 0 && (ASIDE.has(tag) || ASIDE_ROLES.has(role)) && !main?.isOpen) return
      const style = getComputedStyle(el)
      if (!isDisplayed(el, style)) return
      if (tag === 'br') return put(isPre ? '\n' : '<br>')
      if (tag === 'hr') return put('<hr>')
      if (tag === 'img') {
        const alt = attribute(el, 'alt').slice(0, 200).trim()
        return alt && put(escape(` (image: ${alt}) `))
      }
      if (tag === 'iframe' || tag === 'frame') {
        const page = (() => {
          try {
            return el.contentDocument
          } catch {
            return null
          }
        })()
        const body = page && bodyOf(page)
        return body ? inside('<div>', '</div>', () => walk(body, depth + 1, false, true)) : undefined
      }
      const shadow = shadowOf(el),
        showsIt = showsText(el, style)
      const walkInside = () => {
        if (shadow) return walkChildren(shadow, depth, isPre, showsIt)
        const given = tag === 'slot' ? HTMLSlotElement.prototype.assignedNodes.call(el) : []
        if (given.length) return given.forEach((node) => walk(node, depth + 1, isPre, true))
        if (tag === 'details' && !el.hasAttribute('open'))
          return childrenOf(el)
            .filter((node) => typeOf(node) === 1 && tagOf(node) === 'summary')
            .forEach((node) => walk(node, depth + 1, false, true))
        walkChildren(el, depth, tag === 'pre' || isPre, showsIt)
      }
      const isMain = tag === 'main' || role === 'main'
      if (isMain && !main) {
        main = { begin: parts.length, isOpen: true, chars }
        inside('<div>', '</div>', walkInside)
        main = {
          ...main,
          end: parts.length,
          isOpen: false,
          chars: chars - main.chars,
        }
        return
      }
      if (
        tag === 'table' &&
        !GRID[role] &&
        role !== 'presentation' &&
        role !== 'none' &&
        !has(el, 'table') &&
        level < DEEP
      )
        return walkTable(el, depth)
      const link = tag === 'a' && address(el)
      if (link) return inside(`<a href="${escape(link).replace(/"/g, '%22')}">`, '</a>', walkInside)
      const named = GRID[role] || (KEPT.has(tag) && !(isPre && tag !== 'pre') ? tag : '')
      if (named) return inside(`<${named}>`, `</${named}>`, walkInside)
      if (isPre || /^(inline|contents)/.test(style.display)) return walkInside()
      // A box around one other box adds nothing but depth.
      const content = childrenOf(shadow || el).filter(
        (node) => typeOf(node) === 1 || (typeOf(node) === 3 && dataOf(node).trim()),
      )
      if (content.length === 1 && typeOf(content[0]) === 1) return walkInside()
      inside('<div>', '</div>', walkInside)
    }
    const walk = (node, depth, isPre, showsIt) => {
      if (isFull || depth > DEEPEST || performance.now() - started > MAX_MS) {
        isFull = true
        return
      }
      if (typeOf(node) === 1) walkElement(node, depth, isPre)
      else if (typeOf(node) === 3 && showsIt) walkText(dataOf(node), isPre)
    }

    if (root()) walk(root(), 0, false, true)
    // Text that the page calls its main part, unless most of it is elsewhere.
    const isMain = leavesOut && main && !main.isOpen && 2 * main.chars > chars && main.chars > LITTLE
    return {
      html: (isMain ? parts.slice(main.begin, main.end) : parts).join(''),
      chars,
      truncated: isFull,
    }
  }

  // The elements in a node as they are drawn: those of shadow roots, slots and frames of the page's own site in their places.
  const drawnIn = (node, most) => {
    const found = [],
      open = [node]
    const inside = (el) => {
      if (tagOf(el) === 'slot') {
        const given = HTMLSlotElement.prototype.assignedNodes.call(el)
        if (given.length) return given
      }
      if (tagOf(el) === 'iframe') {
        try {
          return [rootOf(el.contentDocument)]
        } catch {
          return [] // a frame of another site
        }
      }
      return childrenOf(shadowOf(el) || el)
    }
    while (open.length && found.length < most) {
      const el = open.pop()
      if (el !== node) found.push(el)
      open.push(
        ...inside(el)
          .filter((one) => one && typeOf(one) === 1)
          .reverse(),
      )
    }
    return found
  }
  const above = (node) =>
    typeOf(node) === 11 ? hostOf(node) : typeOf(node) === 1 ? slotOf(node) || parentOf(node) : null
  const LISTS =
    /^(list|listbox|tree|grid|treegrid|table|menu|menubar|radiogroup|tablist|group|feed|rowgroup)$/
  const isList = (node) => typeOf(node) === 1 && (LISTS.test(roleOf(node)) || /^(ul|ol)$/.test(tagOf(node)))
  const listOf = (item) => {
    for (let at = above(item); at; at = above(at)) if (isList(at)) return at
    return parentOf(item)
  }
  const number = (el, name) => parseInt(attribute(el, name))
  const isRow = (el) => roleOf(el) === 'row' || tagOf(el) === 'tr'

  // What a list says of itself: `aria-rowcount` and `aria-setsize` count the rows that are not drawn, too; -1 is unknown.
  // Of each such list whether it draws a part, and whether rows follow the last one that it draws.
  const named = (elements) => {
    const said = (total, rows, place) => {
      const last = rows.length ? number(rows[rows.length - 1], place) : NaN
      const isPart = total === -1 || total > rows.length
      return { isPart, goesOn: isPart && !(total > 0 && last >= total) }
    }
    const lists = elements
      .filter((el) => attribute(el, 'aria-rowcount'))
      .map((el) => said(number(el, 'aria-rowcount'), drawnIn(el, MAX_ROWS).filter(isRow), 'aria-rowindex'))
    const items = new Map()
    for (const item of elements.filter((el) => attribute(el, 'aria-setsize'))) {
      const list = listOf(item)
      items.set(list, [...(items.get(list) || []), item])
    }
    return [
      ...lists,
      ...[...items.values()].map((rows) => said(number(rows[0], 'aria-setsize'), rows, 'aria-posinset')),
    ]
  }

  // A box that draws only the rows around its view has nothing in most of the height that it scrolls over.
  const drawsInView = (box) => {
    const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowY)
    if (!scrolls || box.clientHeight < 60 || box.scrollHeight < 3 * box.clientHeight) return null
    const places = drawnIn(box, MAX_ROWS)
      .filter(
        (el) =>
          el.childElementCount === 0 &&
          tagOf(el) !== 'slot' &&
          ((shadowOf(el) || el).textContent || /^(img|canvas|video|iframe)$/.test(tagOf(el))),
      )
      .map(placeOf)
    if (places.length < 5 || places.length >= MAX_ROWS) return null
    const top = Math.min(...places.map((place) => place.top)),
      bottom = Math.max(...places.map((place) => place.bottom))
    const isPart = bottom - top < box.scrollHeight / 2
    return { isPart, goesOn: isPart && box.scrollTop + box.clientHeight < box.scrollHeight - 2 }
  }

  const kind = getter(Document, 'contentType')(document),
    url = getter(Document, 'URL')(document).slice(0, 20000)
  if (kind === 'application/pdf') return { kind, url }
  let { html, chars, truncated } = serialise(true)
  if (chars < LITTLE && !truncated) ({ html, truncated } = serialise(false))
  const elements = root() ? drawnIn(root(), MAX_BOXES) : []
  const lists = [...named(elements), ...elements.map(drawsInView).filter(Boolean)]
  const has_more_rows = lists.some((one) => one.isPart),
    goes_on = lists.some((one) => one.goesOn)
  return { kind, url, html, truncated, has_more_rows, goes_on }
}
