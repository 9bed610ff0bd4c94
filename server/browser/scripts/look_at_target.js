;async ([x, y, width, height], name) => {
  const PATIENCE = 1000,
    began = performance.now(),
    isLate = () => performance.now() - began > PATIENCE
  const pause = () =>
    new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(done))
      setTimeout(done, 100)
    })
  const sides = (el) => {
    const r = el.getBoundingClientRect()
    return [r.x, r.y, r.width, r.height]
  }
  const plain = (text) => (text || '').replace(/\s+/g, '').toLowerCase()
  const says = (el) =>
    [el.getAttribute('aria-label'), el.innerText, el.value, el.title, el.alt].some(
      (text) => plain(text) === plain(name),
    )
  const isLike = (el) => {
    const [left, top, wide, high] = sides(el)
    return (
      Math.abs(wide - width) <= 0.3 * width &&
      Math.abs(high - height) <= 0.3 * height &&
      Math.hypot(left - x, top - y) < 400
    )
  }
  const MOVES = /^(transform|translate|scale|rotate|left|top|right|bottom|width|height|inset|margin|offset)/
  const isAnimated = (el) =>
    document
      .getAnimations()
      .some(
        (one) =>
          one.playState === 'running' &&
          one.effect?.target?.contains(el) &&
          one.effect
            .getKeyframes()
            .some((frame) => Object.keys(frame).some((name) => name !== 'offset' && MOVES.test(name))),
      )
  const moved = async (el) => {
    // what goes to and fro stands still for a moment
    const before = sides(el),
      isMoved = () => sides(el).some((side, at) => Math.abs(side - before[at]) > 0.5)
    for (let turn = isAnimated(el) ? 20 : 2; turn > 0 && !isMoved(); turn--) await pause()
    return isMoved()
  }
  const isIt = (el) => {
    const [left, , wide, high] = sides(el)
    return Math.abs(wide - width) <= 1 && Math.abs(high - height) <= 1 && Math.abs(left - x) <= 1
  }
  const middle = x + width / 2,
    start = y + height / 2,
    from = scrollY
  const known = document.elementsFromPoint(middle, start).find(isIt)
  const named =
    name && known === undefined && start > 0 && start < innerHeight
      ? [...document.querySelectorAll('a,button,input,label,[role],[onclick],[tabindex],div,span')].filter(
          (el) => says(el) && isLike(el),
        )
      : []
  const target = known || named.filter((el) => !named.some((one) => one !== el && el.contains(one)))[0]
  if (target && (target !== known || isAnimated(target)) && (await moved(target))) {
    while (!isLate()) if (!(await moved(target))) return {}
    globalThis.pilothouseTarget = target
    return { kind: 'moving' }
  }
  let cover = null,
    covered = null
  const isCovered = (at) => {
    // null if it is not there
    const [top, ...below] = document.elementsFromPoint(middle, at),
      own = [top, ...below].find((el) => el && isIt(el))
    if (!own) return null
    const isOver =
      !own.contains(top) &&
      !top.contains(own) &&
      top.closest('label')?.control !== own &&
      own.closest('label')?.control !== top
    ;[cover, covered] = isOver ? [top, own] : [null, null]
    return isOver
  }
  const place = async () => {
    if (start > 0 && start < innerHeight && !isCovered(start)) return
    for (const share of [0.5, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9]) {
      const before = scrollY
      scrollTo({ top: from + start - share * innerHeight, behavior: 'instant' })
      if (share !== 0.5 && scrollY === before) continue
      if (isCovered(start - (scrollY - from)) === false) return
    }
    scrollTo({ top: from, behavior: 'instant' })
    isCovered(start)
  }
  await place()
  while (cover && !isLate()) {
    await pause()
    isCovered(start - (scrollY - from))
  }
  if (!cover) return {}
  const { width: wide, height: high } = cover.getBoundingClientRect()
  let around = cover
  while (around.parentElement && !around.parentElement.contains(covered)) around = around.parentElement
  const ways = [...around.querySelectorAll('button,[role=button],a[href]')]
    .map((el) => el.innerText?.trim() || el.ariaLabel || '')
    .filter(Boolean)
  const size = `${Math.round(wide)} x ${Math.round(high)} px`
  return {
    kind: 'covered',
    by: around.innerText?.trim() || `${cover.title || cover.localName}, ${size}, without a text`,
    ways: ways.slice(0, 3),
  }
}
