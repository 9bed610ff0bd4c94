"""Reads a page over DevTools as Playwright's tool server does, for a server whose own listing says less.

The accessibility snapshot is made by the script that the pinned Playwright runs in pages, in an isolated world, so
both servers' pages are read by one program. Frames are put below their elements, as Playwright does.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import Sequence
from functools import lru_cache

from server.browser.chromium import frames
from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.watched_page import WatchedPage
from server.browser.scripts import script
from server.ops.program_files import PROGRAM_FILES

_PLAYWRIGHT_BUNDLE = PROGRAM_FILES / "node_modules" / "playwright-core" / "lib" / "coreBundle.js"
_SOURCE = re.compile(
    r'packages/playwright-core/src/generated/injectedScriptSource\.ts"\(\) \{\s*"use strict";\s*\w+ = '
    r"('(?:[^'\\\n]|\\.)*');"
)
_FRAME_PATIENCE = 2.0
"""Seconds for what one frame shows."""
SILENT_FRAME = "This frame does not answer, what it shows is left out."
_OBJECT_GROUP: Params = {"objectGroup": "pilothouse-snapshots"}

# Not constructed: the constructor adds listeners to the page's window, which its own scripts could notice.


@lru_cache(maxsize=1)
def reader_source() -> str:
    """The reader for one frame's isolated world. Raises FileNotFoundError or ValueError without the pinned Playwright."""
    found = _SOURCE.search(_PLAYWRIGHT_BUNDLE.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{_PLAYWRIGHT_BUNDLE} has no script for pages: it is not the pinned version")
    return script("snapshot_reader", INJECTED_SCRIPT=str(ast.literal_eval(found[1])))


class Snapshots:
    """The snapshots of one browser's pages. Refs are Playwright's, unique among the frames of a page."""

    def __init__(self) -> None:
        self._frames: dict[int, tuple[str, str]] = {0: ("", "")}
        """Session and frame id by the number in a frame's refs; 0 is the page itself."""

    async def read(self, cdp: Cdp, page: WatchedPage, *, deadline: float = 5) -> str:
        """Return the page's snapshot, in YAML with boxes, frames included. Raises CdpError."""
        self._frames = {0: (page.session, page.target)}
        async with asyncio.timeout(deadline):
            return await self._read(cdp, page, 0)

    async def _read(self, cdp: Cdp, page: WatchedPage, number: int) -> str:
        session, frame = self._frames[number]
        call = f"pilothouseSnapshots.read({number})"
        try:
            async with asyncio.timeout(_FRAME_PATIENCE if number else None):
                world = await frames.world(cdp, session, frame, 3)
                found = await _evaluate(cdp, session, world, f"globalThis.pilothouseSnapshots && {call}")
                found = found or await _evaluate(cdp, session, world, f"{reader_source()};{call}")
        except (CdpError, TimeoutError) as error:
            if number:
                return f"- text: {SILENT_FRAME}" if isinstance(error, TimeoutError) else ""
            raise
        snapshot, inside = str(found["snapshot"]), found["frames"]
        owners = await _describe(cdp, session, world, inside) if inside else {}
        works = {
            ref: self._read(cdp, page, self._number(page, session, node["frameId"]))
            for ref, node in owners.items()
            if "frameId" in node and len(self._frames) <= frames.MAX_FRAMES
        }
        for ref, within in zip(works, await asyncio.gather(*works.values()), strict=True):
            snapshot = _put_inside(snapshot, ref, within)
        return snapshot

    def _number(self, page: WatchedPage, session: str, frame: str) -> int:
        own = next((one for one, (_, id) in list(page.inner.items()) if id == frame), session)
        number = len(self._frames)
        self._frames[number] = own, frame
        return number

    async def nodes(self, cdp: Cdp, targets: Sequence[str]) -> dict[str, int]:
        """Return DevTools' node ids of elements in the last snapshot, by ref or `css=` selector. Raises CdpError."""
        by_frame: dict[int, list[str]] = {}
        for target in targets:
            in_frame = re.match(r"f(\d+)e", target)
            by_frame.setdefault(int(in_frame[1]) if in_frame else 0, []).append(target)
        found: dict[str, int] = {}
        for number, within in by_frame.items():
            if number not in self._frames:
                continue
            session, frame = self._frames[number]
            world = await frames.world(cdp, session, frame, 3)
            nodes = await _describe(cdp, session, world, within)
            found |= {target: int(node["backendNodeId"]) for target, node in nodes.items()}
        return found

    async def ask(self, cdp: Cdp, target: str, call: str) -> Params:
        """Call one of the reader's functions in the frame of an element. Raises CdpError."""
        in_frame = re.match(r"f(\d+)e", target)
        session, frame = self._frames.get(int(in_frame[1]) if in_frame else 0, ("", ""))
        world = await frames.world(cdp, session, frame, 3)
        return await _evaluate(cdp, session, world, f"globalThis.pilothouseSnapshots?.{call}")


async def _evaluate(cdp: Cdp, session: str, world: int, expression: str) -> Params:
    done = await cdp.send("Runtime.evaluate", {
        "expression": expression, "contextId": world, "returnByValue": True,
    }, session=session)  # fmt: skip
    if "exceptionDetails" in done:
        raise CdpError(f"snapshot: {done['exceptionDetails'].get('text')}")
    return dict(done["result"].get("value") or {})


async def _describe(cdp: Cdp, session: str, world: int, targets: Sequence[str]) -> dict[str, Params]:
    """DevTools' description of the elements, by target; without those that are gone."""
    wanted = f"{json.dumps(list(targets))}.map(one => globalThis.pilothouseSnapshots?.find(one) || null)"
    try:
        made = await cdp.send(
            "Runtime.evaluate", {"expression": wanted, "contextId": world, **_OBJECT_GROUP}, session=session
        )
        listed = await cdp.send(
            "Runtime.getProperties",
            {"objectId": made["result"]["objectId"], "ownProperties": True},
            session=session,
        )
        objects = {one["name"]: one["value"].get("objectId") for one in listed["result"] if "value" in one}
        named = {target: objects[str(at)] for at, target in enumerate(targets) if objects.get(str(at))}
        works = [cdp.send("DOM.describeNode", {"objectId": one}, session=session) for one in named.values()]
        answers = await asyncio.gather(*works, return_exceptions=True)
    finally:
        await frames.release(cdp, session, _OBJECT_GROUP)
    pairs = zip(named, answers, strict=True)
    return {target: answer["node"] for target, answer in pairs if not isinstance(answer, BaseException)}


def _put_inside(snapshot: str, ref: str, within: str) -> str:
    """Put a frame's snapshot below the line of its element."""
    line = re.search(rf"^( *)- iframe(?: \[[a-z-]+\])* \[ref={re.escape(ref)}\].*$", snapshot, re.MULTILINE)
    if line is None or not within:
        return snapshot
    inner = "\n".join(f"{line[1]}  {one}" for one in within.split("\n"))
    return f"{snapshot[: line.end()].removesuffix(':')}:\n{inner}{snapshot[line.end() :]}"
