/** Load a part of the app before it is needed. If that fails, such as offline, it is loaded when it is needed. */
export function loadAhead(load: () => Promise<unknown>): void {
  load().catch(() => undefined)
}
