/** Makes this the text of an element. What is added at its end leaves the text node, and a selection in it, alone. */
export function growText(element: HTMLElement, text: string): void {
  const [node] = element.childNodes
  const isSame = element.childNodes.length === 1 && node instanceof Text && text.startsWith(node.data)
  if (!isSame) element.textContent = text
  else if (text.length > node.data.length) node.appendData(text.slice(node.data.length))
}
