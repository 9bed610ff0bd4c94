const getter = (kind, name) => Object.getOwnPropertyDescriptor(kind.prototype, name).get
const shadowOf = getter(Element, 'shadowRoot'),
  parentOf = getter(Node, 'parentElement')
const slotOf = getter(Element, 'assignedSlot'),
  isDocument = (root) => getter(Node, 'nodeType').call(root) === 9
const attribute = (el, name) => Element.prototype.getAttribute.call(el, name) || ''
const is = (el, css) => Element.prototype.matches.call(el, css)
const rect = (el) => Element.prototype.getBoundingClientRect.call(el)
const rootOf = (el) => Node.prototype.getRootNode.call(el)
const allIn = (el, css) => Element.prototype.querySelectorAll.call(el, css)
const hit = (root, x, y) =>
  (isDocument(root) ? Document : ShadowRoot).prototype.elementFromPoint.call(root, x, y)
const inFlatTree = (el) =>
  slotOf.call(el) || parentOf.call(el) || (rootOf(el) instanceof ShadowRoot && rootOf(el).host) || null
const deepest = (root, x, y) => {
  let el = hit(root, x, y)
  for (let depth = 0; el && depth < 50; depth++) {
    const shadow = shadowOf.call(el),
      inner = shadow && hit(shadow, x, y)
    if (!inner || rootOf(inner) !== shadow) break
    el = inner
  }
  return el
}
const documentIn = (el) => {
  try {
    return is(el, 'iframe,frame') ? el.contentDocument : null
  } catch {
    return null
  }
}
// Where the document of a frame begins; null if the frame is drawn in another size than its own.
const originOf = (el) => {
  const box = rect(el),
    style = getComputedStyle(el)
  if (Math.abs(box.width - el.offsetWidth) > 1 || Math.abs(box.height - el.offsetHeight) > 1) return null
  const inset = [el.clientLeft + parseFloat(style.paddingLeft), el.clientTop + parseFloat(style.paddingTop)]
  return [box.x + inset[0], box.y + inset[1], ...inset]
}
const DRAWN = 'canvas,svg,img,video,embed,object'
const drawnAround = (el) => Element.prototype.closest.call(el, DRAWN)
const holds = (box, x, y) => box.left <= x && x < box.right && box.top <= y && y < box.bottom
const isNamed = (el) => (is(el, 'img') ? attribute(el, 'alt').trim() : is(el, 'svg') && rect(el).width < 48)
