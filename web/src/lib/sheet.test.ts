// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { sheetOf } from './sheet'

test('a table is copied as cells that a spreadsheet does not calculate', () => {
  document.body.innerHTML = `<table><thead><tr><th>name</th><th>price</th></tr></thead>
    <tbody><tr><td>=1+1</td><td>+7 000</td></tr><tr><td>@b <b>x</b></td><td>-2</td></tr></tbody></table>`
  const { text, html } = sheetOf(document.querySelector('table')!)
  expect(text).toBe("name\tprice\n'=1+1\t+7 000\n'@b x\t-2")
  expect(html).toContain('<th>price</th>')
  expect(html).toContain("<td>'=1+1</td><td>+7 000</td>")
})
