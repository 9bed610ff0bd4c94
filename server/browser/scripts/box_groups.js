;(all, isSecret) => {
  const WORDS = new RegExp(SECRET_PATTERN, 'i'),
    CODE = new RegExp(CODE_PATTERN, 'i'),
    OPEN = new RegExp(OPEN_PATTERN, 'i')
  const SHORT = 6,
    rectOf = (el) => Element.prototype.getBoundingClientRect.call(el)
  const isPart = (el) =>
    /^(text|tel|number|password)$/.test(el.type) &&
    rectOf(el).width > 4 &&
    (el.maxLength > 0
      ? el.maxLength <= SHORT
      : rectOf(el).width < 70 &&
        /digit|code|otp|pin/i.test(`${el.className} ${el.id} ${el.name} ${el.ariaLabel}`))
  const isLike = (one, other) =>
    one.maxLength === other.maxLength &&
    Math.abs(rectOf(one).y - rectOf(other).y) < 4 &&
    Math.abs(rectOf(one).height - rectOf(other).height) < 4
  const groupOf = (el) => {
    for (let at = el.parentElement, up = 0; at && up < 4; at = at.parentElement, up++) {
      const some = [...at.querySelectorAll('input')].slice(0, 40),
        like = some.filter((one) => isPart(one) && isLike(one, el))
      const rest = some.some(
        (one) =>
          !like.includes(one) && !/^(hidden|checkbox|radio|submit|button)$/.test(one.type) && isLike(one, el),
      )
      if (like.length >= (el.maxLength === 1 ? 3 : 2) && !rest) return { around: at, boxes: like }
    }
    return null
  }
  const labelOf = (el) => [...(el.labels || [])].map((one) => one.innerText).join(' ')
  const nameOf = (el) => el.ariaLabel || labelOf(el) || el.placeholder || el.name
  const saysOf = (around, boxes) => {
    const own = boxes.map((one) => `${one.ariaLabel || ''} ${one.placeholder} ${labelOf(one)}`)
    let text = ''
    for (let at = around, up = 0; at && up < 3 && !/\p{L}{3}/u.test(text); at = at.parentElement, up++)
      text = at.innerText || ''
    return `${own.join(' ').slice(0, 300)} ${text.slice(0, 200)}`
  }
  const isNumbered = (boxes) => {
    const names = boxes.map(nameOf),
      plain = names.map((one) => one.replace(/\W*\d+\W*$/, ''))
    return (
      new Set(plain).size === 1 && (new Set(names).size === boxes.length || (!names[0] && boxes.length > 2))
    )
  }
  const groups = [],
    seen = new Set()
  for (const el of all('input')) {
    if (seen.has(el) || !isPart(el)) continue
    const found = groupOf(el)
    // Parts of a date or of a time are fields of their own, each with its name; so are two fields of one name.
    if (!found || (el.maxLength !== 1 && !isNumbered(found.boxes))) continue
    found.boxes.forEach((one) => seen.add(one))
    const says = saysOf(found.around, found.boxes)
    const isCode = el.maxLength === 1 && CODE.test(says) && !OPEN.test(says)
    groups.push({ boxes: found.boxes, secret: isCode || WORDS.test(says) || found.boxes.some(isSecret) })
  }
  return groups
}
