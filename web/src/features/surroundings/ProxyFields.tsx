import type { Surroundings } from '@/api/types'
import { useWords } from '@/i18n'
import { Field } from '@/ui/Field'
import { type Fault, type Filled, isSameLogin } from './surroundingsForm'
import { words } from './surroundingsWords'

interface Props {
  filled: Filled
  onChange: (values: Partial<Filled>) => void
  proxy: Surroundings['proxy']
  fault: Fault
}

/** The address of a proxy, and the login for it once there is an address. */
export function ProxyFields({ filled, onChange, proxy, fault }: Props) {
  const t = useWords(words)
  const kept = isSameLogin(filled, proxy) ? 'kept' : 'lost'
  return (
    <>
      <Field
        label={t('surroundings.proxy')}
        hint={t('surroundings.proxy.note')}
        error={fault['proxy.address']}
        placeholder="socks5://proxy.example:1080"
        inputMode="url"
        maxLength={300}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={filled.address}
        onChange={(event) => onChange({ address: event.target.value })}
      />
      {filled.address.trim() !== '' && (
        <div className="flex flex-wrap gap-x-3 gap-y-4">
          <Field
            label={t('surroundings.user')}
            hint={t('surroundings.user.note')}
            error={fault['proxy.user']}
            maxLength={255}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={filled.user}
            onChange={(event) => onChange({ user: event.target.value })}
            className="min-w-44 flex-1"
          />
          <Field
            type="password"
            label={t('surroundings.password')}
            hint={t(`surroundings.password.${proxy?.has_password ? kept : 'note'}`)}
            error={fault['proxy.password']}
            maxLength={255}
            autoComplete="new-password"
            value={filled.password}
            onChange={(event) => onChange({ password: event.target.value })}
            className="min-w-44 flex-1"
          />
        </div>
      )}
    </>
  )
}
