// A variable: as a literal, the bundler would look for such a file.
const ABOVE = '..'

/** The path below which the product is served, such as `/pilot`, or ''. The build's own address shows it: `BASE/assets/x.js`. */
export const BASE = import.meta.env.PROD ? new URL(ABOVE, import.meta.url).pathname.replace(/\/$/, '') : ''

/** Of `path` below `/api`. */
export const apiAddress = (path: string): string => `${BASE}/api${path}`

/** The page that is open, as routes name it. */
export const openPage = (): string => location.pathname.slice(BASE.length) || '/'
