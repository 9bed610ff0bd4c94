/** Lets the browser fetch a file that the server sends as an attachment. */
export function download(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
