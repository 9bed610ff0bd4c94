import type { Token, Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import { Link } from 'wouter'
import { safeUrl } from '../url'
import { CodeBlock } from './CodeBlock'

export function renderBlock(token: Token, open = false): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return heading(token as Tokens.Heading)
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'text':
      return token.tokens ? inline(token.tokens) : decode((token as Tokens.Text).text)
    case 'code':
      return <CodeBlock code={token.text as string} lang={(token as Tokens.Code).lang ?? ''} open={open} />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr />
    default:
      return <p>{token.raw}</p>
  }
}

function blocks(tokens: Token[] = []): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{renderBlock(token)}</Fragment>)
}

/** The page has its own first headings. */
function heading({ depth, tokens }: Tokens.Heading): ReactNode {
  return createElement(`h${Math.min(6, depth + 2)}`, null, inline(tokens))
}

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const children = items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden>{item.checked ? '☑ ' : '☐ '}</span>}
      {blocks(item.tokens.filter((token) => token.type !== 'checkbox'))}
    </li>
  ))
  return ordered ? <ol start={start || 1}>{children}</ol> : <ul>{children}</ul>
}

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="table" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} style={{ textAlign: cell.align ?? undefined }}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, index) => (
                <td key={index} style={{ textAlign: cell.align ?? undefined }}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inline(tokens: Token[] = []): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{span(token)}</Fragment>)
}

function span(token: Token): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? inline(token.tokens) : decode((token as Tokens.Text).text)
    case 'escape':
      return (token as Tokens.Escape).text
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text as string}</code>
    case 'br':
      return <br />
    case 'link':
      return link((token as Tokens.Link).href, inline(token.tokens))
    case 'image':
      return link(
        (token as Tokens.Image).href,
        `🖼 ${(token as Tokens.Image).text || (token as Tokens.Image).href}`,
      )
    default:
      return token.raw
  }
}

/** Pages of this UI that answers may lead to. */
const OWN_PAGE = /^\/settings\/[a-z]+$/

function link(href: string, children: ReactNode): ReactNode {
  if (OWN_PAGE.test(href)) return <Link href={href}>{children}</Link>
  const url = safeUrl(href)
  if (!url) return children
  return (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** The few entities that models write; the result is text, so nothing can be smuggled in. */
function decode(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|(\w+));/g,
    (whole, code: string | undefined, name: string | undefined) => {
      if (code) return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole
      return (name && NAMED[name]) || whole
    },
  )
}
