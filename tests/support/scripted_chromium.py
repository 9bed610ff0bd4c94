"""Chromium's end of a DevTools pipe: it attaches sessions, keeps the commands, and sends what a test wants."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.devtools import DevTools


class ScriptedChromium:
    """Answers `Target.attachToBrowserTarget` with the sessions S1, S2, ...; everything else waits for the test."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.commands: list[dict[str, Any]] = []
        self._heard = asyncio.Condition()
        self._writer = writer
        self._sessions = 0
        self._reading = asyncio.create_task(self._read(reader))

    async def heard(self, method: str) -> dict[str, Any]:
        """The next command of this method, waited for."""
        async with self._heard:
            async with asyncio.timeout(30):
                await self._heard.wait_for(lambda: any(one["method"] == method for one in self.commands))
            found = next(one for one in self.commands if one["method"] == method)
            self.commands.remove(found)
            return found

    def say(self, message: dict[str, Any] | bytes) -> None:
        """As Chromium writes it: without spaces, `sessionId` last."""
        if isinstance(message, dict):
            message = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()
        self._writer.write(message + b"\0")

    def answer(self, command: dict[str, Any], result: dict[str, Any]) -> None:
        session = {"sessionId": command["sessionId"]} if "sessionId" in command else {}
        self.say({"id": command["id"], "result": result, **session})

    def close(self) -> None:
        self._reading.cancel()
        self._writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while True:
            command = json.loads((await reader.readuntil(b"\0"))[:-1])
            if command["method"] == "Target.attachToBrowserTarget" and "sessionId" not in command:
                self._sessions += 1
                session = f"S{self._sessions}"
                target = {"targetInfo": {"type": "browser"}, "waitingForDebugger": False}
                self.say({"method": "Target.attachedToTarget", "params": {"sessionId": session, **target}})
                self.answer(command, {"sessionId": session})
                continue
            async with self._heard:
                self.commands.append(command)
                self._heard.notify_all()

    async def attach_tab(self, cdp: Cdp, session: str = "TAB") -> None:
        """Give a client the session of a tab, as `Target.attachToTarget` does."""
        attaching = asyncio.create_task(cdp.send("Target.attachToTarget", {"targetId": "T1"}))
        command = await self.heard("Target.attachToTarget")
        attached = {"method": "Target.attachedToTarget", "params": {"sessionId": session}}
        self.say({**attached, "sessionId": command["sessionId"]})
        self.answer(command, {"sessionId": session})
        await attaching


@asynccontextmanager
async def scripted_pipe() -> AsyncIterator[tuple[ScriptedChromium, DevTools]]:
    here, there = socket.socketpair()
    chromium = ScriptedChromium(*await asyncio.open_connection(sock=there, limit=2**28))
    devtools = DevTools(*await asyncio.open_connection(sock=here))
    try:
        yield chromium, devtools
    finally:
        chromium.close()
        await devtools.close()
