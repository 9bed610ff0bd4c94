"""A person at the live view, over its real WebSocket.

with watching(server, session_id) as person:
    person.take()
    person.click(100, 200)
    person.write("Ann")
    person.release(note="done")
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from tests.support.eventually import eventually_sync
from tests.support.server import Server

Told = dict[str, Any]


class Person:
    """Acknowledges frames as a painting client does, unless `acknowledges` is off, and keeps the messages it gets."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.told: list[Told] = []
        self.frames: list[bytes] = []
        self.acknowledges = True

    @property
    def state(self) -> Told:
        """The newest state."""
        return next((told for told in reversed(self.told) if told["type"] == "state"), {})

    def say(self, kind: str, /, **fields: object) -> None:
        self.socket.send(json.dumps({"type": kind, **fields}))

    def hear(self, seconds: float = 0.5) -> bool:
        """Take in the next message; False when none came in time."""
        try:
            message = self.socket.recv(timeout=seconds)
        except TimeoutError:
            return False
        if isinstance(message, str):
            self.told.append(json.loads(message))
            return True
        self.frames.append(message)
        if self.acknowledges:
            self.say("ack")
        return True

    def until(self, holds: Callable[[], object], *, seconds: float = 60) -> None:
        eventually_sync(
            holds,
            timeout=seconds,
            message=lambda: f"the view changes; told {self.told[-5:]}, {len(self.frames)} frames",
            interval=0.05,
            pause=self.hear,
        )

    def until_told(self, kind: str, /, *, since: int | None = None, **fields: object) -> Told:
        """The next message of this kind with these fields, among all that came after the `since`-th."""
        seen = 0 if since is None else since

        def found() -> list[Told]:
            return [one for one in self.told[seen:] if one["type"] == kind and fields.items() <= one.items()]

        self.until(found)
        return found()[0]

    def until_state(self, **fields: object) -> Told:
        self.until(lambda: fields.items() <= self.state.items())
        return self.state

    def take(self) -> None:
        self.say("take")
        self.until_state(holder="me", browser="open")

    def release(self, note: str | None = None) -> None:
        self.say("release", note=note)
        self.until_state(holder="none", held=False)

    def click(self, x: float, y: float) -> None:
        for kind in ("move", "down", "up"):
            self.say("mouse", kind=kind, x=x, y=y, button=0, clicks=1, modifiers=0)

    def press(self, key: str, code: str = "", modifiers: int = 0, **fields: object) -> None:
        for kind in ("down", "up"):
            self.say("key", kind=kind, key=key, code=code, modifiers=modifiers, **fields)

    def write(self, text: str) -> None:
        """Letter by letter, as with a keyboard."""
        for letter in text:
            self.press(letter, f"Key{letter.upper()}" if letter.isascii() and letter.isalpha() else "")

    def elements(self) -> dict[str, str]:
        """The eids of what is listed, by name."""
        since = len(self.told)
        self.say("elements")
        return {one["name"]: one["eid"] for one in self.until_told("elements", since=since)["items"]}


@contextmanager
def watching(server: Server, session_id: str) -> Iterator[Person]:
    address = f"ws://127.0.0.1:{server.port}/api/sessions/{session_id}/live"
    with connect(address, additional_headers=server.headers, proxy=None, max_size=8_000_000) as socket:
        person = Person(socket)
        person.until(lambda: person.told)
        yield person


@contextmanager
def handed_off(server: Server, session_id: str, secret: str) -> Iterator[Person]:
    """A client without a login that opens the link of a hand-off."""
    opened = httpx.post(
        f"{server.api}/links/handoff/open", headers={"pilothouse-link": secret}, trust_env=False
    )
    protocols = [Subprotocol("pilothouse"), Subprotocol(opened.raise_for_status().json()["token"])]
    address = f"ws://127.0.0.1:{server.port}/api/links/live/{session_id}"
    with connect(address, subprotocols=protocols, proxy=None, max_size=8_000_000) as socket:
        yield Person(socket)
