import type { Token } from 'marked'
import { memo, useMemo, useRef } from 'react'
import { NOTHING, type Parsed, parse } from './blocks'
import { renderBlock } from './render'

/** Markdown of a model, as React elements only: its HTML is never parsed and nothing is fetched. */
export const Markdown = memo(function Markdown({ text, live = false }: { text: string; live?: boolean }) {
  const last = useRef<Parsed>(NOTHING)
  const parsed = useMemo(() => parse(text, last.current), [text])
  last.current = parsed
  const end = parsed.tokens.length - 1
  return (
    <div className="md">
      {parsed.tokens.map((token, index) => (
        <Block key={index} token={token} open={live && index === end} />
      ))}
    </div>
  )
})

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
