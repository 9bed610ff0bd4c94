;(() => {
  const attach = Element.prototype.attachShadow,
    closed = new WeakSet()
  if (attach.asked) return
  const asked = [],
    own = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')
  const put = (holder, name, make) => {
    const native = holder?.[name]
    if (typeof native !== 'function') return
    const { [name]: replaced } = {
      [name](...given) {
        return make(() => native.apply(this, given), given, this)
      },
    }
    Object.defineProperty(holder, name, {
      value: replaced,
      writable: true,
      configurable: true,
      enumerable: true,
    })
  }
  const refuse = (kind) => {
    asked.push(kind)
    return Promise.reject(new DOMException('The request was refused.', 'NotAllowedError'))
  }
  put(Element.prototype, 'attachShadow', (run, [init], host) => {
    if (init?.mode !== 'closed') return run()
    const root = attach.call(host, { ...init, mode: 'open' })
    closed.add(host)
    return root
  })
  Element.prototype.attachShadow.asked = asked
  Object.defineProperty(Element.prototype, 'shadowRoot', {
    ...own,
    get() {
      return closed.has(this) ? null : own.get.call(this)
    },
  })
  for (const name of ['get', 'create'])
    put(globalThis.CredentialsContainer?.prototype, name, (run, [options]) =>
      options?.mediation === 'conditional'
        ? run()
        : options?.publicKey
          ? refuse('passkey')
          : options?.otp
            ? refuse('code')
            : run(),
    )
  put(globalThis.USB?.prototype, 'requestDevice', () => refuse('usb'))
  put(globalThis.HID?.prototype, 'requestDevice', () => refuse('hid'))
  put(globalThis.Serial?.prototype, 'requestPort', () => refuse('serial'))
  put(globalThis.MediaDevices?.prototype, 'getDisplayMedia', () => refuse('screen'))
  put(globalThis.EyeDropper?.prototype, 'open', () => refuse('colour'))
  put(globalThis, 'print', () => {
    asked.push('print')
    for (const kind of ['beforeprint', 'afterprint']) dispatchEvent(new Event(kind))
  })
})()
