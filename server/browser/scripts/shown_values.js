;(function (values) {
  // Where the document of this element shows the values, other than in password fields: boxes, and whether that is all of it.
  const doc = this.ownerDocument,
    boxes = []
  const isFound = (text) => values.some((value) => text.includes(value))
  let shown = '',
    found = 0
  const add = ({ x, y, width, height }) => {
    if (width && height) boxes.push([x, y, width, height])
  }
  const search = (root) => {
    const walker = doc.createTreeWalker(root, 5) // elements and texts
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 3) {
        const text = node.data
        if (!/^(script|style|noscript|template)$/.test(node.parentElement?.localName)) shown += text
        for (const value of values)
          for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
            found += 1
            const range = doc.createRange()
            range.setStart(node, at)
            range.setEnd(node, at + value.length)
            for (const rect of range.getClientRects()) add(rect)
          }
      } else {
        if (/^(input|textarea)$/.test(node.localName) && node.type !== 'password' && isFound(node.value))
          add(node.getBoundingClientRect())
        if (node.shadowRoot) search(node.shadowRoot)
      }
    }
  }
  search(doc.documentElement)
  // One that several nodes spell has no box of its own.
  const times = values.reduce((sum, value) => sum + shown.split(value).length - 1, 0)
  return { boxes: boxes.slice(0, 200), known: boxes.length <= 200 && times <= found }
})
