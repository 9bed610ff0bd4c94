;(query) => {
  const plain = (text) => text.replace(/\s+/g, ' ').trim().toLowerCase(),
    wanted = plain(query),
    found = []
  const search = (root) => {
    for (
      const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      walk.nextNode();
    ) {
      const node = walk.currentNode
      if (node.shadowRoot) search(node.shadowRoot)
      if (node.nodeType === Node.TEXT_NODE && plain(node.data).includes(wanted)) found.push(node)
    }
  }
  search(document)
  const placeOf = (node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect()
  }
  const boxes = (node) => {
    const all = []
    for (let at = node.parentNode; at; at = at.parentNode || at.host)
      if (
        at instanceof Element &&
        at !== document.body &&
        at !== document.documentElement &&
        getComputedStyle(at).overflowY !== 'visible'
      )
        all.push(at)
    return all
  }
  const isSeen = (node) => {
    const { top, bottom, height } = placeOf(node),
      middle = (top + bottom) / 2
    return (
      height > 0 &&
      middle > 0 &&
      middle < innerHeight &&
      boxes(node).every((one) => {
        const r = one.getBoundingClientRect()
        return middle >= r.top && middle <= r.bottom
      })
    )
  }
  const shown = found.filter((node) => placeOf(node).height > 0)
  if (!shown.length) return null
  if (shown.some(isSeen)) return true
  for (const box of boxes(shown[0])) {
    const text = placeOf(shown[0]),
      around = box.getBoundingClientRect()
    box.scrollTop += text.top - around.top - (around.height - text.height) / 2
  }
  if (!isSeen(shown[0])) scrollBy({ top: placeOf(shown[0]).top - innerHeight / 2, behavior: 'instant' })
  return isSeen(shown[0])
}
