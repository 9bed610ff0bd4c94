import { Download } from 'lucide-react'
import { downloads } from '@/api/client'
import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { download } from '@/lib/download'
import { Button } from '@/ui/Button'
import { NumberSetting } from './inputs'
import { Purge } from './Purge'
import { Section } from './Section'
import { SettingsForm } from './SettingsForm'
import { words } from './settingsWords'

export function DataTab({ settings }: { settings: Settings }) {
  const t = useWords(words)
  return (
    <>
      <SettingsForm names={['retention_days']}>
        <NumberSetting
          name="retention_days"
          label={t('data.retention')}
          note={t('data.retention.note')}
          settings={settings}
          min={1}
          optional
        />
      </SettingsForm>
      <Section title={t('data.export')} about={t('data.export.about')}>
        <Button className="self-start" onClick={() => download(downloads.everything)}>
          <Download size={15} aria-hidden />
          {t('data.export.do')}
        </Button>
      </Section>
      <Section title={t('data.purge')} about={t('data.purge.about')}>
        <Purge />
      </Section>
    </>
  )
}
