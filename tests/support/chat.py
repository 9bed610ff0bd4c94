"""Talking to the API as a client does: send, read the stream to its end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx

from tests.support.eventually import eventually

Event = dict[str, Any]


def parse_sse(lines: Iterable[str]) -> list[Event]:
    """The data objects of an SSE text, each with its `id`."""
    events: list[Event] = []
    last_id = ""
    for line in lines:
        if line.startswith("id: "):
            last_id = line[4:]
        elif line.startswith("data: "):
            events.append({"id": last_id, **json.loads(line[6:])})
    return events


async def new_session(client: httpx.AsyncClient, **body: Any) -> str:
    response = await client.post("/api/sessions", json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


async def send(client: httpx.AsyncClient, session_id: str, content: str, **body: Any) -> dict[str, Any]:
    response = await client.post(f"/api/sessions/{session_id}/messages", json={"content": content, **body})
    assert response.status_code == 202, response.text
    return dict(response.json())


async def read(client: httpx.AsyncClient, session_id: str) -> dict[str, Any]:
    return dict((await client.get(f"/api/sessions/{session_id}")).json())


async def wait_for_status(client: httpx.AsyncClient, session_id: str, *statuses: str) -> dict[str, Any]:
    """The session, when its run has one of these statuses."""
    return await eventually(
        lambda: read(client, session_id),
        lambda it: it["run"] and it["run"]["status"] in statuses,
        message=f"the run is {' or '.join(statuses)}",
    )


async def wait_for_rest(client: httpx.AsyncClient, session_id: str) -> dict[str, Any]:
    """The session, when its run asks or has ended."""
    return await eventually(
        lambda: read(client, session_id),
        lambda it: it["run"]["status"] not in ("queued", "running"),
        message="the run asks or ends",
    )


async def read_stream(client: httpx.AsyncClient, session_id: str, **params: Any) -> list[Event]:
    """The whole stream until the server closes it."""
    response = await client.get(f"/api/sessions/{session_id}/stream", params=params)
    assert response.status_code == 200, response.text
    return parse_sse(response.text.splitlines())


async def follow(
    client: httpx.AsyncClient, path: str, headers: dict[str, str] | None = None
) -> AsyncIterator[Event]:
    """Events as they come; needs a client on a real connection."""
    async with client.stream("GET", path, headers=headers or {}, timeout=60) as response:
        last_id = ""
        async for line in response.aiter_lines():
            if line.startswith("id: "):
                last_id = line[4:]
            elif line.startswith("data: "):
                yield {"id": last_id, **json.loads(line[6:])}


async def ask(client: httpx.AsyncClient, content: str, **session: Any) -> tuple[str, list[Event]]:
    """A new session, one message, its whole stream."""
    session_id = await new_session(client, **session)
    await send(client, session_id, content)
    return session_id, await read_stream(client, session_id)


def of_type(events: Iterable[Event], kind: str) -> list[Event]:
    return [event for event in events if event["type"] == kind]
