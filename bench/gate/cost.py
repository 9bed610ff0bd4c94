"""What the hold costs acts that nothing is asked about: the time until all requests of an act are answered."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median, quantiles

from server.browser.mcp.session_browser import SessionBrowser
from tests.support.browsers import open_pool
from tests.support.sites import Answer, Site

SIZES = (1, 10, 300)
_ASK = """async () => { const began = performance.now()
  await Promise.all(Array.from({length: %d}, () => fetch('/api/search', {method: 'POST', body: '{}'})))
  return performance.now() - began }"""


async def measure_cost(rounds: int = 10) -> list[tuple[int, float, float, float, float]]:
    """By number of requests: milliseconds without the hold and with it, each the median and the 95th percentile."""
    found = []
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        site.pages["/api/search"] = lambda _: Answer(b"{}")
        site.add("/page", "<h1>Page</h1>")
        async with open_pool(Path(folder)) as pool:
            browser = await pool.get("bench")
            await browser.navigate(site.url("/page"))
            held = {size: await _times(browser, size, rounds) for size in SIZES}
            assert browser.chromium is not None
            await browser.chromium.cdp.send("Fetch.disable")
            for size in SIZES:
                free = await _times(browser, size, rounds)
                found.append((size, *_shown(free), *_shown(held[size])))
    return found


async def _times(browser: SessionBrowser, size: int, rounds: int) -> list[float]:
    assert browser.monitor is not None
    page = next(iter(browser.monitor.pages.values()))
    script = {"expression": f"({_ASK % size})()", "awaitPromise": True, "returnByValue": True}
    times = []
    for _ in range(rounds + 2):
        done = await browser.monitor.cdp.send("Runtime.evaluate", script, session=page.session, deadline=60)
        times.append(float(done["result"]["value"]))
    return times[2:]


def _shown(times: list[float]) -> tuple[float, float]:
    return median(times), quantiles(times, n=20)[-1]
