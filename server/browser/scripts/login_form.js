;(function (token, fills, user, password, code) {
  // Called on a field. One synchronous function finds its login form, checks every rule and writes: nothing of the page runs
  // between a check and the write that it is for. What a page can name on a form or a document is read by the prototype.
  const own = (kind, name, of) =>
    Object.getOwnPropertyDescriptor(globalThis[kind].prototype, name).get.call(of)
  const call = (kind, name, of, ...given) => globalThis[kind].prototype[name].call(of, ...given)
  const doc = own('Node', 'ownerDocument', this),
    win = own('Document', 'defaultView', doc)
  if (!this.isConnected || !win) return { refused: 'changed' }
  const place = win.location
  if (!/^https?:$/.test(place.protocol) || win.origin === 'null') return { refused: 'opaque' }

  const SIZE = 8,
    OPACITY = 0.1
  const TEXT = /^(text|email|tel|url|search|password)$/
  const words = (el) =>
    [
      el.name,
      el.id,
      el.getAttribute('aria-label'),
      el.placeholder,
      ...[...(el.labels || [])].map((one) => one.textContent),
    ]
      .join(' ')
      .toLowerCase()
  const hints = (el) => (el.getAttribute('autocomplete') || '').toLowerCase().split(/\s+/)
  const isPassword = (el) => el.type === 'password'
  const isNew = (el) => hints(el).includes('new-password')
  const isCode = (el) =>
    hints(el).includes('one-time-code') ||
    (!isPasswordLike(el) &&
      !hints(el).includes('username') &&
      /\b(otp|totp|2fa|mfa|one.?time|verification|authenticat\w*|security.?code|passcode|pin)\b|otp|(^|[^a-z])(code|token)([^a-z]|$)|bestätigungscode|код/.test(
        words(el),
      ))
  const isPasswordLike = (el) =>
    hints(el).includes('current-password') ||
    /passw|pwd|kennwort|парол|mot de passe|contraseñ/.test(words(el))
  const isUser = (el) =>
    hints(el).some((hint) => /^(username|email|tel|webauthn)$/.test(hint)) ||
    el.type === 'email' ||
    /user|login|log.?in|e-?mail|account|benutzer|konto|anmelde|nutzer|логин|почт|пользовател|identif|signin|phone|telefon|kunden|member/.test(
      words(el),
    )

  const up = (el) =>
    el.assignedSlot || own('Node', 'parentElement', el) || call('Node', 'getRootNode', el).host || null
  const inside = (root, css) => {
    const kind = root.nodeType === 1 ? 'Element' : root.nodeType === 9 ? 'Document' : 'DocumentFragment'
    const found = []
    for (const el of call(kind, 'querySelectorAll', root, '*')) {
      if (el.matches(css)) found.push(el)
      if (el.shadowRoot) found.push(...inside(el.shadowRoot, css))
    }
    return found
  }
  const isRendered = (el) => {
    const { width, height } = el.getBoundingClientRect()
    return width > 0 && height > 0 && el.checkVisibility({ visibilityProperty: true })
  }
  const opacity = (el) => {
    let seen = 1
    for (let one = el; one; one = up(one)) seen *= Number(win.getComputedStyle(one).opacity)
    return seen
  }
  const hit = (document, x, y) => {
    let top = call('Document', 'elementFromPoint', document, x, y)
    while (top?.shadowRoot) {
      const inner = top.shadowRoot.elementFromPoint(x, y)
      if (!inner || inner === top) break
      top = inner
    }
    return top
  }
  const isSeen = (el, dx = 0, dy = 0) => {
    const { x, y, width, height } = el.getBoundingClientRect()
    if (width < SIZE || height < SIZE || !(opacity(el) >= OPACITY) || !isRendered(el)) return false
    const [left, top] = dx || dy ? [x + dx, y + dy] : [x + width / 2, y + height / 2]
    return hit(own('Node', 'ownerDocument', el), left, top) === el ? [left, top] : false
  }
  // Also through the frames of this origin around it; those of others are not to be looked at from here.
  const isVisible = (el) => {
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    let at = isSeen(el)
    for (let one = win; at && one.frameElement; one = one.parent) {
      const frame = one.frameElement
      at = isSeen(frame, at[0] + frame.clientLeft, at[1] + frame.clientTop)
    }
    return !!at
  }
  const isSandboxed = () => {
    for (let one = win; one.frameElement; one = one.parent)
      if (one.frameElement.hasAttribute('sandbox')) return true
    return false
  }

  const look = () => {
    if (!this.isConnected) return { refused: 'changed' }
    if (isSandboxed()) return { refused: 'opaque' }
    if (this.localName !== 'input' || !TEXT.test(this.type)) return { refused: 'no_login' }
    let form = this.form
    for (let one = this; one && !form; one = up(one)) if (one.localName === 'form') form = one
    let around = form
    for (let one = this; one && !around; one = up(one)) {
      const found = inside(one, 'button,input,[role=button]')
      const isWhole = found.some((el) => el.localName !== 'input' || /^(submit|button|image)$/.test(el.type))
      if (isWhole || !up(one)) around = one
    }
    const listed = form ? [...own('HTMLFormElement', 'elements', form)] : []
    const shown = [...new Set([...listed, ...inside(around, 'input')])].filter(
      (el) => el.localName === 'input' && TEXT.test(el.type) && isRendered(el),
    )
    const passwords = shown.filter((el) => isPassword(el) && !hints(el).includes('one-time-code'))
    if (passwords.some(isNew) || isNew(this)) return { refused: 'new_password' }
    if (passwords.length > 1) return { refused: 'several_passwords' }
    const plain = shown.filter((el) => !isPassword(el))
    const nodes = {}
    if (isCode(this) && this !== passwords.find((el) => !isCode(el))) nodes.code = this
    else if (plain.some(isPasswordLike)) return { refused: 'plain_field' }
    else if (passwords.length) {
      nodes.password = passwords[0]
      const before = plain.filter(
        (el) => !isCode(el) && call('Node', 'compareDocumentPosition', el, nodes.password) & 4,
      )
      nodes.user =
        plain.find((el) => hints(el).includes('username')) || before.findLast(isUser) || before.at(-1)
      if (!isPassword(this) && this !== nodes.user) return { refused: 'no_login' }
    } else if (isUser(this)) nodes.user = this
    else return { refused: 'no_login' }
    for (const name in nodes) if (!nodes[name]) delete nodes[name]
    for (const el of Object.values(nodes)) {
      if (el.disabled || el.readOnly) return { refused: 'locked' }
      if (!isVisible(el)) return { refused: 'hidden' }
    }
    const buttons = form
      ? [...listed, ...inside(form, 'button,input')].filter((el) => /^(submit|image)$/.test(el.type))
      : []
    const sends = form
      ? [
          own('HTMLFormElement', 'action', form),
          ...buttons.filter((el) => el.hasAttribute('formaction')).map((el) => el.formAction),
        ]
      : []
    const facts = {
      url: place.href.slice(0, 2000),
      origins: [place.origin, ...place.ancestorOrigins],
      sends: [...new Set(sends)].map((one) => one.slice(0, 2000)).slice(0, 20),
      fields: Object.keys(nodes).sort(),
    }
    return { facts, nodes, form }
  }

  const now = look()
  if (now.refused) return { refused: now.refused }
  if (!fills) {
    globalThis.pilothouseLogin = { token, field: this, ...now }
    return now.facts
  }
  const before = globalThis.pilothouseLogin
  const isSame = (after) =>
    before?.token === token &&
    before.field === this &&
    before.form === after.form &&
    JSON.stringify(before.facts) === JSON.stringify(after.facts) &&
    after.facts.fields.every((name) => before.nodes[name] === after.nodes[name])
  if (!isSame(now)) return { refused: 'changed' }
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const values = { user, password, code }
  const written = {}
  // A framework may write its own state back when a field tells it of a change: one field after the other, checked again.
  for (const name of ['user', 'password', 'code']) {
    const el = now.nodes[name]
    if (!el) continue
    const again = look()
    if (again.refused || !isSame(again)) return { refused: again.refused || 'changed', written }
    set.call(el, values[name])
    for (const kind of ['input', 'change'])
      el.dispatchEvent(new Event(kind, { bubbles: true, composed: true }))
    written[name] = el.value === values[name]
  }
  return { written }
})
