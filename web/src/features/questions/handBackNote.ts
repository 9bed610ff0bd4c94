/** How `describe_changes` of the server begins: what changed in the browser is told to the agent, not to the person. */
const CHANGES =
  /^(The browser is closed\.|The page is now |Its title is |\d+ tabs are open, |Appeared: |A value was entered|Values were entered|No change can be seen\.)/
const SAYS = ' The person says: "'

/** What a person said when the browser was handed back; '' if the note is only what changed there. */
export function wordsIn(note: string): string {
  const at = note.indexOf(SAYS)
  if (at >= 0) return note.slice(at + SAYS.length).replace(/"$/, '')
  return CHANGES.test(note) ? '' : note
}
