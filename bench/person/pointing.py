"""Plays a page that is pointed at: the pointer is made as the API makes it, and the operator acts on what it is shown.

The model is a rule: it presses what the prompt calls by number, scrolls to it where the prompt says so, presses the place of
the picture where a place is meant, and asks otherwise.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from PIL import Image

from bench.person.point_pages import OTHER_SITE, PLACED, PointPage
from bench.task.agents import Operator
from server.agent.pointing.pointer import Pointer, seen_page
from server.browser.browser import PagePoint
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import VIEWPORT
from tests.support.scripted_model import ScriptedModel
from tests.support.sites import Site

Outcome = Literal["hit", "asked", "other"]
"""`other`: another control was pressed, or none without a question."""
_LOOKS, _PAUSE = 20, 0.1
_SCROLLS = (*["down"] * 4, *["up"] * 8)
_HITS = """<script>
const hits = JSON.parse(sessionStorage.getItem('hits') || '[]');
const hit = name => { hits.push(name); sessionStorage.setItem('hits', JSON.stringify(hits));
  if (parent !== self) parent.postMessage({hit: name}, '*') };
addEventListener('message', e => e.data.hit && hit(e.data.hit));
</script>"""
_AT = """JSON.stringify((one => { if (Array.isArray(one)) return one; const r = one.getBoundingClientRect();
return [r.left + r.width / 2, r.top + r.height / 2] })(%s))"""


@dataclass(frozen=True)
class Pointed:
    page: PointPage
    outcome: Outcome
    hits: tuple[str, ...]
    line: str
    """What the model read of the pointer last."""
    prompt: str

    @property
    def is_needless(self) -> bool:
        """Asked although the page says which one was meant."""
        return self.outcome == "asked" and self.page.must == "act"


@dataclass
class PointingPlayer:
    """A turn of `ScriptedModel`."""

    pointer: Pointer
    model: ScriptedModel
    prompt: str = ""
    line: str = ""
    tries: int = 0
    scrolls: list[str] = field(default_factory=lambda: list(_SCROLLS))
    has_asked: bool = False

    def __call__(self, prompt: str) -> dict[str, Any]:
        self.prompt, states = prompt, re.findall(r"^1: (.+)$", prompt, re.MULTILINE)
        self.line = states[-1] if states else ""
        if self.has_asked or re.search(r"^\d+\. click ", prompt, re.MULTILINE):
            return self._move("stop", final_response="Done.")
        if self.tries < 2 and (known := re.match(r"is (e\d+)", self.line)):
            self.tries += 1
            return self._move("click", eid=known[1])
        if self.tries < 3 and self.line.startswith("a place ") and self.line.endswith("of the window"):
            self.tries += 1
            at = self._on_picture()
            return self._move("click", at=at) if at else self._move("screenshot")
        if self.line.startswith("not among") and self.scrolls:
            return self._move("scroll", direction=self.scrolls.pop(0))
        self.has_asked = True
        return self._move("ask_user")

    def _move(self, action: str, **more: Any) -> dict[str, Any]:
        return {"reason": "as pointed", "action": action, **more}

    def _on_picture(self) -> list[int] | None:
        """The pointed place in pixels of the picture of this turn."""
        shown = re.search(
            r'"base64": "([A-Za-z0-9+/=]+)"', json.dumps([one.content for one in self.model.asked[-1]])
        )
        if shown is None:
            return None
        wide, high = Image.open(io.BytesIO(base64.b64decode(shown[1]))).size
        left, top, width, height = self.pointer.box
        return [round((left + width / 2) * wide / 100), round((top + height / 2) * high / 100)]


async def play(page: PointPage, operator: Operator, site: Site) -> Pointed:
    browser = operator.browser
    assert isinstance(browser, SessionBrowser)
    other = site.add("/inner", f"<!doctype html>{_HITS}{PLACED}").replace("127.0.0.1", "localhost")
    address = site.add("/pointed", _document(page.body.replace(OTHER_SITE, other)))
    await browser.navigate(site.add("/empty", "<title>Empty</title><script>sessionStorage.clear()</script>"))
    await browser.navigate(address)
    await browser.observe()
    if page.before:
        await _run(browser, page.before)
    pointer = await _point(browser, json.loads(await _run(browser, _AT % page.at)))
    if page.then:
        await _run(browser, page.then)
    if page.leave:
        await browser.navigate(site.add("/left", _document(page.leave)))
    operator.asked.clear()
    operator.pointers = (pointer,)
    model = ScriptedModel(turns=[], prompts=[], asked=[], profile={"image_inputs": True})
    player = PointingPlayer(pointer, model)
    model.again = player
    await operator.run(model, "press 1")
    hits = await _hits(browser, page.want, is_expected=not player.has_asked)
    outcome: Outcome = "hit" if hits == [page.want] else "asked" if player.has_asked and not hits else "other"
    return Pointed(page, outcome, tuple(hits), player.line, player.prompt)


def _document(body: str) -> str:
    return f"<!doctype html><meta charset=utf-8><title>Page</title>{_HITS}<h1>Kettles</h1>{body}"


async def _point(browser: SessionBrowser, place: Sequence[float]) -> Pointer:
    """As the person's click on the picture: the element that is there, else a place."""
    x, y = (round(part) for part in place)
    assert 0 <= x <= VIEWPORT[0], x
    assert 0 <= y <= VIEWPORT[1], y
    seen = await browser.observe((), [PagePoint(x, y)])
    picture = await browser.screenshot()
    assert picture is not None
    kept = seen_page(seen, "/shots/1.jpg", (picture.width, picture.height))
    hit = seen.at(x, y)
    one = next((it for it in kept.elements if hit and hit.is_element and it.ref == hit.element.ref), None)
    if one is None:
        box = (100 * x / picture.width, 100 * y / picture.height, 0.0, 0.0)
        return Pointer(n=1, url=kept.url, picture="/shots/1.jpg", box=box, view=kept.view)
    return Pointer(
        n=1, url=kept.url, picture="/shots/1.jpg", box=one.box, target=one.target, ref=one.ref, alone=one.alone,
        view=kept.view,
    )  # fmt: skip


async def _hits(browser: SessionBrowser, want: str, *, is_expected: bool) -> list[str]:
    """What the page's controls have noted; it may come a moment after the press."""
    found: list[str] = []
    for _ in range(_LOOKS if is_expected else 3):
        found = json.loads(await _run(browser, "sessionStorage.getItem('hits') || '[]'"))
        if want in found:
            break
        await asyncio.sleep(_PAUSE)
    return found


async def _run(browser: SessionBrowser, script: str) -> Any:
    """Evaluate in the page's own world, without any of the product's scripts."""
    monitor = browser.monitor
    assert monitor is not None
    page = next(reversed(monitor.pages.values()))
    source = {"expression": script, "returnByValue": True, "awaitPromise": True}
    answer = await monitor.cdp.send("Runtime.evaluate", source, session=page.session)
    assert "exceptionDetails" not in answer, (script, answer["exceptionDetails"])
    return answer["result"].get("value")
