;(boxes) => {
  const found = boxes.map(() => null)
  const editors = [],
    sides = (el) => {
      const r = el.getBoundingClientRect(),
        [dx, dy] = offsets.get(el.ownerDocument)
      return [r.x + dx, r.y + dy, r.width, r.height]
    }
  const offsets = new Map([[document, [0, 0]]]) // of the frames of this site, as boxes of a snapshot have them
  const same = (el, box) => sides(el).map((value, side) => Math.abs(value - box[side]) <= 1)
  const search = (root) => {
    editors.push(...EDITORS_IN((css) => root.querySelectorAll(css)))
    for (const { boxes: parts } of GROUPS_IN(
      (css) => [...root.querySelectorAll(css)],
      () => false,
    ))
      boxes.forEach((box, at) => {
        if (same(parts[0], box).every(Boolean)) found[at] ??= { input: parts[0], box: parts[0], parts }
      })
    for (const el of root.querySelectorAll('*')) {
      if (el.shadowRoot) search(el.shadowRoot)
      if (el.localName === 'iframe') {
        const inner = (() => {
            try {
              return el.contentDocument
            } catch {
              return null
            }
          })(),
          [x, y] = sides(el)
        if (inner && !offsets.has(inner)) {
          offsets.set(inner, [x, y])
          search(inner)
        }
      }
      const isField =
        ['INPUT', 'TEXTAREA', 'SELECT'].includes(el.tagName) ||
        el.matches('[role=checkbox],[role=radio],[role=switch],[role=slider],[role=spinbutton],video,audio')
      const field = isField
        ? el
        : el.localName === 'label' && /^(checkbox|radio)$/.test(el.control?.type)
          ? el.control
          : null
      if (field)
        boxes.forEach((box, at) => {
          if (same(el, box).every(Boolean)) found[at] ??= { input: field, box: el }
        })
    }
  }
  // An editor may have grown, or been scrolled, since it was seen.
  const likely = [
    (sides) => sides.every(Boolean),
    ([x, y]) => x && y,
    ([, , width, height]) => width && height,
    ([x, , width]) => x && width,
  ]
  const editorAt = (box) => {
    for (const isIt of likely) {
      const some = editors.filter((one) => isIt(same(one.box, box)) || isIt(same(one.input, box)))
      if (some.length === 1) return some[0]
    }
    return null
  }
  search(document)
  globalThis.pilothouseFields = found.map((one, at) =>
    one && !editors.some((each) => each.input === one.input) ? one : editorAt(boxes[at]),
  )
  return pilothouseFields.map(Boolean)
}
