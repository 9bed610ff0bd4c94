import type { Token, Tokens } from 'marked'
import { createElement, Fragment, type MouseEvent, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useOverlay } from '../overlay'
import { safeUrl } from '../url'
import { directionOf } from '../direction'
import { isMisleading } from './addressEnd'
import { CodeBlock } from './CodeBlock'
import { decode } from './entities'
import { htmlWords, isDrawn, tagOf } from './html'
import { MarkdownTable } from './MarkdownTable'

export function renderBlock(token: Token, open = false): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return heading(token as Tokens.Heading)
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens)}</p>
    case 'text':
      return token.tokens ? inline(token.tokens) : decode((token as Tokens.Text).text)
    case 'code':
      return <CodeBlock code={token.text as string} lang={(token as Tokens.Code).lang ?? ''} open={open} />
    case 'blockquote':
      return <blockquote dir={directionOf(token.raw)}>{blocks(token.tokens)}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return <MarkdownTable table={token as Tokens.Table} inline={inline} />
    case 'formula':
      return <p>{formula(token.text as string)}</p>
    case 'html':
      return html(token.raw)
    case 'hr':
      return <hr />
    default:
      return <p dir="auto">{token.raw}</p>
  }
}

function blocks(tokens: Token[] = []): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{renderBlock(token)}</Fragment>)
}

/** The page has its own first headings. */
function heading({ depth, tokens }: Tokens.Heading): ReactNode {
  return createElement(`h${Math.min(6, depth + 2)}`, { dir: 'auto' }, inline(tokens))
}

function list({ ordered, start, items, raw }: Tokens.List): ReactNode {
  const children = items.map((item, index) => (
    <li key={index} dir="auto" className={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden>{item.checked ? '☑ ' : '☐ '}</span>}
      {blocks(item.tokens.filter((token) => token.type !== 'checkbox'))}
    </li>
  ))
  return ordered ? (
    <ol dir={directionOf(raw)} start={start || 1}>
      {children}
    </ol>
  ) : (
    <ul dir={directionOf(raw)}>{children}</ul>
  )
}

function inline(tokens: Token[] = []): ReactNode {
  const drawn: ReactNode[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const name = isDrawn(tokens[at]!)
    const end = name ? tokens.findIndex((token, index) => index > at && tagOf(token) === `/${name}`) : -1
    drawn.push(
      <Fragment key={at}>
        {name && end > 0 ? createElement(name, null, inline(tokens.slice(at + 1, end))) : span(tokens[at]!)}
      </Fragment>,
    )
    if (end > 0) at = end
  }
  return drawn
}

const formula = (text: string): ReactNode => (
  <code dir="ltr" className="formula">
    {text}
  </code>
)

function html(raw: string): ReactNode {
  const words = htmlWords(raw)
  return words.trim() && <p dir="auto">{words.trim()}</p>
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
      return <code dir="ltr">{token.text as string}</code>
    case 'formula':
      return formula(token.text as string)
    case 'html':
      return tagOf(token) === 'br' ? <br /> : htmlWords(token.raw)
    case 'br':
      return <br />
    case 'link':
      return link((token as Tokens.Link).href, inline(token.tokens?.map(asWords)))
    case 'image':
      return link((token as Tokens.Image).href, nameOf(token as Tokens.Image))
    default:
      return token.raw
  }
}

/** Pages of this UI that answers may lead to. */
const OWN_PAGE = /^\/settings\/[a-z]+$/

function link(href: string, children: ReactNode): ReactNode {
  if (OWN_PAGE.test(href)) return ownPage(href, children)
  const url = safeUrl(href)
  if (!url || isMisleading(href)) return children
  return (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** What asks for a model opens the dialog for it, over the session. */
function ownPage(href: string, children: ReactNode): ReactNode {
  const onClick = (event: MouseEvent) => {
    if (href !== '/settings/models') return
    event.preventDefault()
    useOverlay.getState().show('connect')
  }
  return (
    <Link href={href} onClick={onClick}>
      {children}
    </Link>
  )
}

const nameOf = ({ text, href }: Tokens.Image): string => `🖼 ${text || href}`

/** A picture in a link: its words belong to that link. */
const asWords = (token: Token): Token =>
  token.type === 'image' ? { type: 'escape', raw: token.raw, text: nameOf(token as Tokens.Image) } : token
