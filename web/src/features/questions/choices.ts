export interface Asked {
  /** The question without its choices. */
  text: string
  /** What the lines `1. …`, `2. …` say, in order; empty if there are fewer than two. */
  choices: string[]
}

const LINE = /^(\d+)\. (.+)$/

/** A question that lists numbered choices, as the agent asks which of several elements is meant. */
export function choicesOf(reason: string): Asked {
  const lines = reason.split('\n')
  const choices: string[] = []
  const rest = lines.filter((line) => {
    const [, number, words] = LINE.exec(line.trim()) ?? []
    const isNext = Number(number) === choices.length + 1
    if (isNext) choices.push(words!)
    return !isNext
  })
  if (choices.length < 2) return { text: reason, choices: [] }
  return {
    text: rest
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    choices,
  }
}
