"""Runs a script in a page and in the frames inside it, those of other sites included."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from server.browser.chromium.cdp import AnswerTooLarge, Cdp, CdpError, Params

MAX_FRAMES = 20
Place = tuple[float, float]
"""Of a frame's upper left corner, in CSS pixels of the page's viewport."""


async def watch_frames(cdp: Cdp, session: str) -> None:
    """From now on frames of other sites get DevTools sessions of their own, told by `Target.attachedToTarget`."""
    await cdp.send("Target.setAutoAttach", {
        "autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True, "filter": [{"type": "iframe"}],
    }, session=session)  # fmt: skip


async def evaluate(cdp: Cdp, session: str, script: str, *, frame: str | None = None, deadline: float) -> Any:
    """The JSON value of a function's source, run in a world of its own beside the page's scripts.

    There a page neither sees nor changes it, and its content security policy does not stop it. Without
    `frame` it runs in the outermost one of the session. Raises CdpError.
    """
    if frame is None:
        tree = await cdp.send("Page.getFrameTree", session=session, deadline=deadline)
        frame = str(tree["frameTree"]["frame"]["id"])
    where = {"frameId": frame, "worldName": "pilothouse"}
    world = await cdp.send("Page.createIsolatedWorld", where, session=session, deadline=deadline)
    done = await cdp.send("Runtime.evaluate", {
        "expression": f"({script})()", "contextId": world["executionContextId"], "returnByValue": True,
    }, session=session, deadline=deadline)  # fmt: skip
    if "exceptionDetails" in done:
        raise CdpError(f"page script: {done['exceptionDetails'].get('text')}")
    return done["result"].get("value")


async def evaluate_inside(
    cdp: Cdp, session: str, inner: Mapping[str, tuple[str, str]], script: str, *, deadline: float
) -> list[tuple[Any, Place]]:
    """What a function's source gives in each frame inside the page, and where the frame is.

    `inner` maps the sessions of frames of other sites to (session around it, frame id), outer ones first.
    What cannot be reached is left out. Raises AnswerTooLarge when the page has so many frames, with such long
    addresses, that they cannot be listed.
    """
    origins: dict[str, Place] = {session: (0.0, 0.0)}
    found: list[tuple[str, str, Place]] = []
    try:
        async with asyncio.timeout(deadline):
            for inside, (around, frame) in inner.items():
                if around in origins:
                    origins[inside] = await _place(cdp, around, frame, origins[around])
                    found.append((inside, frame, origins[inside]))
            for within, origin in origins.items():
                tree = await cdp.send("Page.getFrameTree", session=within)
                found += [
                    (within, id, await _place(cdp, within, id, origin)) for id in _children(tree["frameTree"])
                ]
            works = [
                evaluate(cdp, within, script, frame=id, deadline=deadline)
                for within, id, _ in found[:MAX_FRAMES]
            ]
            values = await asyncio.gather(*works, return_exceptions=True)
    except AnswerTooLarge:
        raise
    except (CdpError, TimeoutError):
        return []
    places = [place for _, _, place in found]
    return [pair for pair in zip(values, places, strict=False) if not isinstance(pair[0], BaseException)]


async def _place(cdp: Cdp, session: str, frame: str, origin: Place) -> Place:
    """Where the frame's element is; its own corner when it is not shown."""
    try:
        owner = await cdp.send("DOM.getFrameOwner", {"frameId": frame}, session=session)
        box = await cdp.send("DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}, session=session)
    except CdpError:
        return origin
    x, y = box["model"]["content"][:2]
    return origin[0] + x, origin[1] + y


def _children(tree: Params) -> Iterator[str]:
    for child in tree.get("childFrames", ()):
        yield child["frame"]["id"]
        yield from _children(child)
