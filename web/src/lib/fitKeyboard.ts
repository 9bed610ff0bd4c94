/** Pixels; a smaller difference is a bar of the browser. */
const LEAST_KEYBOARD = 120

/**
 * The page ends above the keyboard of a phone. Chromium does so by `interactive-widget`; WebKit only shrinks the visual
 * viewport and scrolls, which would leave the composer below the keys.
 */
export function fitKeyboard(viewport: VisualViewport | null = window.visualViewport): void {
  if (!viewport) return
  const fit = () => {
    const isCovered = viewport.scale === 1 && innerHeight - viewport.height > LEAST_KEYBOARD
    const { style } = document.documentElement
    if (!isCovered) return void style.removeProperty('--page-height')
    style.setProperty('--page-height', `${viewport.height}px`)
    scrollTo(0, 0)
  }
  viewport.addEventListener('resize', fit)
}
