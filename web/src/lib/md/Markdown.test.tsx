// @vitest-environment happy-dom
import { render } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { NOTHING, parse } from './blocks'
import { Markdown } from './Markdown'

const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:msgbox(1))',
  '[x](//evil.example/steal)',
  '[x](/api/auth/logout)',
  '![x](https://evil.example/?secret=1)',
  '![x](javascript:alert(1))',
  '<https://ok.example> <javascript:alert(1)>',
  '[ref]\n\n[ref]: javascript:alert(1)',
  '```html\n<script>alert(1)</script>\n```',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '<style>body{display:none}</style>',
  '<div style="position:fixed;inset:0">x</div>',
  '- <details open ontoggle=alert(1)>',
]

const LONG = `# Title\n\nA **bold** and *soft* line with \`code\` and [a link](https://ok.example/a?b=c).

1. one
2. two
   - inner **x**
   - [ ] open task
   - [x] done task

| left | right |
|:-----|------:|
| a    | \`b\` |

> quoted\n> twice

\`\`\`python
def f(x):
    return "<b>" + x
\`\`\`

~~gone~~ &amp; &lt;kept&gt; <b>raw</b> \\*escaped\\*\r\nLast line.`

const ALLOWED = new Set(
  'DIV P H3 H4 H5 H6 STRONG EM DEL CODE BR A UL OL LI BLOCKQUOTE HR SUB SUP KBD TABLE THEAD TBODY TR TH TD FIGURE FIGCAPTION SPAN BUTTON PRE SVG PATH RECT svg path rect'.split(
    ' ',
  ),
)

function expectHarmless(root: Element): void {
  for (const element of root.querySelectorAll('*')) {
    expect(ALLOWED.has(element.tagName), element.tagName).toBe(true)
    for (const { name } of element.attributes) expect(name.startsWith('on'), name).toBe(false)
    const href = element.getAttribute('href')
    if (href !== null) expect(href).toMatch(/^(https?|mailto):/)
    expect(element.hasAttribute('src')).toBe(false)
  }
}

describe('text of a model', () => {
  test('leads to the settings of this UI, and to no other page of it', () => {
    const text = '[Models](/settings/models) [all](/settings/models/../../api) [sign out](/logout)'
    const { container } = render(<Markdown text={text} />)
    const links = [...container.querySelectorAll('a')]
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/settings/models'])
    expect(links[0]!.getAttribute('target')).toBeNull()
  })

  test.each(ATTACKS)('%j is harmless', (attack) => {
    const { container } = render(<Markdown text={attack} />)
    expectHarmless(container)
  })

  test('is harmless and unbroken at every prefix', () => {
    const { container, rerender } = render(<Markdown text="" live />)
    for (let end = 1; end <= LONG.length; end += 1) {
      rerender(<Markdown text={LONG.slice(0, end)} live />)
      expectHarmless(container)
    }
    expect(container.textContent).toContain('Last line.')
  })

  test('is drawn alike whether it came in pieces or at once', () => {
    const grown = render(<Markdown text="" live />)
    for (let end = 1; end <= LONG.length; end += 3)
      grown.rerender(<Markdown text={LONG.slice(0, end)} live />)
    grown.rerender(<Markdown text={LONG} />)
    const whole = render(<Markdown text={LONG} />)
    expect(grown.container.innerHTML).toBe(whole.container.innerHTML)
  })

  test('shows a remote image as a link and fetches nothing', () => {
    const { container } = render(<Markdown text="![map](https://evil.example/p.png)" />)
    expect(container.querySelector('img')).toBeNull()
    expect(container.querySelector('a')).toHaveTextContent('map')
  })
})

test('finished blocks keep their identity while the text grows', () => {
  const first = parse('one\n\ntwo\n\nthree\n\nfour', NOTHING)
  const second = parse(`${first.source}\n\nfive`, first)
  expect(second.tokens[0]).toBe(first.tokens[0])
  expect(second.tokens.at(-1)?.raw).toBe('five')
})
