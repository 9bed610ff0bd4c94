"""What the product makes of other people's widgets: sees them, sets them, and says what is true.

    python -m bench.zoo [--only NAME] [--family NAME] [--json FILE] [--words]

Each widget is a page of its own on loopback, built from npm packages of pinned versions (`bench/zoo/package.json`), in
real Chromium through Playwright MCP. It is asked for in acts that name a control by its words; each becomes a move, is
checked and performed as the operator does it. There is no model: what it would have to choose is given. Three checks a
widget:

* seen: the first look has the control, with its value where it has one;
* set: the widget's own value, read in the page's world without our scripts, is what was meant;
* said: the steps and the look after them are true: a value that is right shows and is not called wrong, one that is
  not right is called so.

A check is right, refused (not done, and the step says so), missing (not seen) or silent: wrong, and nothing says so.
`--words` prints what the model would read where a check is not right.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

from bench.zoo.play import Played, play, zoo_site
from bench.zoo.widgets import WIDGETS, Widget
from server.browser.mcp.session_browser import SessionBrowser
from tests.support.browsers import open_pool

ROW = "{:<34} {:<22} {:<8} {:<8} {:<8} {:>6}"


async def run(widgets: Sequence[Widget], *, words: bool) -> list[Played]:
    found: list[Played] = []
    print(ROW.format("widget", "family", "seen", "set", "said", "s"), flush=True)
    with tempfile.TemporaryDirectory() as folder, zoo_site(Path(folder) / "bundled") as site:
        async with open_pool(Path(folder) / "data") as pool:
            browser = await pool.get("zoo")
            assert isinstance(browser, SessionBrowser)
            browser.files.mkdir(parents=True, exist_ok=True)
            (browser.files / "a.txt").write_text("a")
            for widget in widgets:
                one = await play(widget, browser, site)
                found.append(one)
                row = ROW.format(widget.name, widget.family, *one.marks, f"{max(one.seconds, default=0):.1f}")
                print(row, flush=True)
                if words and set(one.marks) != {"right"}:
                    print(
                        f"  holds {one.held!r}, meant {widget.value!r}\n  " + one.words.replace("\n", "\n  ")
                    )
    return found


def summary(found: Sequence[Played]) -> dict[str, object]:
    marks = [mark for one in found for mark in one.marks]
    counts = {kind: marks.count(kind) for kind in ("right", "refused", "missing", "silent")}
    wrong = [one.widget.name for one in found if one.put == "silent"]
    seconds = sorted(second for one in found for second in one.seconds)
    times = {"median": median(seconds), "p95": quantiles(seconds, n=20)[-1]} if len(seconds) > 1 else {}
    return {"widgets": len(found), "checks": len(marks), **counts, "silent_values": wrong, "seconds": times}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="NAME", default="", help="widgets with this in their name")
    parser.add_argument("--family", metavar="NAME", default="")
    parser.add_argument("--json", metavar="FILE", type=Path)
    parser.add_argument("--words", action="store_true")
    given = parser.parse_args()
    chosen = [
        one
        for one in WIDGETS
        if given.only.casefold() in one.name.casefold() and given.family in ("", one.family)
    ]
    found = asyncio.run(run(chosen, words=given.words))
    print(json.dumps(summary(found), indent=1))
    if given.json:
        rows = [
            {
                "widget": one.widget.name,
                "family": one.widget.family,
                "seen": one.seen,
                "set": one.put,
                "said": one.said,
            }
            for one in found
        ]
        given.json.write_text(json.dumps({**summary(found), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
