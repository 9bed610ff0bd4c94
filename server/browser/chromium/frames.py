"""Runs a script in a page and in its frames, including those of other sites."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from server.browser.chromium.cdp import AnswerTooLarge, Cdp, CdpError, Params
from server.ops.json_types import Json

MAX_FRAMES = 20
MAX_LISTENING = 400
CLICKS = frozenset({"click", "mousedown", "pointerdown", "contextmenu", "dblclick", "drop"})


class Place(NamedTuple):
    """Where a frame is: the upper left corner of what it shows, in CSS pixels of the page's viewport."""

    x: float = 0.0
    y: float = 0.0
    right: float = 0.0
    down: float = 0.0
    """Borders and padding of the frames around it: boxes of a snapshot leave them out."""
    session: str = ""
    frame: str | None = None

    @property
    def in_snapshot(self) -> tuple[float, float]:
        """Where boxes of a snapshot have the corner."""
        return self.x - self.right, self.y - self.down


async def watch_frames(cdp: Cdp, session: str, *, workers: bool = False) -> None:
    """Attach a DevTools session to each frame of another site, announced by `Target.attachedToTarget`.

    With `workers`, to the page's workers as well; frames and workers that are new then wait to be resumed.
    """
    kinds = ("iframe", "worker") if workers else ("iframe",)
    await cdp.send("Target.setAutoAttach", {
        "autoAttach": True, "waitForDebuggerOnStart": workers, "flatten": True,
        "filter": [{"type": kind} for kind in kinds],
    }, session=session)  # fmt: skip


async def evaluate(cdp: Cdp, session: str, script: str, *, frame: str | None = None, deadline: float) -> Json:
    """Call the function with the source `script` in an isolated world and return its JSON value, or its promise's.

    The page can neither see nor change it, and its content security policy does not apply. Without `frame` it
    runs in the outermost frame of the session. Raises CdpError.
    """
    context = await world(cdp, session, frame, deadline)
    done = await cdp.send("Runtime.evaluate", {
        "expression": f"({script})()", "contextId": context, "returnByValue": True, "awaitPromise": True,
    }, session=session, deadline=deadline)  # fmt: skip
    return _value_of(done)


async def evaluate_with_listeners(
    cdp: Cdp, session: str, script: str, *, frame: str, deadline: float, kinds: Collection[str] = CLICKS
) -> Json:
    """As `evaluate`, with a list of the page's elements that listen to events of these kinds as the function's argument;
    null if it cannot be read. The second argument is, for each of them, the list of those kinds.

    At most MAX_LISTENING, those in shadow roots included. An isolated world cannot ask for them itself: it sees only listeners of its own.
    """
    context = await world(cdp, session, frame, deadline)
    group = {"objectGroup": "pilothouse"}
    try:
        found = await _listening(cdp, session, context, group, min(deadline, 1), kinds)
        elements, heard = [one for one, _ in found or ()], [list(kinds) for _, kinds in found or ()]
        done = await cdp.send("Runtime.callFunctionOn", {
            "functionDeclaration":
                f"(heard, ...listening) => ({script})({'null' if found is None else 'listening'}, heard)",
            "executionContextId": context, "arguments": [{"value": heard}, *elements], "returnByValue": True,
        }, session=session, deadline=deadline)  # fmt: skip
    finally:
        await release(cdp, session, group)
    return _value_of(done)


async def _listening(
    cdp: Cdp, session: str, world: int, group: Params, deadline: float, kinds: Collection[str]
) -> list[tuple[dict[str, str], Collection[str]]] | None:
    """The elements with what they listen to. None if they cannot be read in time, or are more than can be read.

    The document is that of the page's own world, where its name cannot be taken by the page: asked about a
    document of an isolated world, Chromium breaks that world's elements that have listeners.
    """
    try:
        page = await cdp.send(
            "Runtime.evaluate",
            {"expression": "document", **group},
            session=session,
            deadline=deadline,
        )
        found = await cdp.send("DOMDebugger.getEventListeners", {
            "objectId": page["result"]["objectId"], "depth": -1, "pierce": True,
        }, session=session, deadline=deadline)  # fmt: skip
    except CdpError:
        return None
    nodes: dict[int, set[str]] = {}
    for one in found["listeners"]:
        if one["type"] in kinds and "backendNodeId" in one:
            nodes.setdefault(one["backendNodeId"], set()).add(one["type"])
    chosen = sorted(nodes)[:MAX_LISTENING]
    works = [
        cdp.send(
            "DOM.resolveNode",
            {"backendNodeId": node, "executionContextId": world, **group},
            session=session,
            deadline=deadline,
        )
        for node in chosen
    ]
    answers = await asyncio.gather(
        *works, return_exceptions=True
    )  # an error or null: of a frame's nodes, or of one that is gone
    return [
        ({"objectId": answer["object"]["objectId"]}, nodes[node])
        for node, answer in zip(chosen, answers, strict=True)
        if not isinstance(answer, BaseException) and "objectId" in answer["object"]
    ]


async def give_files(
    cdp: Cdp, session: str, frame: str, field: str, paths: Sequence[str], deadline: float
) -> None:
    """Set the files of the field that this expression of our own world names. Raises CdpError."""
    group = {"objectGroup": "pilothouse"}
    context = await world(cdp, session, frame, deadline)
    try:
        found = await cdp.send(
            "Runtime.evaluate",
            {"expression": field, "contextId": context, **group},
            session=session,
            deadline=deadline,
        )
        given = {"files": list(paths), "objectId": found["result"].get("objectId", "")}
        await cdp.send("DOM.setFileInputFiles", given, session=session, deadline=deadline)
    finally:
        await release(cdp, session, group)


async def call_on(
    cdp: Cdp,
    session: str,
    frame: str | None,
    element: str,
    function: str,
    arguments: Sequence[Json],
    deadline: float,
) -> Json:
    """Call the function with the element that an expression of our own world names as `this`; its JSON value.

    The arguments may be secret: they are in no script and in no text of an error. Raises CdpError.
    """
    group = {"objectGroup": "pilothouse-element"}
    context = await world(cdp, session, frame, deadline)
    try:
        found = await cdp.send(
            "Runtime.evaluate",
            {"expression": element, "contextId": context, **group},
            session=session,
            deadline=deadline,
        )
        done = await cdp.send("Runtime.callFunctionOn", {
            "functionDeclaration": function, "objectId": found["result"].get("objectId", ""),
            "arguments": [{"value": one} for one in arguments], "returnByValue": True,
        }, session=session, deadline=deadline)  # fmt: skip
    finally:
        await release(cdp, session, group)
    return _value_of(done)


async def world(cdp: Cdp, session: str, frame: str | None, deadline: float) -> int:
    """The execution context of the isolated world of a frame."""
    if frame is None:
        tree = await cdp.send("Page.getFrameTree", session=session, deadline=deadline)
        frame = str(tree["frameTree"]["frame"]["id"])
    where = {"frameId": frame, "worldName": "pilothouse"}
    made = await cdp.send("Page.createIsolatedWorld", where, session=session, deadline=deadline)
    return int(made["executionContextId"])


async def release(cdp: Cdp, session: str, group: Params) -> None:
    """Release the objects of `{objectGroup}` that DevTools holds for us."""
    with suppress(CdpError):
        await cdp.send("Runtime.releaseObjectGroup", group, session=session, deadline=1)


def _value_of(done: Params) -> Json:
    if "exceptionDetails" in done:
        raise CdpError(f"page script: {done['exceptionDetails'].get('text')}")
    value: Json = done["result"].get("value")
    return value


async def evaluate_inside(
    cdp: Cdp, session: str, inner: Mapping[str, tuple[str, str]], script: Callable[[Place], str], *,
    deadline: float,
) -> list[tuple[Json, Place]]:  # fmt: skip
    """Call in each frame inside the page, at most MAX_FRAMES, the `script` for its position; returns values and
    positions.

    `inner` maps the sessions of frames of other sites to (parent session, frame id), outer ones first. Frames
    that cannot be reached are left out. Raises AnswerTooLarge if the list of frames, with their URLs, is too
    long to be read.
    """
    origins: dict[str, Place] = {session: Place()}
    found: list[Place] = []
    try:
        async with asyncio.timeout(deadline):
            for inside, (around, frame) in list(inner.items()):  # frames come and go during the awaits
                if around in origins:
                    origin = await _place(cdp, around, frame, origins[around])
                    origins[inside] = origin._replace(session=inside)
                    found.append(origins[inside])
            for within, origin in origins.items():
                tree = await cdp.send("Page.getFrameTree", session=within)
                found += [await _place(cdp, within, id, origin) for id in _children(tree["frameTree"])]
            works = [
                evaluate(cdp, one.session, script(one), frame=one.frame, deadline=deadline)
                for one in found[:MAX_FRAMES]
            ]
            values = await asyncio.gather(*works, return_exceptions=True)
    except AnswerTooLarge:
        raise
    except (CdpError, TimeoutError):
        return []
    pairs = zip(values, found, strict=False)
    return [(value, place) for value, place in pairs if not isinstance(value, BaseException)]


async def _place(cdp: Cdp, session: str, frame: str, origin: Place) -> Place:
    """Return the place of the frame's element; that of its parent, `origin`, if it is not rendered."""
    try:
        owner = await cdp.send("DOM.getFrameOwner", {"frameId": frame}, session=session)
        box = await cdp.send("DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}, session=session)
    except CdpError:
        return origin._replace(session=session, frame=frame)
    x, y = box["model"]["content"][:2]
    left, top = box["model"].get("border", (x, y))[:2]
    return Place(origin.x + x, origin.y + y, origin.right + x - left, origin.down + y - top, session, frame)


def _children(tree: Params) -> Iterator[str]:
    for child in tree.get("childFrames", ()):
        yield child["frame"]["id"]
        yield from _children(child)
