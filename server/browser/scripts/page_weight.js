;() => {
  const elements = Document.prototype.getElementsByTagName.call(document, '*'),
    root = elements[0],
    chars = (el) => el.textContent.length
  // Scripts and styles are text in the document, which may be megabytes of data, but none that is read.
  const unread = [...Document.prototype.querySelectorAll.call(document, 'script, style')]
  let weight =
    elements.length + ((root ? chars(root) : 0) - unread.reduce((sum, el) => sum + chars(el), 0)) / 100
  if (weight > LIMIT) return weight
  const named = ['href', 'aria-label', 'title', 'alt', 'placeholder']
  for (const el of elements) {
    for (const name of named) weight += (Element.prototype.getAttribute.call(el, name) || '').length / 100
    if (/^(INPUT|TEXTAREA)$/.test(el.tagName)) weight += el.value.length / 100
    if (weight > LIMIT) return weight
  }
  return weight
}
