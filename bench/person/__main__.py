"""What the agent makes of what its person points at and wants it to know.

    python -m bench.person [--part tokens|hostile|point ...] [--only WORDS] [--lines] [--json FILE]

* tokens: what instructions and kept notes add to each call;
* hostile: two hundred texts in ten languages that try to become a note, each as a page whose agent believes it;
* point: sixty pages with real Chromium: the person points at one control, something happens to the page, the operator acts.
  The model is a rule that presses what the prompt calls by number, and asks where the prompt says so.

A page is right if the pointed control alone was pressed, or the agent asked; it asks needlessly where the page says which
control was meant.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path

from bench.person.hostile import offer_hostile
from bench.person.point_pages import POINT_PAGES, PointPage
from bench.person.pointing import Pointed, play
from bench.person.tokens import measure_tokens
from bench.task.agents import open_operator
from server.runtime import open_runtime
from tests.support.browsers import settings_for
from tests.support.sites import Site

PARTS = ("tokens", "hostile", "point")
ROW = "{:<9} {:<46} {:<6} {:<9} {}"


async def run_pages(pages: Sequence[PointPage], *, lines: bool) -> list[Pointed]:
    found: list[Pointed] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(Site())
        operator = await stack.enter_async_context(open_operator(folder))
        for page in pages:
            one = await play(page, operator, site)
            found.append(one)
            more = one.line if lines or one.outcome == "other" else ""
            print(
                ROW.format(
                    page.kind, page.name, one.outcome, "needless" if one.is_needless else "", more
                ).rstrip(),
                flush=True,
            )
    return found


def of_pages(found: Sequence[Pointed]) -> dict[str, object]:
    outcomes = Counter(one.outcome for one in found)
    return {
        "pages": len(found), "hit": outcomes["hit"], "asked": outcomes["asked"], "other": outcomes["other"],
        "needless": [one.page.name for one in found if one.is_needless],
        "kinds": dict(Counter(one.page.kind for one in found)),
    }  # fmt: skip


async def run_hostile() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_runtime(settings_for(Path(folder), agent_mode="mock")) as world:
            return asdict(await offer_hostile(world))


async def run(parts: Sequence[str], only: str, *, lines: bool) -> dict[str, object]:
    found: dict[str, object] = {}
    if "tokens" in parts:
        found["tokens"] = measure_tokens()
    if "hostile" in parts:
        found["hostile"] = await run_hostile()
    if "point" in parts:
        pages = [page for page in POINT_PAGES if only in f"{page.kind} {page.name}"]
        found["point"] = of_pages(await run_pages(pages, lines=lines))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", metavar="WORDS", default="", help="pages and tasks with this in their name")
    parser.add_argument("--lines", action="store_true", help="what the model read of the pointer")
    parser.add_argument("--json", metavar="FILE", type=Path)
    given = parser.parse_args()
    text = json.dumps(asyncio.run(run(given.part or PARTS, given.only, lines=given.lines)), indent=1)
    print(text)
    if given.json:
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
