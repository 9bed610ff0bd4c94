import type { Copied } from './copy'

/** A text that a spreadsheet would calculate when it is pasted. */
const CALCULATED = /^[=+\-@\t\r\n]/
const NUMBER = /^[+-]?[\d\s.,\u00a0]*\d%?$/

/** A cell's text for a spreadsheet: nothing that it would calculate, but numbers as they are. */
export const safeCell = (text: string): string => {
  const plain = text.replace(/\s+/g, ' ').trim()
  return CALCULATED.test(text) && !NUMBER.test(plain) ? `'${plain}` : plain
}

/** A drawn table as cells: lines between tabs, and as HTML for those who read that first. */
export function sheetOf(table: HTMLTableElement): Copied {
  const cells = [...table.rows].map((row) => [...row.cells].map((cell) => safeCell(cell.innerText)))
  const sheet = document.createElement('table')
  for (const [at, row] of cells.entries()) {
    const line = sheet.insertRow()
    for (const text of row)
      line.appendChild(document.createElement(at === 0 ? 'th' : 'td')).textContent = text
  }
  return { text: cells.map((row) => row.join('\t')).join('\n'), html: sheet.outerHTML }
}
