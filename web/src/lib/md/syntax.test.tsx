// @vitest-environment happy-dom
import { render } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { Markdown } from './Markdown'

const drawn = (text: string) => render(<Markdown text={text} />).container
const strong = (text: string) =>
  [...drawn(text).querySelectorAll('strong, em, del')].map((one) => one.textContent)
const links = (text: string) => [...drawn(text).querySelectorAll('a')].map((one) => one.getAttribute('href'))

describe('emphasis beside letters without spaces', () => {
  test.each([
    ['**历经10年发展，**年会升级。', ['历经10年发展，']],
    ['含**「重点」**内容。', ['「重点」']],
    ['これは**「引用」**です。**重要：**確認してください。', ['「引用」', '重要：']],
    ['이것은 **‘강조’**입니다. **"따옴표"**를 씁니다.', ['‘강조’', '"따옴표"']],
    ['_注意：_下一步', ['注意：']],
    ['~~旧价，~~新价', ['旧价，']],
    ['中文**加粗**中文 and **bold**。', ['加粗', 'bold']],
    ['**注意**：普通。', ['注意']],
    ['**第一。**第二**（三）**四*（注）*说明。', ['第一。', '（三）', '（注）']],
    ['สวัสดี**“ครับ”**ครับ', ['“ครับ”']],
    ['snake_case_name, 变量_名_值, 2*3*4=24', ['3']],
    ['a*"b"*c', []],
  ])('%j', (text, expected) => {
    expect(strong(text)).toEqual(expected)
  })
})

test.each([['需要3~5天，价格10~15元。'], ['9:00~18:00，周末 10:00~20:00'], ['cost 1~2 or 3~4 USD, H~2~O']])(
  '%j: only two tildes strike out',
  (text) => {
    expect(drawn(text).textContent).toBe(text)
    expect(drawn(text).querySelector('del')).toBeNull()
  },
)

describe('a bare address', () => {
  test.each([
    ['见 https://example.com/a。然后继续', 'https://example.com/a'],
    ['打开（https://example.com/b）看看', 'https://example.com/b'],
    ['请看https://example.com/c，谢谢。', 'https://example.com/c'],
    ['「https://example.com/d」を開く', 'https://example.com/d'],
    ['www.example.com/i。后面', 'http://www.example.com/i'],
    ['请看https://example.com谢谢', 'https://example.com/'],
    ['«https://r.com» и далее', 'https://r.com/'],
    ['“https://s.com”', 'https://s.com/'],
    ['https://t.com’s', 'https://t.com/'],
    ['https://o.com— x', 'https://o.com/'],
    ['https://n.com…', 'https://n.com/'],
    ['https://e.com/日本語/ページ・二 x', `https://e.com/${encodeURI('日本語/ページ・二')}`],
    ['https://e.com/wiki/A_(b) x', 'https://e.com/wiki/A_(b)'],
    ['(https://e.com/g).', 'https://e.com/g'],
    ['[https://k.com] x', 'https://k.com/'],
    ['https://q.com/?a=1&b=2!', 'https://q.com/?a=1&b=2'],
  ])('%j ends where it ends', (text, href) => {
    expect(links(text)).toEqual([href])
    expect(drawn(text).textContent).toBe(text)
  })

  test('an address whose host would contain such a sign is no link, however it is written', () => {
    expect(links('[x](https://bank.com”) <https://bank.com’s>')).toEqual([])
  })
})

describe('a formula is shown as it is written', () => {
  test.each([
    ['\\(E_{a}=mc^2\\)'],
    ['\\(a*b*c\\)'],
    ['\\[ \\int_0^1 f(x)\\,dx \\]'],
    ['\\[\n\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}\n\\]'],
    ['$$\n\\sum_{i=1}^{n} x_i * y_i * z_i\n$$'],
    ['$x_1 * y_1 * z_{12}$'],
    ['\\begin{align*}a &= b\\\\\nc &= d\\end{align*}'],
  ])('%j', (text) => {
    const root = drawn(`So ${text}\n\n${text}\n\nEnd.`)
    expect(root.textContent).toBe(`So ${text}${text}End.`)
    expect([...root.querySelectorAll('code')].map((code) => code.textContent)).toEqual([text, text])
  })

  test('and a price is none', () => {
    const text = 'It costs $5 and $10, or US$1_000_000 and $2_000 in all.'
    expect(drawn(text).textContent).toBe(text)
    expect(drawn(text).querySelector('code, em')).toBeNull()
  })
})

describe('HTML of a model', () => {
  test('breaks lines, also in a cell, and draws what is below, above and a key', () => {
    const root = drawn(
      '| a |\n|---|\n| one<br>two |\n\nH<sub>2</sub>O, mc<sup>2</sup>, <kbd>Ctrl</kbd><br/>next',
    )
    expect(root.querySelectorAll('br')).toHaveLength(2)
    expect([...root.querySelectorAll('sub, sup, kbd')].map((one) => one.textContent)).toEqual([
      '2',
      '2',
      'Ctrl',
    ])
    expect(root.textContent).not.toContain('<')
  })

  test('shows neither comments nor tags that only arrange, and other tags as text', () => {
    const text =
      '<details><summary>More</summary>\n\n**bold**\n\n</details>\n\n<!-- a\ncomment -->\n\na <!-- b --> c <x-y>'
    expect(drawn(text).textContent).toBe('Moreblod'.replace('blod', 'bold') + 'a  c <x-y>')
  })

  test('entities are the signs that they name', () => {
    const text = '&copy; &mdash; &hellip; &eacute; &#128512; &#x1F600; &amp;lt; &nosuch; &#0; &#xD800;'
    expect(drawn(text).textContent).toBe('© — … é 😀 😀 &lt; &nosuch; \ufffd \ufffd')
  })
})

test('a picture in a link is a word of it', () => {
  const root = drawn('[![build](https://e.com/b.png)](https://e.com/)')
  expect(root.querySelectorAll('a')).toHaveLength(1)
  expect(root.textContent).toContain('build')
})

test('text that breaks the parser is shown as text', () => {
  const text = '>'.repeat(20_000)
  expect(drawn(text).textContent).toBe(text)
})

test('a line of very many signs is text, and quick', () => {
  const began = performance.now()
  expect(drawn(`${'*'.repeat(5000)}x${'*'.repeat(5000)}`).textContent).toHaveLength(10_001)
  expect(performance.now() - began).toBeLessThan(2000)
})

describe('while it is written', () => {
  const seen = (text: string) => render(<Markdown text={text} live />).container
  test.each([
    ['Look:\n`', 'Look:'],
    ['Look:\n``', 'Look:'],
    ['Prices:\n\n| Shop | Pri', 'Prices:'],
    ['Prices:\n\n| Shop | Price |\n|---', 'Prices:'],
  ])('%j does not show its bones', (text, shown) => {
    expect(seen(text).textContent).toBe(shown)
    expect(drawn(text).textContent).not.toBe(shown)
  })

  test('a table grows by whole rows', () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |'
    expect([...seen(table).querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['1', '2'])
  })
})

describe('directions', () => {
  test('each block has the direction of its words, and code its own', () => {
    const root = drawn(
      'שלום\n\n- פריט\n\n> ציטוט\n\n### כותרת\n\n| שם |\n|---|\n| כיסא |\n\n```\nx\n```\n\n`y`',
    )
    for (const name of ['p', 'li', 'h5', 'th', 'td'])
      expect(root.querySelector(name)?.getAttribute('dir'), name).toBe('auto')
    for (const name of ['ul', 'blockquote', 'table'])
      expect(root.querySelector(name)?.getAttribute('dir'), name).toBe('rtl')
    for (const name of ['pre', 'p code'])
      expect(root.querySelector(name)?.getAttribute('dir'), name).toBe('ltr')
  })
})
