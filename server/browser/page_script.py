"""The optional second source of an observation: what a small read-only script finds in the page.

The accessibility snapshot says nothing of handlers on plain elements, of icons that have only a class or
a title, and of which field holds a secret. `PAGE_SCRIPT` is run beside the page's own scripts; the JSON it
returns is read as `Extra`.
"""

from collections.abc import Callable

from pydantic import BaseModel

Box = tuple[float, float, float, float]
"""x, y, width, height in CSS pixels of the viewport."""


class Clickable(BaseModel, frozen=True):
    """Something that looks clickable and has no role, or no name, of its own."""

    box: Box
    tag: str
    """Lower case; `editable` for the root of an editable region."""
    name: str = ""
    """A guess: label, title, alternative text, svg title, else words of its class or id."""
    target: str
    """A selector that is unique in the page, for the MCP server's `target`."""


class SecretField(BaseModel, frozen=True):
    """A password, card or one-time-code field and what is in it, so that it can be masked everywhere."""

    box: Box
    value: str = ""


class Sent(BaseModel, frozen=True):
    """A control of a form, and the address that it sends the form to."""

    box: Box
    to: str


class Shown(BaseModel, frozen=True):
    """A control whose label for screen readers is not what a person sees on it."""

    box: Box
    text: str


class Extra(BaseModel, frozen=True):
    clickables: tuple[Clickable, ...] = ()
    secrets: tuple[SecretField, ...] = ()
    submits: tuple[Box, ...] = ()
    """Boxes of the buttons that submit a form."""
    shown: tuple[Shown, ...] = ()
    sent: tuple[Sent, ...] = ()

    def masked(self, mask: Callable[[str], str]) -> "Extra":
        """The same with masked words."""
        clickables = (one.model_copy(update={"name": mask(one.name)}) for one in self.clickables)
        shown = (one.model_copy(update={"text": mask(one.text)}) for one in self.shown)
        sent = (one.model_copy(update={"to": mask(one.to)}) for one in self.sent)
        told = {"clickables": tuple(clickables), "shown": tuple(shown), "sent": tuple(sent)}
        return self.model_copy(update=told)


PAGE_SCRIPT = r"""() => {
  const WIDGET = 'a[href],button,input,select,textarea,option,label,iframe,[contenteditable=""],' +
    '[contenteditable=true],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],' +
    '[role=textbox],[role=combobox],[role=menuitem],[role=option],[role=slider],[role=treeitem]';
  const NOISE = new Set(('icon icons ico btn button fa fas far fab fal glyphicon material mdi bi svg img image ' +
    'link item wrapper container inner outer js is has css sc small large sm md lg xl active left right').split(' '));
  const MOST = 200, started = performance.now();
  const clickables = [], secrets = [], submits = [], shown = [], sent = [], reachable = [];

  const boxOf = (el, dx, dy) => {
    const r = el.getBoundingClientRect();
    return [Math.round(r.x + dx), Math.round(r.y + dy), Math.round(r.width), Math.round(r.height)];
  };
  const near = ([x, y, w, h]) => w > 1 && h > 1 && x < innerWidth && x + w > 0 &&
    y < 3 * innerHeight && y + h > -innerHeight;
  const clean = text => (text || '').replace(/\s+/g, ' ').trim().slice(0, 80);
  const words = text => clean((typeof text === 'string' ? text : '')
    .replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^\p{L}]+/u)
    .filter(word => word.length > 2 && !NOISE.has(word)).slice(0, 3).join(' '));
  const label = el => el.getAttribute && clean(el.getAttribute('aria-label') || el.getAttribute('title') ||
    el.getAttribute('data-tooltip') || el.getAttribute('data-original-title') || el.getAttribute('alt'));
  const guess = el => {
    const inside = [el, ...[...el.querySelectorAll('*')].slice(0, 8)];
    for (const part of inside) if (label(part)) return label(part);
    const svg = el.querySelector('svg title');
    if (svg && clean(svg.textContent)) return clean(svg.textContent);
    for (const part of inside) {
      const use = part.tagName === 'use' && (part.getAttribute('href') || part.getAttribute('xlink:href'));
      const found = (use && words(use.split('#').pop())) || words(part.getAttribute('data-icon')) ||
        words(part.getAttribute('class')) || words(part.id) || words(part.getAttribute('name'));
      if (found) return found;
    }
    return '';
  };
  const path = (el, root) => {
    const steps = [];
    for (let at = el; at && at.nodeType === 1; at = at.parentElement) {
      const id = at.id && '#' + CSS.escape(at.id);
      if (id && root.querySelectorAll(id).length === 1) { steps.unshift(id); break; }
      const same = at.parentNode ? [...at.parentNode.children].filter(kin => kin.tagName === at.tagName) : [];
      const place = same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : '';
      steps.unshift(CSS.escape(at.tagName.toLowerCase()) + place);
    }
    const inner = 'css=' + steps.join(' > ');
    return root.host ? path(root.host, root.host.getRootNode()) + ' >> ' + inner : inner;
  };
  const isSecret = el => {
    const auto = el.autocomplete || '', words = `${el.name} ${el.id} ${el.getAttribute('autocomplete') || ''}`;
    return el.type === 'password' || /(password|cc-|one-time-code)/.test(auto) ||
      (getComputedStyle(el).webkitTextSecurity || 'none') !== 'none' ||
      /(^|[^a-z])(passwd|password|otp|totp|cvv2?|cvc2?|card-?_?num(ber)?|cc-?_?num(ber)?)([^a-z]|$)/i.test(words);
  };
  // A field of the form called "action" or "getAttribute" hides the form's own.
  const attribute = (el, name) => Element.prototype.getAttribute.call(el, name);
  const destination = (el, isButton) => {
    const own = isButton ? attribute(el, 'formaction') : null, page = el.ownerDocument;
    const action = (own === null ? attribute(el.form, 'action') || '' : own).trim();
    try { return (action ? new URL(action, page.baseURI).href : page.URL).slice(0, 1000); } catch { return action; }
  };
  const findForms = (root, dx, dy) => {
    for (const el of root.querySelectorAll('input,textarea,button')) {
      if (el.tagName !== 'BUTTON' && isSecret(el)) secrets.push({box: boxOf(el, dx, dy), value: el.value});
      if (!el.form || /^(hidden|button|reset)$/.test(el.type)) continue;
      const isButton = /^(submit|image)$/.test(el.type);
      if (isButton) submits.push(boxOf(el, dx, dy));
      if (sent.length < (isButton ? 5 * MOST : MOST)) sent.push({box: boxOf(el, dx, dy), to: destination(el, isButton)});
    }
  };
  const CALLED = 'a[href],button,input[type=submit],input[type=button],[role=button],[role=link],[role=menuitem],' +
    '[role=tab],[role=switch],[role=checkbox],[role=option]';
  const plain = text => clean(text).toLowerCase();
  const findShown = (root, dx, dy) => {
    for (const el of root.querySelectorAll('[aria-label],[aria-labelledby]')) {
      if (shown.length >= MOST || performance.now() - started > 250) return;
      if (!el.matches(CALLED) || !near(boxOf(el, dx, dy))) continue;
      const label = el.getAttribute('aria-labelledby') ? el.getAttribute('aria-labelledby').split(/\s+/)
        .map(id => (root.getElementById(id) || {}).textContent).join(' ') : el.getAttribute('aria-label');
      const text = clean(el.tagName === 'INPUT' ? el.value : el.innerText);
      if (!/\p{L}{3}/u.test(text) || /^[a-z]+(_[a-z0-9]+)+$/.test(text)) continue;
      if (!plain(label).includes(plain(text))) shown.push({box: boxOf(el, dx, dy), text});
    }
  };
  const look = (el, root) => {
    const editable = el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
    const widget = el.matches(WIDGET);
    if (!editable && (widget ? el.matches('input,select,textarea,label,iframe') || clean(el.textContent) || label(el)
                             : el.isContentEditable || el.closest('a[href],button,label,select'))) return;
    const style = getComputedStyle(el);
    const inherited = el.parentElement && getComputedStyle(el.parentElement).cursor === 'pointer';
    const icon = !el.children.length && !clean(el.textContent) && el.offsetWidth < 60 && !el.matches('img,svg *');
    const hand = style.cursor === 'pointer' && (!inherited || icon);
    if (!widget && !editable && !hand && !el.matches('[onclick],[tabindex="0"],summary')) return;
    const box = boxOf(el, 0, 0);
    if (!near(box) || style.visibility !== 'visible' || el.matches('html,body')) return;
    const tag = editable ? 'editable' : el.tagName.toLowerCase();
    const name = editable ? label(el) || '' : clean(el.innerText) || guess(el);
    clickables.push({box, tag, name, target: path(el, root)});
  };
  const findClickables = root => {
    for (const el of root.querySelectorAll('*')) {
      if (clickables.length >= MOST || performance.now() - started > 250) return;
      look(el, root);
    }
  };
  const visit = (root, dx, dy, framed) => {
    findForms(root, dx, dy);
    findShown(root, dx, dy);
    if (!framed) reachable.push(root);
    for (const el of root.querySelectorAll('*')) {
      if (el.shadowRoot) visit(el.shadowRoot, dx, dy, framed);
      if (el.tagName !== 'IFRAME') continue;
      const inner = (() => { try { return el.contentDocument; } catch { return null; } })();
      const at = el.getBoundingClientRect();
      if (inner) visit(inner, dx + at.x, dy + at.y, true);
    }
  };
  visit(document, 0, 0, false);
  reachable.forEach(findClickables);
  return {clickables, secrets, submits, shown, sent};
}"""
