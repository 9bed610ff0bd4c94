;(typed, knowsLoading) =>
  new Promise((done) => {
    // Milliseconds from the start of this script, until which each reason is waited for; ARRIVES from that of the document.
    const LEAST = 25,
      DUE = 100,
      CHANGES = 400,
      MOVES = 700,
      LISTS = 300,
      LOADS = 1300,
      ARRIVES = 3000
    const STILL = 40,
      AHEAD = 45,
      began = performance.now()
    const LOADING =
        '[aria-busy=true],[role=progressbar]:not([aria-valuenow]),[class*=spinner i],[class*=loading i],' +
        '[class*=skeleton i],[class*=loader i]',
      LIVE = '[aria-live],[role=status],[role=alert]'
    const LIST =
      '[role=combobox],[aria-autocomplete],[aria-haspopup=listbox],[aria-controls],[aria-owns],[list],' +
      '[type=search],[autocomplete=off]'
    const all = (css) => [...Document.prototype.querySelectorAll.call(document, css)].slice(0, 50)
    const isSeen = (el) => {
      const { left, top, right, bottom, width, height } = el.getBoundingClientRect()
      return (
        width > 0 &&
        height > 0 &&
        right > 0 &&
        bottom > 0 &&
        left < innerWidth &&
        top < innerHeight &&
        el.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      )
    }
    let field = typed ? document.activeElement : null
    while (field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement
    const takesList =
      field &&
      field.matches(LIST) &&
      field.getAttribute('aria-expanded') !== 'true' &&
      !all('[role=listbox],[role=option]').some(isSeen)
    let changed = -Infinity,
      hasReacted = !takesList,
      isLoading = false
    const observer = new MutationObserver((found) => {
      if (found.every((one) => one.target === field)) return
      changed = performance.now() - began
      hasReacted = true
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    const turns = () =>
      document.getAnimations().some((one) => {
        // a small sign that turns without an end
        const el = one.effect?.target
        return (
          one.playState === 'running' &&
          el?.offsetWidth < 100 &&
          isSeen(el) &&
          !el.innerText?.trim() &&
          one.effect.getComputedTiming().iterations === Infinity &&
          /rotate/.test(JSON.stringify(one.effect.getKeyframes()))
        )
      })
    const loads = () =>
      turns() ||
      all(LOADING).some(isSeen) ||
      all(LIVE).some((el) => isSeen(el) && /(…|\.\.\.)\s*$/.test(el.innerText))
    const moves = () =>
      document.getAnimations().some((one) => {
        const { endTime, localTime } = one.effect?.getComputedTiming() ?? {}
        return one.playState === 'running' && endTime - localTime < MOVES
      })
    const end = () => {
      observer.disconnect()
      done({ loads: isLoading })
    }
    const look = (idle) => {
      const at = performance.now() - began
      const isDue = at < DUE && (idle.didTimeout || idle.timeRemaining() < AHEAD)
      isLoading = !knowsLoading && at < LOADS + 100 && loads()
      const waits =
        at < LEAST ||
        isDue ||
        (at < CHANGES && at - changed < STILL) ||
        (at < LISTS && !hasReacted) ||
        (at < MOVES && moves()) ||
        (at < LOADS && isLoading) ||
        (performance.now() < ARRIVES && document.readyState !== 'complete') // what never comes is waited for once
      if (waits && !document.hidden) setTimeout(again, 15)
      else end()
    }
    const again = () => requestIdleCallback(look, { timeout: 120 })
    setTimeout(again, LEAST)
  })
