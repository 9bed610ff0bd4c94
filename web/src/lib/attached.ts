/** The last paragraph of a message with files names them; server/text.py reads the same. */
const ATTACHED = /(?:^|\n\n)(?:Attached files|Приложенные файлы): ([^\n]+)\s*$/

/** The words of a message, and the names of the files that were attached to it. */
export function splitAttached(message: string): { words: string; names: string[] } {
  const match = ATTACHED.exec(message)
  if (!match) return { words: message, names: [] }
  return { words: message.slice(0, match.index).trimEnd(), names: match[1]!.trim().split(', ') }
}

/** A message with the names of its files. */
export const withAttached = (words: string, names: string[]): string =>
  names.length > 0 ? `${words}\n\nAttached files: ${names.join(', ')}` : words
