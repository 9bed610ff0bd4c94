"""Lists the usable elements of a page by id, for a takeover without a pointer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from time import monotonic

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.off_loop import TookTooLong, off_loop
from server.browser.takeover.browser_view import InputRefused, ListedElement, Listing
from server.browser.takeover.input_dispatcher import CTRL
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

MAX_LISTED_CONTROLS = 300
_CONTROL_ROLES = frozenset({
    "button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "tab", "slider",
    "spinbutton", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem", "Date", "DateTime",
    "InputTime", "ColorWell", "DisclosureTriangle",
})  # fmt: skip
_FIELD_ROLES = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "slider", "Date", "DateTime", "InputTime", "ColorWell"}
)

_FILL_SCRIPT = """function(text) {
  const notify = () => { for (const name of ['input', 'change']) this.dispatchEvent(new Event(name, {bubbles: true})) };
  if (this.tagName === 'SELECT') {
    const plain = text.trim().toLowerCase(), options = [...this.options];
    const found = options.find(one => one.label.trim().toLowerCase() === plain)
      || options.find(one => one.label.trim().toLowerCase().startsWith(plain));
    if (!found) return 'absent';
    this.value = found.value; notify(); return 'done';
  }
  if (/^(date|time|month|week|datetime-local|color|range)$/.test(this.type || '')) { this.value = text; notify(); return 'done' }
  this.focus(); return 'keys';
}"""
"""Sets selects and non-text fields directly; focuses any other field and returns `keys`, to be typed into."""


DOM_WAIT = 1.5
"""Seconds to wait for a document that is still loading."""


class ElementList:
    """The listed elements of one page. An `eid` names the same element of a document in every list."""

    def __init__(self, cdp: Cdp, session: str) -> None:
        self.session = session
        self._cdp = cdp
        self._nodes: dict[str, int] = {}

    async def read(self) -> Listing:
        """List the elements. Raises CdpError if the page does not answer."""
        state = await self._ready_state()
        tree = await self._send("Page.getFrameTree")
        found: list[ListedElement] = []
        for frame in _frames(tree["frameTree"]):
            nodes = (await self._send("Accessibility.getFullAXTree", {"frameId": frame["id"]}))["nodes"]
            try:
                usable = await off_loop(_usable, nodes)
            except TookTooLong as error:
                raise CdpError(str(error)) from None
            for node in usable:
                eid = f"{frame['loaderId'][-8:]}-{node['backendDOMNodeId']}"
                self._nodes[eid] = node["backendDOMNodeId"]
                role, name = _word(node, "role"), _word(node, "name")[:120]
                value = _word(node, "value")[:120] if role in _FIELD_ROLES else ""
                found.append(ListedElement(eid, role, name, value))
        return Listing(tuple(found[:MAX_LISTED_CONTROLS]), is_loading=state != "complete")

    async def _ready_state(self) -> str:
        """Return `document.readyState`; waits up to DOM_WAIT while it is `loading`."""
        deadline = monotonic() + DOM_WAIT
        while True:
            state = await self._send("Runtime.evaluate", {"expression": "document.readyState"})
            word = str(state["result"].get("value"))
            if word != "loading" or monotonic() > deadline:
                return word
            await asyncio.sleep(0.1)

    async def place(self, eid: str) -> tuple[float, float]:
        """Scroll the element into view and return its centre in viewport CSS pixels. Raises InputRefused."""
        node = self._node(eid)
        try:
            await self._send("DOM.scrollIntoViewIfNeeded", {"backendNodeId": node})
            quads = (await self._send("DOM.getContentQuads", {"backendNodeId": node}))["quads"]
        except CdpError:
            raise InputRefused(sentence("elements.gone")) from None
        if not quads:
            raise InputRefused(sentence("elements.not_shown"))
        return sum(quads[0][0::2]) / 4, sum(quads[0][1::2]) / 4

    async def fill(self, eid: str, text: str) -> None:
        """Replace the field's content by `text`. Raises InputRefused."""
        try:
            node = (await self._send("DOM.resolveNode", {"backendNodeId": self._node(eid)}))["object"][
                "objectId"
            ]
            called = await self._send("Runtime.callFunctionOn", {
                "objectId": node, "functionDeclaration": _FILL_SCRIPT, "arguments": [{"value": text}], "returnByValue": True,
                "userGesture": True,
            })  # fmt: skip
            if called["result"].get("value") == "absent":
                raise InputRefused(sentence("option.unknown"))
            if called["result"].get("value") == "keys":
                await self._type(text)
        except CdpError:
            raise InputRefused(sentence("elements.gone")) from None

    async def _type(self, text: str) -> None:
        key = {
            "key": "a",
            "code": "KeyA",
            "windowsVirtualKeyCode": 65,
            "modifiers": CTRL,
            "commands": ["selectAll"],
        }
        await self._send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
        await self._send("Input.dispatchKeyEvent", {"type": "keyUp", **key, "commands": []})
        if text:
            await self._send("Input.insertText", {"text": text})
            return
        for kind in ("rawKeyDown", "keyUp"):
            await self._send("Input.dispatchKeyEvent", {
                "type": kind, "key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46})  # fmt: skip

    def _node(self, eid: str) -> int:
        if eid not in self._nodes:
            raise InputRefused(sentence("elements.not_listed"))
        return self._nodes[eid]

    async def _send(self, method: str, params: Params | None = None) -> Params:
        return await self._cdp.send(method, params, session=self.session, deadline=3)


def _frames(tree: JsonObject) -> Iterator[JsonObject]:
    yield tree["frame"]
    for child in tree.get("childFrames", ()):
        yield from _frames(child)


def _usable(nodes: list[JsonObject]) -> list[JsonObject]:
    """Return the nodes with an interactive role that are enabled and not options of a closed select."""
    lists = {node["nodeId"] for node in nodes if _word(node, "role") in ("MenuListPopup", "combobox")}
    found = []
    for node in nodes:
        is_disabled = any(
            one["name"] == "disabled" and one["value"].get("value") for one in node.get("properties", ())
        )
        is_open_to_use = not node.get("ignored") and "backendDOMNodeId" in node and not is_disabled
        if is_open_to_use and _word(node, "role") in _CONTROL_ROLES and node.get("parentId") not in lists:
            found.append(node)
    return found


def _word(node: JsonObject, name: str) -> str:
    return str(node.get(name, {}).get("value", ""))
