;() => {
  globalThis.pilothouseSaid?.end()
  const SAYS =
    '[aria-live],[role=status],[role=alert],[class*=toast i],[class*=snack i],[class*=notif i],[class*=flash i]'
  const all = () => [...Document.prototype.querySelectorAll.call(document, SAYS)].slice(0, 50)
  const textOf = (el) =>
    el.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      ? el.innerText.trim().replace(/\s+/g, ' ')
      : ''
  const known = new Set(all().map(textOf)),
    said = new Set()
  let isDue = false
  const hear = () => {
    isDue = false
    for (const el of all()) {
      const text = textOf(el)
      if (text && !known.has(text) && !/(…|\.\.\.)$/.test(text) && said.size < 20) said.add(text)
    }
  }
  const observer = new MutationObserver(() => {
    if (!isDue) {
      isDue = true
      setTimeout(hear, 30)
    }
  })
  observer.observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ['class', 'hidden', 'style'],
  })
  globalThis.pilothouseSaid = {
    end: () => observer.disconnect(),
    said: () => {
      const now = all().map(textOf)
      const isShown = (text) => now.some((one) => one.includes(text))
      const texts = [...said]
      return { gone: texts.filter((text) => !isShown(text)), shown: texts.filter(isShown) }
    },
  }
}
