import { Download, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { LoginExport } from './LoginExport'
import { LoginImport } from './LoginImport'
import { words } from './vaultWords'
import { Section } from './Section'

/** Logins in from another program, and out again. */
export function LoginFiles() {
  const t = useWords(words)
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState<string | null>(null)
  const [isExporting, setExporting] = useState(false)
  return (
    <Section title={t('files.title')} about={t('files.about')}>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => input.current?.click()}>
          <Upload size={15} aria-hidden />
          {t('files.import')}
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,.json,text/csv,application/json"
          aria-label={t('files.import')}
          className="hidden"
          onChange={(event) => {
            const file = event.target.files?.[0]
            event.target.value = ''
            if (file) void file.text().then(setText)
          }}
        />
        <Button onClick={() => setExporting(true)}>
          <Download size={15} aria-hidden />
          {t('files.export')}
        </Button>
      </div>
      {text !== null && <LoginImport text={text} onClose={() => setText(null)} />}
      {isExporting && <LoginExport onClose={() => setExporting(false)} />}
    </Section>
  )
}
