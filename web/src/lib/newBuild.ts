import { apiAddress } from '@/lib/base'
const PAUSE = 2_000
const FRESH = 30_000

/** The page as it was loaded, and its server; tests bring their own. */
export interface Place {
  /** By a reload that did not help, if it did not. */
  wasJustReloaded(): boolean
  answers(): Promise<boolean>
  wait(milliseconds: number): Promise<void>
  reload(): void
}

const here: Place = {
  wasJustReloaded: () => {
    const [loaded] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    return loaded?.type === 'reload' && performance.now() < FRESH
  },
  answers: () =>
    fetch(apiAddress('/health'), { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    ),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  reload: () => location.reload(),
}

/**
 * For parts of the page that cannot be loaded: after an upgrade they are gone, or the server is just being restarted.
 * The page is reloaded as soon as the server answers, only once: repeating it would not help.
 */
export function newBuildReload(place: Place = here): () => Promise<void> {
  let isComing = false
  return async () => {
    if (isComing || place.wasJustReloaded()) return
    isComing = true
    while (!(await place.answers())) await place.wait(PAUSE)
    place.reload()
  }
}
