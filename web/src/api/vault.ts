import { request, requestText } from './http'
import type { ImportedLogins, LoginChange, StoredLogin, VaultLog, VaultStatus } from './types'

interface LoginFile {
  text: string
  passphrase: string
  keep?: boolean
  replace?: boolean
}

interface Export {
  password: string
  passphrase?: string
  plain?: boolean
}

/** Stored logins. No answer but an export holds a secret. */
export const vaultApi = {
  logins: () => request<{ items: StoredLogin[] }>('GET', '/logins'),
  add: (login: LoginChange) => request<StoredLogin>('POST', '/logins', login),
  change: (id: string, change: LoginChange) => request<StoredLogin>('PATCH', `/logins/${id}`, change),
  remove: (id: string) => request<void>('DELETE', `/logins/${id}`),
  read: (file: LoginFile) => request<ImportedLogins>('POST', '/logins/import', file),
  export: (order: Export) => requestText('POST', '/logins/export', order),
  status: () => request<VaultStatus>('GET', '/vault'),
  unlock: (source: string, secret: string) =>
    request<VaultStatus>('POST', '/vault/unlock', { source, secret }),
  lock: (source: string) => request<VaultStatus>('POST', '/vault/lock', { source }),
  log: (before: string | null) => request<VaultLog>('GET', `/vault/log${before ? `?before=${before}` : ''}`),
}
