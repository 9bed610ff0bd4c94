"""Changes what a page's own world offers: what would wait for a person at the browser's window is refused or recorded, and
closed shadow roots are open to our scripts and the tool server, which see no others."""

from __future__ import annotations

from collections.abc import Mapping

from server.browser.chromium.cdp import Cdp
from server.browser.scripts import script

DEVICE_PROMPTS: Mapping[str, str] = {
    "passkey": "a passkey", "code": "a code from a phone", "usb": "a USB device", "serial": "a serial device",
    "hid": "an input device", "screen": "a view of the screen", "colour": "a colour of the screen",
}  # fmt: skip
"""What pages ask of a person by a window of the browser's own, which the agent cannot see."""

_PAGE_WORLD_SCRIPT = script("page_world")
_TAKE = "(Element.prototype.attachShadow.asked || []).splice(0, 20).map(String).join()"


async def prepare(cdp: Cdp, session: str) -> None:
    """Have it in the documents of this session from now on. Raises CdpError."""
    script = {"source": _PAGE_WORLD_SCRIPT, "runImmediately": True}
    await cdp.send("Page.addScriptToEvaluateOnNewDocument", script, session=session)


async def take_asked(cdp: Cdp, session: str) -> list[str]:
    """The keys of `DEVICE_PROMPTS`, or `print`, for what the page has asked for since the last call. Raises CdpError."""
    params = {"expression": _TAKE, "returnByValue": True}
    done = await cdp.send("Runtime.evaluate", params, session=session, deadline=1)
    found = str(done["result"].get("value") or "").split(",")
    return [one for one in dict.fromkeys(found) if one == "print" or one in DEVICE_PROMPTS]
