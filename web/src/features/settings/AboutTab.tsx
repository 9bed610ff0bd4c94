import { useQuery } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { api } from '@/api/client'
import { leave } from '@/api/leave'
import { useConfig } from '@/api/queries'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Facts, Section } from './Section'
import { words } from './settingsWords'

export function AboutTab() {
  const t = useWords(words)
  const config = useConfig()
  const ready = useQuery({ queryKey: ['ready'], queryFn: api.ready, retry: false })
  return (
    <>
      {config && (
        <Facts
          facts={[
            [t('about.version'), `Pilothouse ${config.version}`],
            [t('about.mode'), t(`about.mode.${config.mode}`)],
            [
              t('about.state'),
              ready.error
                ? t('about.not.ready', { reason: ready.error.message })
                : ready.data && t('about.ready'),
            ],
          ]}
        />
      )}
      <Section title={t('about.libraries')} about={t('about.libraries.text')}>
        <Button className="self-start" onClick={() => void leave()}>
          <LogOut size={15} aria-hidden />
          {t('logout')}
        </Button>
      </Section>
    </>
  )
}
