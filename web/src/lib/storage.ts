/** localStorage that never throws: private windows and full disks must not break the page. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`pilothouse.${key}`)
  } catch {
    return null
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value) localStorage.setItem(`pilothouse.${key}`, value)
    else localStorage.removeItem(`pilothouse.${key}`)
  } catch {
    // Nothing is lost but the convenience.
  }
}

/** What this tab has kept, or else the newest that any tab has. */
export function recallHere(key: string): string | null {
  try {
    return sessionStorage.getItem(`pilothouse.${key}`) ?? recall(key)
  } catch {
    return recall(key)
  }
}

/** For this tab, and for tabs that are opened later. */
export function rememberHere(key: string, value: string): void {
  remember(key, value)
  try {
    sessionStorage.setItem(`pilothouse.${key}`, value)
  } catch {
    // Then all tabs share it.
  }
}

/** What is kept under keys that begin like this, by the rest of the key. */
export function recallAll(prefix: string): [string, string][] {
  try {
    const whole = `pilothouse.${prefix}`
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(whole))
    return keys.map((key) => [key.slice(whole.length), localStorage.getItem(key) ?? ''])
  } catch {
    return []
  }
}
