import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from './Button'
import { toast } from './Toasts'

interface Props {
  label: string
  /** What is said of a file that is no JSON. */
  unreadable: string
  onDocument: (document: unknown) => Promise<void>
}

/** Lets a JSON file be chosen. What `onDocument` throws is shown. */
export function ImportButton({ label, unreadable, onDocument }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File) => {
    let document: unknown
    try {
      document = JSON.parse(await file.text())
    } catch {
      return toast(unreadable)
    }
    await onDocument(document).catch((error: unknown) => toast((error as Error).message))
  }
  return (
    <>
      <Button small tone="quiet" onClick={() => input.current?.click()}>
        <Upload size={14} aria-hidden />
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label={label}
        className="hidden"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) void read(file)
        }}
      />
    </>
  )
}
