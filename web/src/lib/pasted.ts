/** Characters; a longer paste becomes a file. */
export const LONG_PASTE = 16_000

type Data = Pick<DataTransfer, 'files' | 'getData'>

/**
 * The files of a clipboard or drop. Spreadsheets and editors offer a picture of what they also give as text: then the
 * text is meant. A picture of a page and a file of a file manager come with their address or name at most.
 */
export function filesIn(data: Data): File[] {
  const files = [...data.files]
  const text = data.getData('text/plain').trim()
  if (files.length !== 1 || text === '' || isNameOf(files[0]!, text)) return files
  return isPictureOnly(data.getData('text/html')) ? files : []
}

const isNameOf = ({ name }: File, text: string): boolean => !/\s*\n/.test(text) && text.endsWith(name)

function isPictureOnly(html: string): boolean {
  if (!/<img\b/i.test(html)) return false
  const page = new DOMParser().parseFromString(html, 'text/html')
  return page.body.textContent?.trim() === '' && page.querySelectorAll('img').length === 1
}

/** The text of a paste that is too long for a message. */
export function longTextIn(data: Data): string | null {
  const text = data.getData('text/plain')
  return text.length > LONG_PASTE ? text : null
}

/** Whether files are being dragged, not text or a step of the plan. */
export const hasFiles = (data: DataTransfer | null): boolean => !!data?.types.includes('Files')

/** A file that is dropped where nothing takes it must not replace the page. */
export function swallowDrops(): void {
  const swallow = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event.dataTransfer)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  addEventListener('dragover', swallow)
  addEventListener('drop', swallow)
}
