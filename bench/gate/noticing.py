"""Pages that notice that a request is held: nothing leaves unasked or twice, and what was refused is not sent later."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from server.agent.gate.holding import agreed_terms
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.outgoing.held import ActTerms
from tests.support.browsers import element, open_pool
from tests.support.sites import Answer, Site

_SEND = "fetch('/orders', {method: 'POST', body: 'item=kettle' + more, signal})"
PAGES = {
    "gives up after a second": "send('', AbortSignal.timeout(1000))",
    "tries again at once": "send().catch(() => send())",
    "tries again three times, later each time": "let n = 0; const go = () => send().catch(() => n++ < 3 && setTimeout(go, 300 * n)); go()",
    "falls back to a beacon": "send().catch(() => navigator.sendBeacon('/orders', 'item=kettle'))",
    "falls back to a form": "send().catch(() => document.forms[0].submit())",
    "keeps a queue and sends it by a timer": "queue.push(1)",
    "keeps a queue over a reload": "localStorage.queued = '1'; send().then(() => localStorage.clear()).catch(() => location.reload())",
    "disables its button until the answer": "b.disabled = true; send().finally(() => { b.disabled = false })",
    "says at once that it was sent": "said.textContent = 'Sent'; send()",
    "empties its field before the answer": "const text = field.value; field.value = ''; send(text)",
    "sends twice": "send(); send()",
    "waits for the answer without answering": "const x = new XMLHttpRequest(); x.open('POST', '/orders', false); x.send('item=kettle')",
}  # fmt: skip


def _page(script: str) -> str:
    return f"""<title>Picture</title><h1>A walk</h1><p id=said></p><input id=field aria-label=Note value=blue>
<button type=button id=b onclick="press()">Zoom in</button>
<form method=post action=/orders><input type=hidden name=item value=kettle></form><script>
const queue = [], send = (more = '', signal) => {_SEND}
setInterval(() => {{ if (queue.length) send().then(() => queue.pop()).catch(() => 0) }}, 400)
if (localStorage.queued) send().then(() => localStorage.clear()).catch(() => 0)
const press = () => {{ {script} }}</script>"""


async def try_noticing(server: str) -> dict[str, tuple[int, int, str]]:
    """By page: what arrived before any yes (a no, then three seconds), what arrived after the yes, and how that was given."""
    found: dict[str, tuple[int, int, str]] = {}
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        site.pages["/orders"] = lambda _: Answer(b"{}", 201)
        async with open_pool(Path(folder), browser_mcp=server) as pool:
            browser = await pool.get("bench")
            for at, (name, script) in enumerate(PAGES.items()):
                found[name] = await _try(browser, site, site.add(f"/page-{at}", _page(script)))
    return found


async def _try(browser: SessionBrowser, site: Site, url: str) -> tuple[int, int, str]:
    await browser.navigate(url)
    site.effects.clear()
    await _press(browser, ActTerms())
    await asyncio.sleep(1)
    await browser.refuse_held()
    await asyncio.sleep(3)
    unasked = len(site.effects)
    how = "pressed again"
    if any(one.disabled for one in (await browser.observe()).interactive):
        await browser.navigate(url)
        how = "loaded again"
    await _press(browser, ActTerms())
    held = browser.held()
    if not held:
        return unasked, len(site.effects) - unasked, "not asked again"
    terms = agreed_terms(held, ActTerms())
    if not await browser.held_waits():
        how = f"{how}, the act done again"
    await _press(browser, terms)
    await asyncio.sleep(1.5)
    return unasked, len(site.effects) - unasked, how


async def _press(browser: SessionBrowser, terms: ActTerms) -> None:
    with browser.under(terms):
        await browser.click(element(await browser.observe(), "Zoom in"))
