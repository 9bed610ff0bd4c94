"""How long a click takes next to what its page sends: seconds, median and longest of several.

    python -m bench.waits [--clicks N]

The page counts up at once, and sends what the row says. `unread`: the site answers, and the page reads only the head of
it or nothing, as pages do that count what people do. `never`: the site does not answer.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import median
from time import monotonic

from tests.support.browsers import element, open_pool
from tests.support.sites import Answer, Site, Visit

SENDS = {
    "nothing": "",
    "unread POST": "fetch('/event', {method: 'POST'})",
    "unread GET": "fetch('/event')",
    "unread, 3 MB": "fetch('/large', {method: 'POST'})",
    "head read only": "fetch('/event', {method: 'POST'}).then(answer => answer.ok)",
    "beacon": "navigator.sendBeacon('/event')",
    "picture never answered": "new Image().src = '/never'",
    "never answered": "fetch('/never', {method: 'POST'})",
}
PAGE = """<title>Count</title><button onclick="shown.textContent = +shown.textContent + 1; {}">Count</button>
<p id=shown>0</p>"""


def never(visit: Visit) -> None:
    visit.site.pause(600)


async def measure(clicks: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Site() as site:
        site.pages |= {
            "/event": lambda _: Answer(b"{}"),
            "/large": lambda _: Answer(b" " * 3_000_000),
            "/never": never,
        }
        async with open_pool(Path(folder)) as pool:
            browser = await pool.get("waits")
            for name, script in SENDS.items():
                await browser.navigate(site.add("/count", PAGE.format(script)))
                took = []
                for _ in range(clicks):
                    button = element(await browser.observe(), "Count")
                    began = monotonic()
                    assert (await browser.click(button)).ok
                    took.append(monotonic() - began)
                print(f"{name:24} {median(took):5.2f} {max(took):5.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clicks", type=int, default=15)
    asyncio.run(measure(parser.parse_args().clicks))
