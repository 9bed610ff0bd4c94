"""Scripts that read what is drawn in the window and what is at a point of it. Both only read."""

from __future__ import annotations

_COMMON = r"""
  const getter = (kind, name) => Object.getOwnPropertyDescriptor(kind.prototype, name).get;
  const shadowOf = getter(Element, 'shadowRoot'), parentOf = getter(Node, 'parentElement');
  const slotOf = getter(Element, 'assignedSlot'), isDocument = root => getter(Node, 'nodeType').call(root) === 9;
  const attribute = (el, name) => Element.prototype.getAttribute.call(el, name) || '';
  const is = (el, css) => Element.prototype.matches.call(el, css);
  const rect = el => Element.prototype.getBoundingClientRect.call(el);
  const rootOf = el => Node.prototype.getRootNode.call(el);
  const allIn = (el, css) => Element.prototype.querySelectorAll.call(el, css);
  const hit = (root, x, y) => (isDocument(root) ? Document : ShadowRoot).prototype.elementFromPoint.call(root, x, y);
  const inFlatTree = el => slotOf.call(el) || parentOf.call(el) || (rootOf(el) instanceof ShadowRoot && rootOf(el).host) || null;
  const deepest = (root, x, y) => {
    let el = hit(root, x, y);
    for (let depth = 0; el && depth < 50; depth++) {
      const shadow = shadowOf.call(el), inner = shadow && hit(shadow, x, y);
      if (!inner || rootOf(inner) !== shadow) break;
      el = inner;
    }
    return el;
  };
  const documentIn = el => {
    try { return is(el, 'iframe,frame') ? el.contentDocument : null; } catch { return null; }
  };
  // Where the document of a frame begins; null if the frame is drawn in another size than its own.
  const originOf = el => {
    const box = rect(el), style = getComputedStyle(el);
    if (Math.abs(box.width - el.offsetWidth) > 1 || Math.abs(box.height - el.offsetHeight) > 1) return null;
    const inset = [el.clientLeft + parseFloat(style.paddingLeft), el.clientTop + parseFloat(style.paddingTop)];
    return [box.x + inset[0], box.y + inset[1], ...inset];
  };
  const DRAWN = 'canvas,svg,img,video,embed,object';
  const drawnAround = el => Element.prototype.closest.call(el, DRAWN);
  const holds = (box, x, y) => box.left <= x && x < box.right && box.top <= y && y < box.bottom;
  const isNamed = el => is(el, 'img') ? attribute(el, 'alt').trim() : is(el, 'svg') && rect(el).width < 48;
"""

POINT_SCRIPT = (
    r"""() => {"""
    + _COMMON
    + r"""
  const CONTROL = 'a[href],area[href],button,input,select,textarea,option,label,summary,audio[controls],' +
    'video[controls],fencedframe,object,embed,[onclick],[contenteditable=""],[contenteditable=true],' +
    ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'textbox', 'combobox', 'menuitem', 'option', 'slider',
     'spinbutton', 'treeitem', 'menuitemcheckbox', 'menuitemradio'].map(role => `[role=${role}]`).join();
  const ROLES = {a: 'link', area: 'link', button: 'button', select: 'combobox', textarea: 'textbox', img: 'img'};
  const INPUTS = {checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
    button: 'button', submit: 'button', reset: 'button', image: 'button'};
  const clean = text => (typeof text === 'string' ? text : '').slice(0, 2000).replace(/\s+/g, ' ').trim().slice(0, 80);
  const roleOf = el => clean(attribute(el, 'role')) || (is(el, 'input') ? INPUTS[attribute(el, 'type')] || 'textbox'
    : is(el, 'a:not([href])') ? '' : ROLES[el.localName] || '');
  const nameOf = el => clean(attribute(el, 'aria-label') || attribute(el, 'title') || attribute(el, 'alt'));
  const boxOf = (el, dx, dy) => { const r = rect(el); return [r.x + dx, r.y + dy, r.width, r.height].map(Math.round); };
  const placeIn = el => {
    const around = inFlatTree(el), kin = parentOf.call(el) ? [...parentOf.call(el).children] : [el];
    return `${el.localName.slice(0, 40)}:${around ? kin.indexOf(el) : 0}`;
  };
  let root = document, x = __X__, y = __Y__, dx = 0, dy = 0, inset = [0, 0], frame = '', beyond = null;
  const layers = [], steps = [];
  let surface = null, bound = '';
  for (let depth = 0; depth < 20; depth++) {
    const inner = deepest(root, x, y), found = [], path = [];
    for (let el = inner; el && found.length < 60; el = inFlatTree(el)) {
      const label = nameOf(el), hint = `${attribute(el, 'id')} ${attribute(el, 'class')}`.slice(0, 200);
      found.push({tag: el.localName.slice(0, 40), role: roleOf(el), name: label, hint, box: boxOf(el, dx, dy), inset,
        control: is(el, CONTROL)});
      path.push(placeIn(el));
      if (is(el, 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true]')) bound = 'dialog';
      else if (is(el, 'form,[role=form]')) bound ||= 'form';
    }
    layers.unshift(...found);
    steps.unshift(...path);
    surface = null;
    if (inner && !is(inner, 'html,body')) {
      const own = drawnAround(inner), inside = own ? [own] : [...allIn(inner, DRAWN)].slice(0, 300);
      const under = inside.filter(el => holds(rect(el), x, y) && rect(el).width * rect(el).height > 2000);
      const largest = under.sort((a, b) => rect(b).width * rect(b).height - rect(a).width * rect(a).height)[0];
      // A map of several pictures is one surface: the element that they are in.
      if (largest) surface = boxOf(own || (under.length && inside.length > 1 ? inner : largest), dx, dy);
    }
    const document_ = inner && documentIn(inner), origin = inner && is(inner, 'iframe,frame') ? originOf(inner) : null;
    if (inner && is(inner, 'iframe,frame'))
      frame = clean([nameOf(inner), attribute(inner, 'name')].find(Boolean) || '') + ' ' + attribute(inner, 'src').slice(0, 200);
    if (inner && is(inner, 'iframe,frame') && !document_) {
      beyond = origin && [origin[0] + dx, origin[1] + dy, origin[2] + inset[0], origin[3] + inset[1]];
    }
    if (!document_ || !origin) break;
    root = document_;
    x -= origin[0]; y -= origin[1];
    dx += origin[0]; dy += origin[1];
    inset = [inset[0] + origin[2], inset[1] + origin[3]];
  }
  return {layers, steps, surface, bound, frame: frame.trim(), beyond, width: innerWidth, height: innerHeight};
}"""
)
"""What is at `__X__, __Y__` of the window: the elements from the innermost one outwards, as in `Layers`."""

DRAWN_SCRIPT = (
    r"""() => {"""
    + _COMMON
    + r"""
  const COLUMNS = 24, ROWS = 14;
  const isDrawnAt = (root, x, y, depth) => {
    const top = deepest(root, x, y);
    if (!top || is(top, 'html,body')) return false;
    const inner = depth < 5 && documentIn(top), origin = inner && originOf(top);
    if (origin) return isDrawnAt(inner, x - origin[0], y - origin[1], depth + 1);
    const own = drawnAround(top), candidates = own ? [own] : [...allIn(top, DRAWN)].slice(0, 100);
    return candidates.some(el => holds(rect(el), x, y) && !isNamed(el));
  };
  let drawn = 0;
  for (let column = 0; column < COLUMNS; column++)
    for (let row = 0; row < ROWS; row++)
      drawn += isDrawnAt(document, (column + 0.5) * innerWidth / COLUMNS, (row + 0.5) * innerHeight / ROWS, 0);
  return {share: drawn / COLUMNS / ROWS, width: innerWidth, height: innerHeight};
}"""
)
"""How much of the window shows something drawn that no name describes: `{share: 0 to 1, width, height}`."""


def point_script(x: float, y: float) -> str:
    """`POINT_SCRIPT` for one point, in CSS pixels of the window that the script runs in."""
    return POINT_SCRIPT.replace("__X__", repr(float(x))).replace("__Y__", repr(float(y)))
