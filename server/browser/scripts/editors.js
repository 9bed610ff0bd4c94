;(all) => {
  const LINE = '.view-line,.CodeMirror-line,.cm-line,.ace_line',
    CODE = /editor|codemirror|terminal|xterm|mono|consol|courier|menlo/i
  const rectOf = (el) => Element.prototype.getBoundingClientRect.call(el)
  const isBig = (el, least) => {
    const r = rectOf(el)
    return r.width > least && r.height > least
  }
  const isDrawn = (el) =>
    isBig(el, 4) &&
    el.parentElement &&
    isBig(el.parentElement, 4) &&
    el.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const isCode = (el) => isBig(el, 14) && CODE.test(`${el.className} ${getComputedStyle(el).fontFamily}`)
  const hasGutter = (el) => el.querySelector('[class*=gutter i]')
  const around = (el, fits) => {
    for (let at = el.parentElement, up = 0; at && up < 4; at = at.parentElement, up++)
      if (!at.matches('html,body,form') && fits(at)) return at
    return null
  }
  const boxOf = (el) => {
    if (el.isContentEditable) return el.parentElement?.isContentEditable ? null : around(el, hasGutter) || el
    // One that has no box takes no keys: it only carries the text of an editor to the server.
    const isHidden =
      el.localName === 'textarea' &&
      el.getClientRects().length > 0 &&
      !isDrawn(el) &&
      !el.matches('[readonly],:disabled,[aria-hidden=true]')
    return el.editContext || isHidden ? around(el, isCode) : null
  }
  const textOf = (input, box) => {
    const lines = [...box.querySelectorAll(LINE)]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => [rectOf(one).top, one.textContent])
    const text = lines.length
      ? lines
          .sort((a, b) => a[0] - b[0])
          .map((one) => one[1])
          .join('\n')
      : (box.contains(input) && input.isContentEditable ? input : box).innerText
    return text
      .replace(/\u00a0/g, ' ')
      .replace(/\u200b/g, '')
      .replace(/\n$/, '')
  }
  const found = []
  for (const input of all('textarea,[contenteditable],[role=textbox]')) {
    const box = boxOf(input)
    if (box) found.push({ input, box, text: () => textOf(input, box) })
  }
  return found
}
