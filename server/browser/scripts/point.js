;() => {
  POINT_HELPERS

  const CONTROL =
    'a[href],area[href],button,input,select,textarea,option,label,summary,audio[controls],' +
    'video[controls],fencedframe,object,embed,[onclick],[contenteditable=""],[contenteditable=true],' +
    [
      'button',
      'link',
      'checkbox',
      'radio',
      'switch',
      'tab',
      'textbox',
      'combobox',
      'menuitem',
      'option',
      'slider',
      'spinbutton',
      'treeitem',
      'menuitemcheckbox',
      'menuitemradio',
    ]
      .map((role) => `[role=${role}]`)
      .join()
  const ROLES = {
    a: 'link',
    area: 'link',
    button: 'button',
    select: 'combobox',
    textarea: 'textbox',
    img: 'img',
  }
  const INPUTS = {
    checkbox: 'checkbox',
    radio: 'radio',
    range: 'slider',
    number: 'spinbutton',
    search: 'searchbox',
    button: 'button',
    submit: 'button',
    reset: 'button',
    image: 'button',
  }
  const clean = (text) =>
    (typeof text === 'string' ? text : '').slice(0, 2000).replace(/\s+/g, ' ').trim().slice(0, 80)
  const roleOf = (el) =>
    clean(attribute(el, 'role')) ||
    (is(el, 'input')
      ? INPUTS[attribute(el, 'type')] || 'textbox'
      : is(el, 'a:not([href])')
        ? ''
        : ROLES[el.localName] || '')
  const nameOf = (el) => clean(attribute(el, 'aria-label') || attribute(el, 'title') || attribute(el, 'alt'))
  const boxOf = (el, dx, dy) => {
    const r = rect(el)
    return [r.x + dx, r.y + dy, r.width, r.height].map(Math.round)
  }
  const placeIn = (el) => {
    const around = inFlatTree(el),
      kin = parentOf.call(el) ? [...parentOf.call(el).children] : [el]
    return `${el.localName.slice(0, 40)}:${around ? kin.indexOf(el) : 0}`
  }
  let root = document,
    x = __X__,
    y = __Y__,
    dx = 0,
    dy = 0,
    inset = [0, 0],
    frame = '',
    beyond = null
  const layers = [],
    steps = []
  let surface = null,
    bound = ''
  for (let depth = 0; depth < 20; depth++) {
    const inner = deepest(root, x, y),
      found = [],
      path = []
    for (let el = inner; el && found.length < 60; el = inFlatTree(el)) {
      const label = nameOf(el),
        hint = `${attribute(el, 'id')} ${attribute(el, 'class')}`.slice(0, 200)
      found.push({
        tag: el.localName.slice(0, 40),
        role: roleOf(el),
        name: label,
        hint,
        box: boxOf(el, dx, dy),
        inset,
        control: is(el, CONTROL),
      })
      path.push(placeIn(el))
      if (is(el, 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true]')) bound = 'dialog'
      else if (is(el, 'form,[role=form]')) bound ||= 'form'
    }
    layers.unshift(...found)
    steps.unshift(...path)
    surface = null
    if (inner && !is(inner, 'html,body')) {
      const own = drawnAround(inner),
        inside = own ? [own] : [...allIn(inner, DRAWN)].slice(0, 300)
      const under = inside.filter((el) => holds(rect(el), x, y) && rect(el).width * rect(el).height > 2000)
      const largest = under.sort((a, b) => rect(b).width * rect(b).height - rect(a).width * rect(a).height)[0]
      // A map of several pictures is one surface: the element that they are in.
      if (largest) surface = boxOf(own || (under.length && inside.length > 1 ? inner : largest), dx, dy)
    }
    const document_ = inner && documentIn(inner),
      origin = inner && is(inner, 'iframe,frame') ? originOf(inner) : null
    if (inner && is(inner, 'iframe,frame'))
      frame =
        clean([nameOf(inner), attribute(inner, 'name')].find(Boolean) || '') +
        ' ' +
        attribute(inner, 'src').slice(0, 200)
    if (inner && is(inner, 'iframe,frame') && !document_) {
      beyond = origin && [origin[0] + dx, origin[1] + dy, origin[2] + inset[0], origin[3] + inset[1]]
    }
    if (!document_ || !origin) break
    root = document_
    x -= origin[0]
    y -= origin[1]
    dx += origin[0]
    dy += origin[1]
    inset = [inset[0] + origin[2], inset[1] + origin[3]]
  }
  return {
    layers,
    steps,
    surface,
    bound,
    frame: frame.trim(),
    beyond,
    width: innerWidth,
    height: innerHeight,
  }
}
