"""The event streams: of a run, of a session, of all sessions for the web UI, and for observers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, cast

import orjson
from fastapi import APIRouter, Header
from starlette.responses import Response

from server.api.deps import STREAM, CallerOf, RuntimeDep, SessionId, Text
from server.api.merge import merge
from server.api.sse import EventStream
from server.errors import NotFound
from server.events import (
    Done,
    Error,
    Event,
    SessionChanged,
    Stamped,
    Usage,
    now,
    to_observer,
    to_sse,
)
from server.runs.events import deleted_session, to_error
from server.runtime import Runtime
from server.stream.event_log import Entry, EventId, read_event_id
from wording.catalogue import sentence

if TYPE_CHECKING:
    from server.database.models import RunRow

router = APIRouter()

EVENTS: dict[int | str, dict[str, object]] = {
    200: {
        "model": Event,
        "description": "Each block's `data`, in addition to session_id, run_id, epoch, seq and ts",
    }
}
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]


@router.get(
    "/api/sessions/{session_id}/stream", status_code=200, response_class=EventStream, responses=EVENTS,
    dependencies=[STREAM],
)  # fmt: skip
async def stream_session(
    session_id: SessionId,
    runtime: RuntimeDep,
    caller: CallerOf,
    run_id: Text | None = None,
    follow: bool = False,
    last_event_id: LastEventId = None,
) -> Response:
    """Stream the events of the current run, else of the last one; with `follow` also of later runs."""
    async with runtime.bus.loaded(session_id):  # raises Unavailable, before the response has started
        if runtime.bus.run_of(session_id) is None:
            await runtime.store.session(session_id)
        if run_id and not runtime.bus.keeps(session_id, run_id):
            run = await runtime.store.run(run_id)
            if run.session_id != session_id:
                raise NotFound(sentence("run.unknown"), code="run_unknown")
    source = _follow_session(runtime, session_id, run_id, follow, last_event_id)
    return EventStream(source, is_allowed=lambda: caller.is_logged_in)


async def _follow_session(
    runtime: Runtime, session_id: str, run_id: str | None, follow: bool, last_event_id: str | None
) -> AsyncIterator[bytes]:
    async with runtime.bus.loaded(session_id):
        blocks = _session_blocks(runtime, session_id, run_id, follow, last_event_id)
        async with aclosing(cast("AsyncGenerator[bytes]", blocks)):
            async for block in blocks:
                yield block


async def _session_blocks(
    runtime: Runtime, session_id: str, run_id: str | None, follow: bool, last_event_id: str | None
) -> AsyncIterator[bytes]:
    """Yield events from the bus while it has the run; queries the database only for ended or queued runs."""
    run, followed = None, run_id or runtime.bus.run_of(session_id)
    if followed is None or not runtime.bus.keeps(session_id, followed):
        run = await (runtime.store.run(run_id) if run_id else runtime.store.current_run(session_id))
        followed = run.id if run else None
    is_kept = followed is not None and runtime.bus.keeps(session_id, followed)
    if run and run.finished_at and not is_kept:
        yield await rebuilt_end(runtime, run, last_event_id)
    if follow or is_kept or (run and not run.finished_at):
        after = read_event_id(last_event_id) if is_kept else None
        # A client that resumes the session also gets the missed events of the previous run.
        only = None if after and run_id is None else followed
        entries = runtime.bus.follow(session_id, run_id=only, after=after, forever=follow)
        async for batch in entries:
            yield b"".join(entry.wire for entry in batch)
    elif run is None:
        yield b": no run yet\n\n"


async def rebuilt_end(runtime: Runtime, run: RunRow, last_event_id: str | None) -> bytes:
    """The terminal event of a run that is not buffered any more, from the database; empty if seen already."""
    seen = read_event_id(last_event_id)
    if seen and seen[0] > run.epoch:
        return b""
    event: Done | Error
    if run.status == "completed":
        messages = await runtime.store.messages(run.session_id)
        answer = next(message for message in messages if message.id == run.answer_id)
        event = Done(message=answer, usage=Usage.model_validate(run.usage or {}))
    else:
        event = to_error(run)
    seq = seen[1] + 1 if seen and seen[0] == run.epoch else 1
    return to_sse(
        Stamped(
            session_id=run.session_id,
            run_id=run.id,
            epoch=run.epoch,
            seq=seq,
            ts=run.finished_at or now(),
            event=event,
        )
    )


@router.get("/api/sessions/{session_id}/events")
async def stored_events(session_id: SessionId, runtime: RuntimeDep) -> list[object]:
    """Always empty: events are never stored."""
    await runtime.store.session(session_id)
    return []


@router.get("/events/{session_id}", status_code=200, response_class=EventStream, dependencies=[STREAM])
@router.get("/api/events/{session_id}", status_code=200, response_class=EventStream, dependencies=[STREAM])
async def observe_session(
    session_id: SessionId, runtime: RuntimeDep, caller: CallerOf, last_event_id: LastEventId = None
) -> Response:
    """Stream the session's events to any number of observers; never ends by itself."""
    await runtime.store.session(session_id)
    source = _observed(runtime, session_id, read_event_id(last_event_id))
    return EventStream(source, is_allowed=lambda: caller.is_logged_in)


async def _observed(runtime: Runtime, session_id: str, after: EventId | None) -> AsyncIterator[bytes]:
    yield b": observing\n\n"
    async for batch in runtime.bus.follow(session_id, after=after, forever=True):
        yield b"".join(_observed_block(entry.stamped) for entry in batch)


def _observed_block(stamped: Stamped) -> bytes:
    event = to_observer(stamped)
    if event is None:
        return b""
    return b"event: %b\nid: %b\ndata: %b\n\n" % (
        event["type"].encode(),
        stamped.id.encode(),
        orjson.dumps(event),
    )


@router.get(
    "/api/stream", status_code=200, response_class=EventStream, responses=EVENTS, dependencies=[STREAM]
)
async def stream_browser(
    runtime: RuntimeDep,
    caller: CallerOf,
    sessions: Text = "",
    after: str = "",
    last_event_id: LastEventId = None,
) -> Response:
    """One connection per web client: the states of all sessions, and the events of the named ones.

    A named session that does not exist is reported as deleted: a client that was away must not lose the others for it.
    """
    names, gone = list[str](), list[str]()
    for name in [name for name in sessions.split(",") if name][:20]:
        (names if await _exists(runtime, name) else gone).append(name)
    seen = _read_places(after) | _read_places(last_event_id or "")
    sources = [_changes(runtime, gone), *(_named(runtime, name, seen.get(name)) for name in names)]
    return EventStream(merge(sources), is_allowed=lambda: caller.is_logged_in)


def _read_places(text: str) -> dict[str, str]:
    """Parse `a/3-17,b/1-4` to `{a: 3-17, b: 1-4}`."""
    pairs = (part.rpartition("/") for part in text.split(",") if part)
    return {name: place for name, _, place in pairs if name}


async def _exists(runtime: Runtime, session_id: str) -> bool:
    try:
        await runtime.store.session(session_id)
    except NotFound:
        return False
    return True


async def _changes(runtime: Runtime, gone: Sequence[str]) -> AsyncIterator[bytes]:
    yield b": hello\n\n" + b"".join(_changed_block(deleted_session(name)) for name in gone)
    async for changes in runtime.bus.watch():
        yield b"".join(map(_changed_block, changes))


def _changed_block(change: SessionChanged) -> bytes:
    return b"event: session\ndata: %b\n\n" % orjson.dumps(change.model_dump(mode="json"))


async def _named(runtime: Runtime, session_id: str, place: str | None) -> AsyncIterator[bytes]:
    after = read_event_id(place)
    async for batch in runtime.bus.follow(session_id, after=after, forever=True):
        if batch:
            yield b"".join(_named_block(entry) for entry in batch)


def _named_block(entry: Entry) -> bytes:
    """The session's block, with its id prefixed by the session id, to be unique in this stream."""
    head, _, data = entry.wire.partition(b"\ndata: ")
    kind, _, number = head.partition(b"\nid: ")
    return b"%b\nid: %b/%b\ndata: %b" % (kind, entry.stamped.session_id.encode(), number, data)
