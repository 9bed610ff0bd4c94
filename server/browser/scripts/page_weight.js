;() => {
  const elements = Document.prototype.getElementsByTagName.call(document, '*'),
    root = elements[0]
  let weight = elements.length + (root ? root.textContent.length : 0) / 100
  if (weight > LIMIT) return weight
  const named = ['href', 'aria-label', 'title', 'alt', 'placeholder']
  for (const el of elements) {
    for (const name of named) weight += (Element.prototype.getAttribute.call(el, name) || '').length / 100
    if (/^(INPUT|TEXTAREA)$/.test(el.tagName)) weight += el.value.length / 100
    if (weight > LIMIT) return weight
  }
  return weight
}
