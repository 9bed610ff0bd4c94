import type { Token } from 'marked'
import { Component, memo, type ReactNode, useMemo, useRef } from 'react'
import { NOTHING, type Parsed, parse } from './blocks'
import { renderBlock } from './render'

/**
 * Markdown of a model, as React elements only: its HTML is never parsed and nothing is fetched. A text that cannot be
 * parsed or drawn, such as thousands of quotes in each other, is shown as it is.
 */
export const Markdown = memo(function Markdown({ text, live = false }: { text: string; live?: boolean }) {
  const last = useRef<Parsed>(NOTHING)
  const shown = live ? text.slice(0, endOfShown(text)) : text
  const parsed = useMemo(() => parseSafely(shown, last.current), [shown])
  if (parsed) last.current = parsed
  if (!parsed) return <Plain text={text} />
  const end = parsed.tokens.length - 1
  return (
    <PlainOnError text={text}>
      <div className="md">
        {parsed.tokens.map((token, index) => (
          <Block key={index} token={token} open={live && index === end} />
        ))}
      </div>
    </PlainOnError>
  )
})

function parseSafely(text: string, before: Parsed): Parsed | null {
  try {
    return parse(text, before)
  } catch {
    return null
  }
}

/** At the end of what has come so far: ticks and rows of a table that say only later what they are. */
const UNDECIDED = /(^|\n)(?: {0,3}`{1,2}| {0,3}\|[^\n]*(?:\n[ \t|:-]*)?)$/

export function endOfShown(text: string): number {
  const found = UNDECIDED.exec(text.slice(-MAX_UNDECIDED))
  return found ? Math.max(0, text.length - found[0].length + found[1]!.length) : text.length
}

/** Characters; a longer row is shown as it comes. */
const MAX_UNDECIDED = 2000

const Plain = ({ text }: { text: string }) => (
  <div dir="auto" className="md whitespace-pre-wrap">
    {text}
  </div>
)

class PlainOnError extends Component<{ text: string; children: ReactNode }, { failed: string | null }> {
  override state = { failed: null }
  static getDerivedStateFromError = () => ({ failed: '' })
  override render() {
    return this.state.failed === null ? this.props.children : <Plain text={this.props.text} />
  }
}

interface BlockProps {
  token: Token
  open: boolean
}

const Block = memo(
  function Block({ token, open }: BlockProps) {
    return renderBlock(token, open)
  },
  (a, b) => a.open === b.open && a.token.type === b.token.type && a.token.raw === b.token.raw,
)
