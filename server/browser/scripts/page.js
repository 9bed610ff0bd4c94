;(listening, heard) => {
  const isBrief = listening === 'moment'
  const WIDGET =
    'a[href],button,input,select,textarea,option,label,iframe,[contenteditable=""],' +
    '[contenteditable=true],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],' +
    '[role=textbox],[role=combobox],[role=menuitem],[role=option],[role=slider],[role=treeitem]'
  const NOISE = new Set(
    (
      'icon icons ico btn button fa fas far fab fal glyphicon material mdi bi svg img image ' +
      'link item feather lucide wrapper container inner outer js is has css sc small large sm md lg xl active ' +
      'mui chakra ant mantine jsx styled styles emotion svelte radix root'
    ).split(' '),
  )
  const SIDES = new Set(['left', 'right']) // noise, but of an arrow all that it says
  const MOST = 200,
    LONG = 2000,
    MAX_HASHED = 1000000,
    started = performance.now()
  // The first few are read however late it is: a busy machine may stop this script for a second at its start.
  const LEAST = 300,
    isLate = (count, since) => count > LEAST && performance.now() > since + 250
  const clickables = [],
    secrets = [],
    controls = [],
    uploads = [],
    shown = [],
    openers = [],
    takes = [],
    levels = [],
    placeholders = [],
    covers = [],
    frames = [],
    frameBoxes = [],
    reachable = []
  let unknown = false,
    room = 10 * LONG,
    values = 0,
    inside = 0,
    state = 5381,
    hashed = 0
  const hash = (text) => {
    const end = Math.min(text.length, MAX_HASHED - hashed)
    for (let at = 0; at < end; at++) state = ((state * 33) ^ text.charCodeAt(at)) | 0
    hashed += end
    state = ((state * 33) ^ text.length) | 0
  }

  // Documents and forms show what is in them under its name, before their own methods: a page that has an <img
  // name=querySelectorAll> must not blind this script. So what belongs to either is taken from its prototype.
  const getter = (kind, name) => Object.getOwnPropertyDescriptor(kind.prototype, name).get
  const shadowOf = getter(Element, 'shadowRoot'),
    baseOf = getter(Node, 'baseURI'),
    addressOf = getter(Document, 'URL')
  const isDocument = (root) => getter(Node, 'nodeType').call(root) === 9
  const all = (root, css) =>
    (isDocument(root) ? Document : DocumentFragment).prototype.querySelectorAll.call(root, css)
  const byId = (root, id) =>
    (isDocument(root) ? Document : DocumentFragment).prototype.getElementById.call(root, id)
  const attribute = (el, name) => Element.prototype.getAttribute.call(el, name)
  const sourceOf = (root) => {
    const top = isDocument(root) && getter(Document, 'documentElement').call(root)
    const source = !isDocument(root) ? root.innerHTML : top ? getter(Element, 'innerHTML').call(top) : ''
    return source.slice(0, MAX_HASHED).replaceAll(' style=""', '') // which a screenshot leaves on fields
  }

  const boxOf = (el, dx, dy) => {
    const r = Element.prototype.getBoundingClientRect.call(el)
    return [Math.round(r.x + dx), Math.round(r.y + dy), Math.round(r.width), Math.round(r.height)]
  }
  const near = ([x, y, w, h]) =>
    w > 1 && h > 1 && x < innerWidth && x + w > 0 && y < 3 * innerHeight && y + h > -innerHeight
  // Without what icon fonts draw: characters for private use.
  const clean = (text) =>
    (text || '')
      .slice(0, LONG)
      .replace(/[\s\u{e000}-\u{f8ff}\u{f0000}-\u{10fffd}]+/gu, ' ')
      .trim()
      .slice(0, 80)
  // Parts of classes that a build has made: digits among letters, no vowel, or a capital every other letter.
  const MADE = /\d[a-z]+\d|[a-z]\d+[a-z]|^\d+[a-z]{3,}|^[bcdfghjklmnpqrstvwxz]{4,}$/i
  const isMade = (part) => {
    const humps = part.match(/[A-Z]?[a-z]+|[A-Z]+/g) || []
    return MADE.test(part) || (humps.length > 2 && part.length < 2.5 * humps.length)
  }
  // Classes that each set one style, as with Tailwind: three or more of them name nothing.
  const STYLE =
    /^\w+:|^-?(flex|grid|inline|block|relative|absolute|fixed|sticky|rounded|border|shadow|cursor|items|justify|self|gap|space|[pm][xytrbl]?|w|h|size|min|max|text|bg|font|leading|opacity|z|top|inset|overflow|transition|duration|ease|ring|outline|shrink|grow)(-[\w./[\]-]+)?$/
  const written = (text) => {
    const tokens = text.split(/\s+/),
      named = tokens.filter((token) => !STYLE.test(token))
    const kept = tokens.length - named.length > 2 ? named : tokens
    return kept
      .flatMap((token) => token.split(/[-_]+/))
      .filter((part) => !isMade(part))
      .join(' ')
  }
  const words = (text, noise = SIDES) =>
    clean(
      [
        ...new Set(
          written((typeof text === 'string' ? text : '').slice(0, LONG))
            .replace(/([a-z])([A-Z])/g, '$1 $2')
            .toLowerCase()
            .split(/[^\p{L}]+/u)
            .filter((word) => word.length > 2 && !NOISE.has(word) && !noise.has(word)),
        ),
      ]
        .slice(0, 3)
        .join(' '),
    )
  const label = (el) =>
    el.getAttribute &&
    clean(
      el.getAttribute('aria-label') ||
        el.getAttribute('title') ||
        el.getAttribute('data-tooltip') ||
        el.getAttribute('data-original-title') ||
        el.getAttribute('alt'),
    )
  const guess = (el) => {
    const inside = [el, ...[...el.querySelectorAll('*')].slice(0, 8)]
    for (const part of inside) if (label(part)) return label(part)
    const svg = el.querySelector('svg title')
    if (svg && clean(svg.textContent)) return clean(svg.textContent)
    return iconOf([...inside.slice(1), el]) || purposeOf(el) || firstWords(inside)
  }
  const ICON =
    'i,svg,use,[data-icon],[class*=icon i],[class*=glyph i],[class^="fa-"],[class*=" fa-"],[class^="bi-"],[class*=" bi-"]'
  const iconOf = (inside) =>
    firstWords(
      inside.filter((part) => part.matches(ICON)),
      new Set(),
    )
  // What scripts look for: data-action="archive", data-widget="sidebar".
  const purposeOf = (el) =>
    ['data-action', 'data-command', 'data-widget'].map((name) => words(attribute(el, name))).find(Boolean)
  const CROSS = /(^|\s)(feather|fe|bi|ti|fa|ri|icon|lucide|tabler-icon)-x(-\w+)?(\s|$)/ // too short for a word
  const firstWords = (parts, noise) => {
    for (const part of parts) {
      const use = part.tagName === 'use' && (part.getAttribute('href') || part.getAttribute('xlink:href'))
      const named = [
        use && use.split('#').pop(),
        ...['data-icon', 'class', 'id', 'name'].map((name) => attribute(part, name)),
      ]
      const found =
        named.map((text) => words(text, noise)).find(Boolean) ||
        (CROSS.test(attribute(part, 'class')) ? 'close' : '')
      if (found) return found
    }
    return ''
  }
  const path = (el, root) => {
    const steps = []
    for (let at = el; at && at.nodeType === 1; at = at.parentElement) {
      const id = at.id && at.id.length <= 100 && '#' + CSS.escape(at.id)
      if (id && all(root, id).length === 1) {
        steps.unshift(id)
        break
      }
      const tag = at.tagName.toLowerCase(),
        kin = at.parentNode ? [...at.parentNode.children] : [at]
      const same = kin.filter((other) => other.tagName === at.tagName)
      const place = same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : ''
      steps.unshift(tag.length <= 100 ? CSS.escape(tag) + place : `:nth-child(${kin.indexOf(at) + 1})`)
      if (steps.length > 300) return ''
    }
    const inner = 'css=' + steps.join(' > ')
    return isDocument(root) ? inner : path(root.host, root.host.getRootNode()) + ' >> ' + inner
  }
  const isSecret = (el) => {
    const auto = el.autocomplete || '',
      hint = (name) => (attribute(el, name) || '').slice(0, LONG)
    const words = `${hint('name')} ${hint('id')} ${hint('autocomplete')}`
    return (
      el.type === 'password' ||
      /(password|cc-|one-time-code)/.test(auto) ||
      (getComputedStyle(el).webkitTextSecurity || 'none') !== 'none' ||
      /(^|[^a-z])(passwd|password|otp|totp|cvv2?|cvc2?|card-?_?num(ber)?|cc-?_?num(ber)?)([^a-z]|$)/i.test(
        words,
      )
    )
  }
  const destination = (el, isButton) => {
    const own = isButton ? attribute(el, 'formaction') : null,
      page = el.ownerDocument
    const action = (own === null ? attribute(el.form, 'action') || '' : own).trim()
    try {
      return (action ? new URL(action, baseOf.call(page)).href : addressOf.call(page)).slice(0, 1000)
    } catch {
      return action.slice(0, 1000)
    }
  }
  // Without a method, scripts send what they like.
  const isGet = (el, isButton) =>
    attribute(el.form, 'onsubmit') === null &&
    /^get$/i.test((isButton && attribute(el, 'formmethod')) || attribute(el.form, 'method') || '')
  const keepSecret = (box, value) => {
    room -= value.length
    values += value !== ''
    unknown ||= secrets.length >= MOST || values > 50 || value.length > LONG || room < 0
    if (!unknown) secrets.push({ box, value })
  }
  const labelsOf = getter(HTMLInputElement, 'labels')
  const groups = [],
    verbatim = [],
    groupsIn = GROUPS_IN,
    MAX_HELD = 20000
  const findForms = (root, dx, dy, framed) => {
    const found = groupsIn((css) => [...all(root, css)].slice(0, MOST), isSecret),
      grouped = new Map()
    for (const { boxes, secret } of found) {
      const value = boxes.map((one) => one.value).join(''),
        places = boxes.map((one) => boxOf(one, dx, dy))
      if (secret) boxes.forEach((one) => grouped.set(one, value))
      if (groups.length < MOST)
        groups.push({ boxes: places, value: secret ? '' : value, filled: value !== '' })
    }
    for (const el of all(root, 'input,textarea,button')) {
      if (el.tagName === 'INPUT' && attribute(el, 'type')?.toLowerCase() === 'file' && uploads.length < MOST)
        for (const one of [el, ...(labelsOf.call(el) || [])]) {
          const box = boxOf(one, dx, dy)
          if (near(box)) uploads.push(box)
          // A snapshot has no line for a label that stands in a text.
          if (near(box) && !el.offsetWidth && one !== el && !framed)
            clickables.push({
              box,
              tag: 'label',
              name: clean(one.innerText),
              target: path(one, root),
              listens: true,
            })
        }
      // Each box of a secret text holds all of it: a digit alone must neither be masked elsewhere nor be shown.
      if (grouped.has(el)) keepSecret(boxOf(el, dx, dy), grouped.get(el))
      else if (el.tagName !== 'BUTTON' && isSecret(el)) keepSecret(boxOf(el, dx, dy), el.value)
      else if (el.tagName === 'TEXTAREA' && /\n/.test(el.value) && verbatim.length < MOST)
        verbatim.push({ box: boxOf(el, dx, dy), text: el.value.slice(0, MAX_HELD) })
      if (!el.form || /^(hidden|button|reset)$/.test(el.type)) continue
      const isButton = /^(submit|image)$/.test(el.type),
        box = boxOf(el, dx, dy)
      controls.push({ el, box, isButton, isNear: near(box), place: controls.length })
    }
  }
  const CALLED =
    'a[href],button,input[type=submit],input[type=button],[role=button],[role=link],[role=menuitem],' +
    '[role=tab],[role=switch],[role=checkbox],[role=option]'
  const OPENS =
    '[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[aria-controls],[popovertarget],[commandfor]'
  const plain = (text) => clean(text).toLowerCase()
  // What style sheets write in it: a label hides that from the snapshot.
  const drawnIn = (el) =>
    [el, ...[...el.querySelectorAll('*')].slice(0, 8)]
      .flatMap((one) =>
        ['::before', '::after'].map(
          (part) => /^"([^]*)"$/.exec(getComputedStyle(one, part).content)?.[1] || '',
        ),
      )
      .join(' ')
  const ENDLESS = 900 // characters of a name that a snapshot leaves out
  let labelled = 0,
    looked = 0,
    passed = 0
  const findShown = (root, dx, dy) => {
    for (const el of [...all(root, CALLED)].slice(0, 10 * MOST)) {
      if (openers.length < MOST && el.matches(OPENS)) openers.push(boxOf(el, dx, dy))
      const text = attribute(el, 'aria-label') || el.textContent
      if (text.length <= ENDLESS || shown.length >= MOST || !near(boxOf(el, dx, dy))) continue
      shown.push({ box: boxOf(el, dx, dy), text: text.replace(/\s+/g, ' ').trim().slice(0, LONG) })
    }
    for (const el of all(root, '[aria-label],[aria-labelledby]')) {
      if (shown.length >= MOST || isLate(labelled++, started)) return
      if (!el.matches(CALLED) || !near(boxOf(el, dx, dy))) continue
      const label = el.getAttribute('aria-labelledby')
        ? el
            .getAttribute('aria-labelledby')
            .slice(0, LONG)
            .split(/\s+/)
            .map((id) => ((byId(root, id) || {}).textContent || '').slice(0, LONG))
            .join(' ')
        : el.getAttribute('aria-label')
      const text = clean(el.tagName === 'INPUT' ? el.value : `${drawnIn(el)} ${el.innerText}`)
      if (!/\p{L}{3}/u.test(text) || /^[a-z]+(_[a-z0-9]+)+$/.test(text)) continue
      if (!plain(label).includes(plain(text))) shown.push({ box: boxOf(el, dx, dy), text })
    }
  }
  const findLevels = (root, dx, dy) => {
    for (const el of [...all(root, '[role=slider],[role=spinbutton]')].slice(0, MOST)) {
      const value = clean(attribute(el, 'aria-valuetext') || attribute(el, 'aria-valuenow')),
        box = boxOf(el, dx, dy)
      if (value && el.tagName !== 'INPUT' && near(box)) levels.push({ box, value })
    }
  }
  const findPlaceholders = (root, dx, dy) => {
    for (const el of [...all(root, 'input:placeholder-shown')].slice(0, MOST)) {
      const text = clean(attribute(el, 'placeholder')),
        box = boxOf(el, dx, dy)
      if (text && near(box)) placeholders.push({ box, text })
    }
  }
  const fields = [],
    LINES = 'textarea,[contenteditable]:not([contenteditable=false]),[role=textbox][aria-multiline=true]'
  const findFields = (root, dx, dy) => {
    const some = [
      ...all(root, `${LINES},input[readonly],textarea[readonly],[role=textbox][aria-readonly=true]`),
    ]
    for (const el of some.slice(0, MOST)) {
      const box = boxOf(el, dx, dy)
      if (near(box))
        fields.push({ box, kind: el.matches('[readonly],[aria-readonly=true]') ? 'fixed' : 'lines' })
    }
  }
  const editors = [],
    editorsIn = EDITORS_IN
  const findEditors = (root, dx, dy) => {
    for (const { input, box, text } of editorsIn((css) => [...all(root, css)].slice(0, MOST))) {
      const at = boxOf(box, dx, dy)
      if (
        !near(at) ||
        (input === box && box.querySelector('a[href],button,input,select,textarea,img,video,iframe'))
      )
        continue
      editors.push({ box: at, own: boxOf(input, dx, dy), text: text().slice(0, MAX_HELD) })
      if (input !== box)
        fields.push({ box: at, kind: input.matches('[aria-readonly=true]') ? 'fixed' : 'lines' })
    }
  }
  const lists = [],
    MAX_OPTIONS = 250
  const findLists = (root, dx, dy) => {
    for (const el of [...all(root, 'select')].slice(0, MOST)) {
      const box = boxOf(el, dx, dy),
        options = [...el.options].slice(0, MAX_OPTIONS)
      if (!near(box) || !(el.multiple || el.size > 1 || el.querySelector('optgroup,option[label]'))) continue
      const names = options.map((one) => clean(one.label || one.text)),
        many = new Map()
      for (const name of names) many.set(name, (many.get(name) || 0) + 1)
      const grouped = options.map((one, at) =>
        many.get(names[at]) > 1 && one.parentElement?.label
          ? `${names[at]} (${clean(one.parentElement.label)})`
          : names[at],
      )
      const chosen = options.flatMap((one, at) => (one.selected ? [at] : []))
      lists.push({ box, options: grouped, chosen, several: el.multiple })
    }
  }
  const hitIn = (root, x, y) =>
    (isDocument(root) ? Document : ShadowRoot).prototype.elementFromPoint.call(root, x, y)
  const rectOf = (el) => Element.prototype.getBoundingClientRect.call(el)
  const isBox = (el) => {
    const r = rectOf(el)
    return r.width > 2 && r.height > 2
  }
  // Whether a click in the middle of a label is for no other control in it.
  const isFree = (el) => {
    const r = rectOf(el),
      x = r.x + r.width / 2,
      y = r.y + r.height / 2
    return ![...el.querySelectorAll('a[href],button,select,textarea')]
      .slice(0, 20)
      .some((inner) =>
        [...Element.prototype.getClientRects.call(inner)].some(
          (one) => x >= one.left && x <= one.right && y >= one.top && y <= one.bottom,
        ),
      )
  }
  // What takes the click of a check box that is drawn by style sheets: its label, else the small box that it is in.
  const coverOf = (root, el) => {
    const r = rectOf(el),
      x = r.x + r.width / 2,
      y = r.y + r.height / 2
    const isIn = isBox(el) && x > 0 && y > 0 && x < innerWidth && y < innerHeight
    const hit = isIn ? hitIn(root, x, y) : null
    const isDrawn = isBox(el) && el.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    if (hit === el || (isDrawn && !hit)) return null
    const named = [...(labelsOf.call(el) || [])].find((one) => isBox(one) && (!isDrawn || one.contains(hit)))
    if (named && isFree(named)) return named
    if (named)
      return hit && hit !== named && named.contains(hit) && !hit.closest('a[href],button') ? hit : null
    const up = el.parentElement,
      around = up && rectOf(up)
    const isSmall =
      around &&
      isBox(up) &&
      around.width < 60 &&
      around.height < 60 &&
      up.querySelectorAll(WIDGET).length === 1
    return isSmall && (!hit || up.contains(hit)) ? up : null
  }
  const covered = new Set() // what is drawn around these fields
  const findCovers = (root, dx, dy, framed) => {
    for (const el of [...all(root, 'input[type=checkbox],input[type=radio]')].slice(0, MOST)) {
      const by = coverOf(root, el),
        box = by && boxOf(by, dx, dy)
      const around = el.parentElement
      if (by && rectOf(around).width < 60 && rectOf(around).height < 60)
        for (const one of around.children) covered.add(one)
      if (!by || !near(box)) continue
      const [role, labelled] = [
        attribute(el, 'role') === 'switch' ? 'switch' : el.type,
        attribute(el, 'aria-label'),
      ]
      const name =
        clean(labelled) ||
        (by === around && by.localName !== 'label' ? '' : clean(by.innerText) || label(by) || guess(by))
      covers.push({
        box: boxOf(el, dx, dy),
        by: box,
        target: framed ? '' : path(by, root),
        role,
        name,
        checked: el.checked,
        disabled: el.disabled,
      })
    }
  }
  const listeners = new Set(Array.isArray(listening) ? listening : [])
  // What takes clicks that are not plain. Who listens to all kinds is a framework's root, which says nothing.
  const waysOf = (el, kinds) => {
    const isHeld = !kinds.includes('click') && kinds.some((kind) => /^(pointer|mouse)down$/.test(kind))
    return [
      kinds.includes('contextmenu') && 'right',
      kinds.includes('dblclick') && 'double',
      isHeld &&
        el.matches('button,[role=button]') &&
        !el.matches('[aria-haspopup],[draggable=true]') &&
        'hold',
    ].filter(Boolean)
  }
  const findTakes = () => {
    for (const [at, el] of [...listeners].entries()) {
      const kinds = heard?.[at] || []
      if (!el.matches || el.matches('html,body') || kinds.length > 4 || takes.length >= MOST) continue
      const ways = waysOf(el, kinds)
      if (ways.length && near(boxOf(el, 0, 0))) takes.push({ box: boxOf(el, 0, 0), ways })
    }
  }
  // Attributes and anchors that only pages with scripts have: a click on them is for one listener further out.
  const MARKED =
    'a:not([href])[class],a:not([href])[title],[data-action],[data-handler],[ng-click],[jsaction*=click]'
  const isShort = (el) => (el.innerText || '').trim().length < 80
  // Of a host, whose own text is none, what its shadow root shows.
  const textOf = (el) =>
    el.innerText ||
    [...(shadowOf.call(el)?.children || [])]
      .slice(0, 20)
      .filter((one) => !/^(style|link|script)$/.test(one.localName))
      .map((one) => one.innerText)
      .join(' ')
  const says = (one, other) => plain(textOf(one)) === plain(textOf(other))
  // The parent, for the outermost elements of a shadow root its host.
  const above = (el) => {
    const root = el.parentElement ? null : el.getRootNode()
    return root instanceof ShadowRoot ? root.host : el.parentElement
  }
  // Of a list that listens for its items, which have nothing of their own: the items, if they are alike, short and few.
  const items = new Set(),
    MAX_ITEMS = 30
  const hasItems = (el) => {
    const inner = [...el.children].slice(0, MAX_ITEMS + 1),
      [first] = inner
    if (!el.matches('ul,ol,menu,nav,div,section') || inner.length < 2 || inner.length > MAX_ITEMS)
      return false
    const isAlike = inner.every(
      (one) =>
        one.tagName === first.tagName &&
        clean(one.innerText) &&
        isShort(one) &&
        attribute(one, 'role') === attribute(first, 'role') &&
        one.offsetHeight < innerHeight / 5 &&
        !one.matches(WIDGET) &&
        !one.querySelector(WIDGET) &&
        getComputedStyle(one).cursor !== 'pointer' &&
        !listeners.has(one),
    )
    const isText = new Set(inner.map((one) => plain(one.innerText))).size === inner.length
    if (isAlike && isText) inner.forEach((one) => items.add(one))
    return isAlike && isText
  }
  const HEADS = 'h1,h2,h3,h4,h5,h6,legend,figcaption,caption'
  const headOf = (el) => {
    for (let at = el, up = 0; at && up < 6; at = above(at), up++) {
      for (let one = at.previousElementSibling; one; one = one.previousElementSibling) {
        const head = one.matches(HEADS)
          ? one
          : one.matches('header,[class*=head i]')
            ? one.querySelector(HEADS)
            : null
        if (head && clean(head.innerText)) return clean(head.innerText)
      }
    }
    return ''
  }
  const isLarge = (el) => {
    const { width, height } = Element.prototype.getBoundingClientRect.call(el)
    return width * height > (innerWidth * innerHeight) / 4
  }
  const repeats = (el, css) => [...el.querySelectorAll(css)].slice(0, 20).some((inner) => says(inner, el))
  // Whether it listens for controls in it that have all of its text, as a toolbar does. What is drawn may be its own.
  const isBar = (el) => {
    const isHand = (one) => getComputedStyle(one).cursor === 'pointer',
      isPlain = !isHand(el)
    const isControl = (one) => one.matches(WIDGET) || listeners.has(one) || (isPlain && isHand(one))
    const found = el.getElementsByTagName('*'),
      inner = [],
      controls = []
    for (let at = 0, last = null; at < MOST && found[at]; at++) {
      const one = found[at],
        isInside = last?.contains(one)
      if (!isInside) inner.push(one)
      if (!isInside && isControl(one)) controls.push((last = one))
    }
    if (controls.length < 2) return false
    if (
      el.matches(
        'ul,ol,menu,nav,header,footer,fieldset,[role=toolbar],[role=menubar],[role=tablist],[role=group]',
      )
    )
      return true
    const shows = (one) =>
      one.matches('canvas,video,img,svg') ||
      [...one.childNodes].some((part) => part.nodeType === 3 && /\S/.test(part.data))
    return ![el, ...inner].some((one) => !controls.includes(one) && shows(one))
  }
  const isOwn = (el) => {
    if (isLarge(el) || el.matches('html,body,form,label,table,tbody')) return false
    if (isBar(el)) return false
    const up = above(el),
      around = up && [up, above(up)].find((one) => one && listeners.has(one) && !isLarge(one))
    if (around && says(around, el)) return false // nested, and the same
    return !repeats(el, WIDGET)
  }
  // What style sheets show while the pointer is over something: menus whose controls are hidden until then.
  const hovered = (root) => {
    const found = new Set(),
      sheets = getter(isDocument(root) ? Document : ShadowRoot, 'styleSheets')
    const rules = [...sheets.call(root)].flatMap((sheet) => {
      try {
        return [...sheet.cssRules].slice(0, LONG)
      } catch {
        return []
      }
    })
    for (const { selectorText = '', style } of rules) {
      if (performance.now() - started > 100) break
      if (!selectorText.includes(':hover') || !style || !(style.display || style.visibility || style.opacity))
        continue
      for (const one of selectorText.split(',')) {
        const over = /^\s*(\S.*?):hover\s*[\s>+~]/.exec(one)
        try {
          if (over) [...all(root, over[1])].slice(0, MOST).forEach((el) => found.add(el))
        } catch {}
      }
    }
    return found
  }
  const opens = (el) => {
    const inner = [...el.querySelectorAll(WIDGET)].slice(0, 20)
    const isSeen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    return inner.length > 0 && isShort(el) && !inner.some(isSeen)
  }
  // Where cards can be dropped: the columns, or whatever else of one kind, that hold what can be dragged.
  const DRAGGED = '[draggable=true]',
    zones = new Set()
  const findZones = (root) => {
    for (const el of [...all(root, DRAGGED)].slice(0, MOST)) {
      for (let at = el.parentElement, up = 0; at && up < 3 && !zones.has(at); at = at.parentElement, up++) {
        const kin =
          at.parentElement && !at.matches('body,[draggable]')
            ? [...at.parentElement.children].filter(
                (one) => one.tagName === at.tagName && attribute(one, 'class') === attribute(at, 'class'),
              )
            : []
        if (kin.length > 1) {
          kin.slice(0, 20).forEach((one) => zones.add(one))
          break
        }
      }
    }
  }
  const nameOfZone = (el) => {
    const head = el.querySelector('h1,h2,h3,h4,h5,h6,header,legend,caption')
    return label(el) || (head ? clean(head.innerText) : '') || guess(el)
  }
  // An icon that belongs to the control that it is in, or is all that this has: not to one of several in a row.
  const HOST = 'a,button,[role=button],[role=link],[role=menuitem],[role=combobox]'
  const isPart = (el) => {
    if (
      listeners.has(el) ||
      label(el) ||
      [...el.parentElement.children].filter((one) => one.tagName === el.tagName).length > 2
    )
      return false
    const host = el.parentElement.closest(HOST)
    if (host && isShort(host) && (host.matches(`${WIDGET},${MARKED},[role]`) || listeners.has(host)))
      return true
    const around = el.parentElement,
      outer = above(around)
    return (
      !clean(around.innerText) &&
      around.childElementCount === 1 &&
      outer &&
      getComputedStyle(outer).cursor !== 'pointer'
    )
  }
  // Shapes of a drawing without names of their own, such as the countries of a map or the points of a chart: many are one
  // control. With one guessed name, fewer are too many to be told apart.
  const drawings = new Map(),
    MAX_SHAPES = 40,
    MAX_ALIKE = 5
  const drawingOf = (el) => {
    let svg = el.ownerSVGElement
    while (svg?.ownerSVGElement) svg = svg.ownerSVGElement
    return svg
  }
  const idOf = (svg) =>
    [svg, svg.parentElement, svg.parentElement?.parentElement]
      .map((el) => el && words(attribute(el, 'id')))
      .find(Boolean)
  const titleOf = (el) => clean([...el.children].find((one) => one.localName === 'title')?.textContent)
  const keepShape = (svg, el, root, name, found) => {
    const kinds = drawings.get(svg) || drawings.set(svg, new Map()).get(svg),
      guessed = name || guess(el)
    const key = name || ` ${guessed}`,
      kind = kinds.get(key) || { isNamed: name !== '', root, shapes: [], many: 0 }
    kinds.set(key, kind)
    if (++kind.many <= MAX_SHAPES) kind.shapes.push({ ...found, name: guessed, target: path(el, root) })
  }
  const keepDrawings = () => {
    const sum = (kinds) => kinds.reduce((many, kind) => many + kind.many, 0)
    for (const [svg, named] of drawings) {
      const kinds = [...named.values()],
        isFull = sum(kinds.filter((kind) => !kind.isNamed)) > MAX_SHAPES
      const alike = kinds.filter((kind) =>
        kind.isNamed ? kind.many > MAX_SHAPES : isFull || kind.many > MAX_ALIKE,
      )
      if (alike.length && clickables.length < MOST) {
        const { width, height } = rectOf(svg),
          name = label(svg) || titleOf(svg) || headOf(svg) || idOf(svg) || 'drawing'
        const said = [name, `${sum(alike)} shapes`, `${Math.round(width)} x ${Math.round(height)} px`].join(
          ', ',
        )
        clickables.push({
          box: boxOf(svg, 0, 0),
          tag: 'svg',
          name: said,
          target: path(svg, alike[0].root),
          listens: true,
        })
      }
      const shapes = kinds.filter((kind) => !alike.includes(kind)).flatMap((kind) => kind.shapes)
      clickables.push(
        ...shapes.filter((one) => one.target && one.target.length <= LONG).slice(0, MOST - clickables.length),
      )
    }
  }
  const look = (el, root, over) => {
    const editable = el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)
    const widget = el.matches(WIDGET)
    if (covered.has(el) && !clean(el.innerText)) return
    const text = widget ? clean(el.textContent) : ''
    const badge = /^[^\p{L}]+$/u.test(text) ? iconOf([...el.querySelectorAll('*')].slice(0, 8)) : '' // an icon with a number
    if (
      !editable &&
      (widget
        ? el.matches('input,select,textarea,label,iframe') ||
          (text && !badge) ||
          clean(attribute(el, 'aria-label'))
        : el.isContentEditable || el.closest('a[href],button,label,select'))
    )
      return
    const style = getComputedStyle(el)
    const inherited = above(el) && getComputedStyle(above(el)).cursor === 'pointer'
    const icon =
      !el.children.length && !clean(el.textContent) && el.offsetWidth < 60 && !el.matches('img,svg *')
    const hand =
      style.cursor === 'pointer' && (inherited ? icon && !isPart(el) : widget || !repeats(el, `${WIDGET},a`))
    const isHeard = listeners.has(el) && !(!widget && hasItems(el))
    const listens =
      !widget && (items.has(el) || ((isHeard || (el.matches(MARKED) && isShort(el))) && isOwn(el)))
    const isMenu = !widget && over.has(el) && opens(el)
    const isMedia = el.matches('video[controls],audio[controls]')
    const isZone = zones.has(el) && !hand && !listens,
      isDragged = !widget && !isZone && el.matches(DRAGGED)
    if (
      !widget &&
      !editable &&
      !hand &&
      !listens &&
      !isMenu &&
      !isZone &&
      !isDragged &&
      !isMedia &&
      !el.matches('[onclick],[tabindex="0"],summary')
    )
      return
    const box = boxOf(el, 0, 0)
    if (!near(box) || style.visibility !== 'visible' || el.matches('html,body')) return
    const kind = isMedia
      ? 'media'
      : editable
        ? 'editable'
        : isZone
          ? 'dropzone'
          : isDragged
            ? 'draggable'
            : ''
    const tag = kind || el.tagName.toLowerCase().slice(0, 40)
    // A canvas without a label, or what lies on one and takes its clicks.
    const svg = widget ? null : drawingOf(el)
    if (svg)
      return keepShape(svg, el, root, label(el) || titleOf(el) || clean(el.textContent), {
        box,
        tag,
        listens,
      })
    const isDrawn =
      listens &&
      (el.localName === 'canvas' ||
        [...(el.parentElement?.children || [])].some((one) => one.localName === 'canvas'))
    const said = isMedia
      ? `${label(el) || el.localName}, ${el.paused ? 'paused' : 'playing'}`
      : editable
        ? label(el) || ''
        : isZone
          ? nameOfZone(el)
          : badge
            ? `${badge} ${text}`
            : clean(textOf(el)) || label(el)
    const name =
      said ||
      (isDrawn && headOf(el)) ||
      (editable || isZone ? '' : guess(el)) ||
      (el.localName === 'canvas' ? 'canvas' : '')
    const target = path(el, root)
    if (target && target.length <= LONG)
      clickables.push({
        box,
        tag,
        name,
        target,
        listens: listens || isMenu || isZone || isDragged || isMedia,
      })
  }
  const findClickables = (root) => {
    const over = hovered(root)
    findZones(root)
    for (const el of all(root, '*')) {
      if (clickables.length >= MOST || isLate(looked++, started)) break
      try {
        look(el, root, over)
      } catch {} // a form whose fields hide its methods
    }
    try {
      keepDrawings()
    } catch {}
    drawings.clear()
  }
  const visit = (root, dx, dy, framed) => {
    findForms(root, dx, dy, framed)
    if (!isBrief) {
      findShown(root, dx, dy)
      findLevels(root, dx, dy)
      findPlaceholders(root, dx, dy)
      findFields(root, dx, dy)
      try {
        findEditors(root, dx, dy)
      } catch {}
      findLists(root, dx, dy)
      try {
        findCovers(root, dx, dy, framed)
      } catch {}
    }
    if (!framed) reachable.push(root)
    hash(sourceOf(root))
    for (const el of all(root, 'input,textarea,select')) hash(`${el.value} ${el.checked}`)
    for (const el of all(root, '*')) {
      const shadow = shadowOf.call(el)
      if (shadow) visit(shadow, dx, dy, framed)
      if (el.tagName !== 'IFRAME') continue
      const inner = (() => {
        try {
          return el.contentDocument
        } catch {
          return null
        }
      })()
      if (
        frames.length < 20 &&
        near(boxOf(el, dx, dy)) &&
        !/invisible/.test(el.src) &&
        !el.closest('[class*=badge]')
      ) {
        const names = [el.title, attribute(el, 'aria-label'), el.name].map(clean)
        frames.push([...names, clean(el.src)].join(' '))
        frameBoxes.push({
          box: boxOf(el, dx, dy),
          name: names.find(Boolean) || '',
          url: String(el.src).slice(0, 300),
          waits: /^https?:/.test(el.src) && Boolean(inner) && addressOf.call(inner) === 'about:blank',
        })
      }
      if (inner && ++inside > MOST) {
        unknown = true
        continue
      }
      const at = el.getBoundingClientRect()
      if (inner) visit(inner, dx + at.x, dy + at.y, true)
    }
  }
  // Text in the window, piece by piece in the order of the flat tree, each clipped as its containers clip it.
  const texts = [],
    MAX_TEXTS = 1000,
    WHOLE = 2000,
    PIECE = 300,
    isSlot = (el) => el.tagName === 'SLOT'
  const firstOf = getter(Node, 'firstChild'),
    nextOf = getter(Node, 'nextSibling'),
    typeOf = getter(Node, 'nodeType')
  const SILENT = /^(SELECT|TEXTAREA|SCRIPT|STYLE|NOSCRIPT|TEMPLATE|TITLE|CANVAS|VIDEO|AUDIO|OBJECT)$/i
  const CJK = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/
  let textRoom = 30000,
    blocks = 0,
    allTexts = true,
    textsSince = 0
  const clipped = (clip, r, dx, dy) => [
    Math.max(clip[0], r.left + dx),
    Math.max(clip[1], r.top + dy),
    Math.min(clip[2], r.right + dx),
    Math.min(clip[3], r.bottom + dy),
  ]
  const isEmpty = ([left, top, right, bottom]) => right - left < 2 || bottom - top < 2
  const keepText = (node, start, end, at, last) => {
    const range = at.range,
      raw = node.data.slice(start, end)
    range.setStart(node, start)
    range.setEnd(node, end)
    const r = range.getBoundingClientRect(),
      text = raw.replace(/\s+/g, ' ').trim()
    if (!text || isEmpty(clipped(at.clip, r, at.dx, at.dy))) return false
    textRoom -= text.length
    if (texts.length >= MAX_TEXTS || textRoom < 0) {
      allTexts = false
      return false
    }
    const box = [r.left + at.dx, r.top + at.dy, r.width, r.height].map(Math.round),
      before = texts[texts.length - 1]
    const meets =
      before &&
      before.block === at.block &&
      !/\s$/.test(last.raw) &&
      !/^\s/.test(raw) &&
      Math.abs(before.box[0] + before.box[2] - box[0]) < 3 &&
      Math.abs(before.box[1] - box[1]) < box[3]
    const sides = meets ? before.text.slice(-1) + text[0] : '  '
    const tight = Boolean(meets) && (CJK.test(sides) || !/^[\p{L}\p{M}\p{N}]{2}$/u.test(sides))
    texts.push({ box, text, block: at.block, tight })
    last.raw = raw
    return true
  }
  const readText = (node, at, last) => {
    if (!/\S/.test(node.data.slice(0, 100 * LONG))) return
    const size = node.data.length
    at.range.selectNodeContents(node)
    if (isEmpty(clipped(at.clip, at.range.getBoundingClientRect(), at.dx, at.dy))) return
    if (at.isFaint || !at.el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return
    if (size <= WHOLE) {
      keepText(node, 0, size, at, last)
      return
    }
    for (let start = 0, kept = false; start < size && performance.now() < textsSince + 250;) {
      const space = node.data.slice(start + PIECE, start + 2 * PIECE).search(/\s/)
      const end = Math.min(size, start + PIECE + (space < 0 ? 0 : space))
      const isKept = keepText(node, start, end, at, last)
      if (kept && !isKept) return // below the window
      kept ||= isKept
      start = end
    }
  }
  // Text that is there and not painted: tiny, clipped away, transparent, or of the colour of its own ground.
  const isFaint = (style) => {
    const ink = style.webkitTextFillColor,
      ground = style.backgroundImage === 'none' ? style.backgroundColor : ''
    const isInkless = /^rgba.*, 0\)$/.test(ink) ? style.backgroundClip !== 'text' : ink === ground
    return (
      (isInkless && style.textShadow === 'none') ||
      parseFloat(style.fontSize) < 2 ||
      /^(circle|ellipse)\(0|^inset\((50|100)%/.test(style.clipPath)
    )
  }
  const findTexts = () => {
    textsSince = performance.now()
    const open = [[document.documentElement, null]],
      last = { raw: '' }
    const push = (list, at) => {
      for (let i = list.length - 1; i >= 0; i--) open.push([list[i], at])
    }
    const childrenOf = (node) => {
      const list = []
      for (let child = firstOf.call(node); child; child = nextOf.call(child)) list.push(child)
      return list
    }
    const whole = [0, 0, innerWidth, innerHeight]
    let at = {
      clip: whole,
      held: whole,
      fixed: whole,
      dx: 0,
      dy: 0,
      block: 0,
      keeps: false,
      isFaint: false,
      el: null,
      range: document.createRange(),
    }
    while (open.length) {
      if (isLate(passed++, textsSince)) {
        allTexts = false
        return
      }
      const [node, up] = open.pop()
      at = up || at
      if (typeOf.call(node) === 3) {
        readText(node, at, last)
        continue
      }
      if (typeOf.call(node) !== 1 || SILENT.test(node.localName)) continue
      const style = getComputedStyle(node)
      if (style.display === 'none') continue
      const { position, display } = style
      let clip = position === 'fixed' ? at.fixed : position === 'absolute' ? at.held : at.clip
      const isBoxed = display !== 'contents' && display !== 'inline'
      if (
        isBoxed &&
        (style.overflowX !== 'visible' || style.overflowY !== 'visible') &&
        !node.matches('html,body')
      )
        clip = clipped(clip, Element.prototype.getBoundingClientRect.call(node), at.dx, at.dy)
      const held = position !== 'static' || style.transform !== 'none' ? clip : at.held
      const block = /^(inline|contents|ruby)/.test(display) ? at.block : ++blocks
      const keeps = /^(pre|break)/.test(style.whiteSpace) && isBoxed
      if (
        keeps &&
        !at.keeps &&
        verbatim.length < MOST &&
        /\S\s*\n/.test(node.innerText) &&
        !node.querySelector(WIDGET)
      )
        verbatim.push({ box: boxOf(node, at.dx, at.dy), text: node.innerText.slice(0, MAX_HELD) })
      const inner = {
        ...at,
        keeps,
        clip,
        held,
        block,
        isFaint: isFaint(style),
        el: display === 'contents' ? at.el : node,
      } // which has no box
      if (node.localName === 'iframe') {
        const page = (() => {
          try {
            return node.contentDocument
          } catch {
            return null
          }
        })()
        const root = page && getter(Document, 'documentElement').call(page)
        if (!root) continue
        const box = node.getBoundingClientRect(),
          dx = at.dx + box.x + node.clientLeft,
          dy = at.dy + box.y + node.clientTop
        const inside = clipped(clip, box, at.dx, at.dy)
        if (!isEmpty(inside))
          open.push([
            root,
            { ...inner, clip: inside, held: inside, fixed: inside, dx, dy, range: page.createRange() },
          ])
        continue
      }
      const shadow = shadowOf.call(node)
      const given = isSlot(node) ? HTMLSlotElement.prototype.assignedNodes.call(node) : []
      const inside = given.length ? given : childrenOf(shadow || node)
      push(
        node.matches('details:not([open])')
          ? inside.filter((child) => child.localName === 'summary')
          : inside,
        inner,
      )
    }
  }
  visit(document, 0, 0, false)
  if (!isBrief) {
    reachable.forEach(findClickables)
    try {
      findTakes()
    } catch {}
    try {
      findTexts()
    } catch {
      allTexts = false
    }
  }
  // What is in view or near it comes before the rest, so that a page cannot crowd it out.
  const pick = (some, most) =>
    [...some.filter((one) => one.isNear), ...some.filter((one) => !one.isNear)].slice(0, most)
  const buttons = pick(
    controls.filter((one) => one.isButton),
    5 * MOST,
  )
  const submitters = [
    ...buttons,
    ...pick(
      controls.filter((one) => !one.isButton),
      MOST,
    ),
  ].sort((a, b) => a.place - b.place)
  const sent = submitters.map(({ el, box, isButton }) => ({
    box,
    to: destination(el, isButton),
    get: isGet(el, isButton),
  }))
  const ready = getter(Document, 'readyState').call(document)
  hash([addressOf.call(document), ready, innerWidth, innerHeight, scrollX, scrollY].join(' '))
  const moment = `${performance.timeOrigin}:${innerWidth}x${innerHeight}@${scrollX},${scrollY}:${state}`
  const documents = DOCUMENTS_IN.map((one) => one.name)
  return {
    clickables,
    secrets,
    documents,
    submits: buttons.map((one) => one.box),
    uploads,
    openers,
    takes,
    shown,
    levels,
    placeholders,
    fields,
    editors,
    lists,
    verbatim,
    groups,
    covers,
    sent,
    frames,
    framed: frameBoxes,
    texts,
    all_texts: allTexts,
    unknown,
    deaf: listening === null,
    moment,
  }
}
