"""Changes what a page's own world offers: what would wait for a person at the browser's window is refused or recorded, and
closed shadow roots are open to our scripts and the tool server, which see no others."""

from __future__ import annotations

from collections.abc import Mapping

from server.browser.chromium.cdp import Cdp

ASKED: Mapping[str, str] = {
    "passkey": "a passkey", "code": "a code from a phone", "usb": "a USB device", "serial": "a serial device",
    "hid": "an input device", "screen": "a view of the screen", "colour": "a colour of the screen",
}  # fmt: skip
"""What pages ask of a person by a window of the browser's own, which the agent cannot see."""

_SCRIPT = r"""(() => {
  const attach = Element.prototype.attachShadow, closed = new WeakSet();
  if (attach.asked) return;
  const asked = [], own = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot');
  const put = (holder, name, make) => {
    const native = holder?.[name];
    if (typeof native !== 'function') return;
    const {[name]: replaced} = {[name](...given) { return make(() => native.apply(this, given), given, this); }};
    Object.defineProperty(holder, name, {value: replaced, writable: true, configurable: true, enumerable: true});
  };
  const refuse = kind => { asked.push(kind); return Promise.reject(new DOMException('The request was refused.', 'NotAllowedError')); };
  put(Element.prototype, 'attachShadow', (run, [init], host) => {
    if (init?.mode !== 'closed') return run();
    const root = attach.call(host, {...init, mode: 'open'});
    closed.add(host);
    return root;
  });
  Element.prototype.attachShadow.asked = asked;
  Object.defineProperty(Element.prototype, 'shadowRoot', {...own, get() { return closed.has(this) ? null : own.get.call(this); }});
  for (const name of ['get', 'create'])
    put(globalThis.CredentialsContainer?.prototype, name, (run, [options]) =>
      options?.mediation === 'conditional' ? run() : options?.publicKey ? refuse('passkey') : options?.otp ? refuse('code') : run());
  put(globalThis.USB?.prototype, 'requestDevice', () => refuse('usb'));
  put(globalThis.HID?.prototype, 'requestDevice', () => refuse('hid'));
  put(globalThis.Serial?.prototype, 'requestPort', () => refuse('serial'));
  put(globalThis.MediaDevices?.prototype, 'getDisplayMedia', () => refuse('screen'));
  put(globalThis.EyeDropper?.prototype, 'open', () => refuse('colour'));
  put(globalThis, 'print', () => {
    asked.push('print');
    for (const kind of ['beforeprint', 'afterprint']) dispatchEvent(new Event(kind));
  });
})()"""
_TAKE = "(Element.prototype.attachShadow.asked || []).splice(0, 20).map(String).join()"


async def prepare(cdp: Cdp, session: str) -> None:
    """Have it in the documents of this session from now on. Raises CdpError."""
    script = {"source": _SCRIPT, "runImmediately": True}
    await cdp.send("Page.addScriptToEvaluateOnNewDocument", script, session=session)


async def take_asked(cdp: Cdp, session: str) -> list[str]:
    """The keys of `ASKED`, or `print`, for what the page has asked for since the last call. Raises CdpError."""
    params = {"expression": _TAKE, "returnByValue": True}
    done = await cdp.send("Runtime.evaluate", params, session=session, deadline=1)
    found = str(done["result"].get("value") or "").split(",")
    return [one for one in dict.fromkeys(found) if one == "print" or one in ASKED]
