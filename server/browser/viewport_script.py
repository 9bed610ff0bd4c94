"""For pages that are too large to be read whole: how large they are, and what is in view of them."""

MEASURE_SCRIPT = (
    "() => document.getElementsByTagName('*').length + (document.body?.textContent.length || 0) / 200"
)
"""A page's weight: its elements, and its text as so many elements as a reading costs the same time."""

TOO_HEAVY = 15_000
"""Above this weight an accessibility snapshot takes seconds."""

VIEWPORT_SCRIPT = r"""() => {
  const ROLES = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', SUMMARY: 'button',
    H1: 'heading', H2: 'heading', H3: 'heading'};
  const KINDS = {checkbox: 'checkbox', radio: 'radio', submit: 'button', button: 'button', reset: 'button',
    image: 'button', range: 'slider', number: 'spinbutton', search: 'searchbox'};
  const started = performance.now(), lines = [];
  const clean = text => (text || '').replace(/\s+/g, ' ').trim().slice(0, 120);
  const roleOf = el => el.getAttribute('role') ||
    (el.tagName === 'INPUT' ? el.type === 'hidden' ? '' : KINDS[el.type] || 'textbox' : ROLES[el.tagName] || '');
  const nameOf = el => clean(el.getAttribute('aria-label') || el.labels?.[0]?.innerText || el.innerText ||
    el.title || el.placeholder || el.alt || (el.type === 'submit' ? el.value : ''));
  const path = el => {
    const steps = [];
    for (; el && el !== document.documentElement; el = el.parentElement) {
      let nth = 1;
      for (let kin = el; (kin = kin.previousElementSibling);) nth += kin.tagName === el.tagName;
      steps.unshift(`${CSS.escape(el.tagName.toLowerCase())}:nth-of-type(${nth})`);
    }
    return 'css=html > ' + steps.join(' > ');
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  while (lines.length < 250 && performance.now() - started < 1500 && walker.nextNode()) {
    const el = walker.currentNode, r = el.getBoundingClientRect();
    if (r.bottom < 0 || r.top > innerHeight || r.right < 0 || r.left > innerWidth || r.width < 2 || r.height < 2) continue;
    const role = roleOf(el), box = `[box=${[r.x, r.y, r.width, r.height].map(Math.round)}]`;
    if (role) {
      const where = role === 'heading' ? '' : ` [ref=${path(el)}]`;
      const value = /box$/.test(role) && el.type !== 'password' && el.value ? ': ' + JSON.stringify(clean(el.value)) : '';
      lines.push(`- ${role} ${JSON.stringify(nameOf(el))}${where} ${box}${value}`);
      continue;
    }
    const inside = el.parentElement?.closest('a,button,select,textarea,summary,h1,h2,h3,[role]');
    const words = inside ? '' : clean([...el.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join(' '));
    if (words) lines.push(`- generic ${box}: ${JSON.stringify(words)}`);
  }
  return lines.join('\n');
}"""
"""Gives lines in the form of a snapshot with boxes; the refs are selectors."""
