;(before) => {
  const ENOUGH = 20,
    PATIENCE = 350
  const page = document.scrollingElement || document.body
  const size = (el) => el.clientWidth * el.clientHeight
  const scrolls = (el) =>
    el.clientHeight > 60 &&
    el.scrollHeight > el.clientHeight + 40 &&
    /auto|scroll/.test(getComputedStyle(el).overflowY)
  const largest = () =>
    [...document.querySelectorAll('div,ul,ol,main,section,article,table,tbody')]
      .slice(0, 5000)
      .filter(scrolls)
      .sort((a, b) => size(b) - size(a))[0]
  const box = page.scrollHeight > page.clientHeight + 40 ? page : largest()
  if (!box) return null
  const chars = () => box.textContent.length
  const go = (top) => box.scrollTo({ top, behavior: 'instant' })
  if (!before) {
    const found = { top: box.scrollTop, height: box.scrollHeight, chars: chars() }
    go(box.scrollHeight)
    return found
  }
  return new Promise((done) => {
    const began = performance.now()
    const look = () => {
      const hasGrown = chars() > before.chars + ENOUGH && box.scrollHeight > before.height
      if (!hasGrown && performance.now() - began < PATIENCE) return setTimeout(look, 25)
      go(before.top)
      done(hasGrown)
    }
    look()
  })
}
