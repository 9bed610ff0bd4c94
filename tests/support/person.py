"""A person at one session: what they do there, and what they may rely on afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import httpx

from tests.support.chat import Event
from tests.support.eventually import eventually
from tests.support.invariants import (
    check_gone,
    check_stored,
    check_told,
    check_told_all,
    endings,
    finished_runs,
)
from tests.support.reader import Reader
from tests.support.service import HEADERS, PATIENCE, Service

Command = tuple[str, ...]
"""What is done, and with what: `("say", words)`, `("say", words, mode)`, `("answer", how)`, `("cancel",)`, ..."""

PING = "this is a ping test"


class Person:
    def __init__(self, service: Service, session_id: str) -> None:
        self.id = session_id
        self.reader = Reader(session_id, HEADERS)
        self._service = service
        self._numbers = count(1)
        self._said: list[tuple[str, dict[str, str]]] = []
        """What was accepted, with the ids it has."""
        self._approvals = 0
        self._wants_purge = False
        self._is_purged = False

    def __repr__(self) -> str:
        return self.id

    async def begin(self, agent: str) -> None:
        response = await self._service.call("POST", "", id=self.id, agent=agent)
        assert response.status_code == 201
        await self.come_back()

    async def come_back(self) -> None:
        await self.reader.cut()
        await self.reader.connect(self._service.app)

    async def do(self, command: Command, *, rests: bool) -> None:
        await self._carry_out(command)
        if rests:
            await self.until(_is_at_rest)

    async def do_at_once(self, commands: Sequence[Command]) -> None:
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*map(self._carry_out, commands))

    async def until(self, is_so: Callable[[Event], bool]) -> Event:
        return await eventually(
            lambda: self._service.read(self.id),
            is_so,
            timeout=PATIENCE,
            message="the session changes",
            interval=0.005,
        )

    # What they do

    async def _carry_out(self, command: Command) -> None:
        match command:
            case ("say", words):
                await self._say(words)
            case ("say", words, mode):
                await self._say(words, mode=mode)
            case ("answer", how):
                await self._answer(how)
            case ("repeat",):
                await self._repeat()
            case ("archive" | "purge" as how,):
                await self._delete(purge=how == "purge")
            case (how,):
                await self._ask("POST", f"/{how}", 202, 409)

    async def _ask(self, method: str, path: str, *expected: int, **body: Any) -> httpx.Response:
        response = await self._service.call(method, f"/{self.id}{path}", **body)
        assert response.status_code in (*expected, *([404] if self._wants_purge else [])), response.text
        return response

    async def _say(self, content: str, **mode: str) -> None:
        body = {"content": content, "client_id": f"c{next(self._numbers)}", **mode}
        response = await self._ask("POST", "/messages", 202, 409, **body)
        if response.status_code == 409:
            assert (response.json()["code"], mode) == ("run_in_progress", {})
        elif response.status_code == 202:
            self._said.append((response.json()["message"]["id"], body))

    async def _repeat(self) -> None:
        """The last message once more, as by a client that did not get the answer: it is one message."""
        if self._said:
            message_id, body = self._said[-1]
            response = await self._ask("POST", "/messages", 202, **body)
            assert self._wants_purge or response.json()["message"]["id"] == message_id

    async def _answer(self, how: str) -> None:
        pending = (await self._service.read(self.id)).get("pending") or {"reference": "none", "kind": "none"}
        approves = pending["kind"] == "confirm" and how in ("approve", "yes")
        self._approvals += approves
        if how not in ("approve", "deny"):
            return await self._say(how)
        body = {"reference": pending["reference"], "confirmed": how == "approve"}
        response = await self._ask("POST", "/decision", 202, 404, 409, **body)
        self._approvals -= approves and response.status_code != 202

    async def _delete(self, *, purge: bool) -> None:
        was_purged, self._wants_purge = self._is_purged, self._wants_purge or purge
        response = await self._ask("DELETE", "?purge=true" if purge else "", 204)
        self._is_purged = was_purged or (purge and response.status_code == 204)
        assert not was_purged or response.status_code == 404

    # What they may rely on

    async def check(self) -> None:
        """At any moment."""
        assert await self._service.effects(self.id) <= self._approvals
        if not self._wants_purge:
            check_stored(self._service.file, self.id)
            check_told(self.reader, finished_runs(self._service.file, self.id))

    async def end(self) -> None:
        """Whatever is going on can be stopped, and the next message is answered."""
        async with asyncio.timeout(PATIENCE):
            while (await self._ask("POST", "/cancel", 202, 409)).status_code == 202:
                pass
        if self._is_purged:
            assert not (self._service.file.parent / "screenshots" / self.id).exists()
            return check_gone(self._service.file, self.id)
        await self._say(PING)
        session = await self.until(lambda session: session["run"]["finished_at"])
        messages = session["messages"]
        assert messages[-1]["content"] == "Harbour"
        said = {message["id"] for message in messages if message["role"] == "user"}
        assert said == {message_id for message_id, _ in self._said}
        await self._hear_all(session["run"]["id"])

    async def _hear_all(self, last_run: str) -> None:
        await eventually(
            lambda: dict(endings(self.reader.events)),
            lambda it: last_run in it,
            timeout=PATIENCE,
            message=f"the end of {last_run} is published",
            interval=0.005,
        )
        await self.check()
        if not self.reader.has_missed:
            check_told_all(self.reader, finished_runs(self._service.file, self.id))
        await self.reader.cut()


def _is_at_rest(session: Event) -> bool:
    """Its run has ended, waits, or streams an answer."""
    run, live = session.get("run"), session.get("live") or {}
    if not run or run["finished_at"] or run["status"] in ("waiting_user", "paused"):
        return True
    return bool(live.get("text"))
