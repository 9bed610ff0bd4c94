"""A client for one MCP session, which one owner task opens and closes.

The SDK's sessions must be entered and left in the same task, so a dedicated task does that; calls may come
from any task and are serialised. Every call has a deadline. A failed session cannot be reopened: create a new
client.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import ClientSession, McpError
from mcp.shared.message import SessionMessage
from mcp.types import CONNECTION_CLOSED, CallToolResult, Implementation, JSONRPCMessage, Tool
from pydantic import ValidationError

from server.browser.chromium.processes import Processes
from server.ops.json_types import JsonView

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

LAST_WORDS_SECONDS = 0.5
"""For a server that has ended."""
T = TypeVar("T")
Received = MemoryObjectReceiveStream[SessionMessage | Exception]
Sending = MemoryObjectSendStream[SessionMessage]


class ToolServerLost(Exception):
    """The MCP session has ended: the server exited, did not start, or sent messages that cannot be read."""

    def __init__(self, detail: str, *, was_sent: bool = False, was_overlong: bool = False) -> None:
        super().__init__(detail)
        self.was_sent = was_sent
        """True if the pending call had been sent: it may have been executed."""
        self.was_overlong = was_overlong
        """True if the answer exceeded the maximum message size."""


class ToolTimeout(Exception):
    """A call exceeded its deadline. The session stays open; the server may still be executing the call."""


class ToolRefused(Exception):
    """The server answered a call with a protocol error, such as an unknown tool."""


@dataclass(frozen=True, slots=True)
class Stdio:
    """A server that is started as a child process and used over its standard streams."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None


@dataclass(frozen=True, slots=True)
class Http:
    """A server that already runs, used over streamable HTTP."""

    url: str
    client: Callable[[], httpx.AsyncClient] | None = field(default=None, compare=False)
    """Makes the client of its requests; None: a plain one."""


class McpClient:
    """A session with one MCP server."""

    def __init__(self, name: str, server: Stdio | Http, processes: Processes) -> None:
        self.name = name
        self._server = server
        self._processes = processes
        self._session: ClientSession | None = None
        self._owner: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._turn = asyncio.Lock()
        self._last_words: deque[str] = deque(maxlen=8)
        self._tools: list[Tool] = []
        self._names: set[str] = set()
        self._was_overlong = False
        self.pid: int | None = None

    @property
    def is_open(self) -> bool:
        return self._session is not None and not self._leave.is_set()

    @property
    def tools(self) -> list[Tool]:
        """The server's tools, as listed when the session was opened."""
        return self._tools

    async def open(self, *, deadline: float = 60) -> None:
        """Start the server and initialise the session. Raises ToolServerLost."""
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(opened), name=f"mcp {self.name}")
        try:
            async with asyncio.timeout(deadline):
                await opened
        except TimeoutError:
            await self.close()
            raise ToolServerLost(self._describe_end(f"did not answer within {deadline:.0f} s")) from None
        except BaseException:
            await self.close()
            raise

    async def list_again(self, *, deadline: float) -> list[Tool]:
        """The server's tools as it lists them now. Raises what `call` raises."""

        async def listed() -> list[Tool]:
            assert self._session is not None
            return await _list_tools(self._session)

        self._tools = await self._asked("tools/list", listed, deadline)
        self._names = {tool.name for tool in self._tools}
        return self._tools

    async def call(self, tool: str, args: JsonView, *, deadline: float) -> CallToolResult:
        """Call a tool. Raises ToolTimeout, ToolRefused or ToolServerLost, nothing else."""

        async def called() -> CallToolResult:
            assert self._session is not None
            if tool not in self._names:
                raise ToolRefused(f"The tool server {self.name} has no tool {tool}.")
            return await self._session.call_tool(tool, dict(args))

        return await self._asked(tool, called, deadline)

    async def _asked(self, tool: str, ask: Callable[[], Coroutine[None, None, T]], deadline: float) -> T:
        try:
            async with asyncio.timeout(deadline), self._turn:
                if self._session is None or self._leave.is_set():
                    raise ToolServerLost(self._describe_end("has ended"))
                return await self._while_open(ask())
        except TimeoutError:
            raise ToolTimeout(f"{tool} took longer than {deadline:.0f} s") from None
        except McpError as error:
            if error.error.code == CONNECTION_CLOSED:
                raise ToolServerLost(
                    self._describe_end("ended during the call"),
                    was_sent=True,
                    was_overlong=self._was_overlong,
                ) from None
            raise ToolRefused(error.error.message) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ToolServerLost(self._describe_end("has ended"), was_sent=True) from None
        except (ValidationError, RuntimeError) as error:
            raise ToolRefused(f"{tool} answered in a form that cannot be read: {error}") from None

    async def _while_open(self, work: Coroutine[None, None, T]) -> T:
        """Await a call, and raise ToolServerLost if the session ends first: the SDK would keep waiting."""
        call, leaving = asyncio.create_task(work), asyncio.create_task(self._leave.wait())
        try:
            await asyncio.wait((call, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise ToolServerLost(
                    self._describe_end("ended during the call"),
                    was_sent=True,
                    was_overlong=self._was_overlong,
                )
            return call.result()
        finally:
            call.cancel()
            leaving.cancel()
            await asyncio.wait((call, leaving))

    async def close(self) -> None:
        """End the session and its process. Idempotent."""
        self._leave.set()
        if self._owner is not None:
            if self._session is None:
                self._owner.cancel()
            await asyncio.wait((self._owner,))

    async def _own(self, opened: asyncio.Future[None]) -> None:
        try:
            async with (
                self._connect() as (received, sending),
                ClientSession(
                    received, sending, client_info=Implementation(name="pilothouse", version="0.1.0")
                ) as session,
            ):
                await session.initialize()
                self._tools = await _list_tools(session)
                self._names = {tool.name for tool in self._tools}
                self._session = session
                opened.set_result(None)
                await self._leave.wait()
        except Exception as error:  # the SDK raises groups of many types; all become ToolServerLost
            log.debug("mcp session %s ended", self.name, exc_info=error)
            if not opened.done():
                cause: BaseException = error
                while isinstance(cause, BaseExceptionGroup):
                    cause = cause.exceptions[0]
                why = str(cause) or type(cause).__name__
                opened.set_exception(ToolServerLost(self._describe_end(f"cannot be used: {why}")))
        finally:
            self._session = None
            self._leave.set()
            opened.cancel()

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[tuple[Received, Sending]]:
        if isinstance(self._server, Http):
            import httpx
            from mcp.client.streamable_http import streamable_http_client

            make = self._server.client or (lambda: httpx.AsyncClient(timeout=httpx.Timeout(30, read=300)))
            async with (
                make() as http,
                streamable_http_client(self._server.url, http_client=http) as (received, sending, _),
            ):
                yield received, sending
        else:
            async with self._spawn(self._server) as streams:
                yield streams

    @asynccontextmanager
    async def _spawn(self, server: Stdio) -> AsyncIterator[tuple[Received, Sending]]:
        process = await self._processes.start(server.command, env=server.env, cwd=server.cwd, talks=True)
        self.pid = process.pid
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        to_session, received = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        sending, from_session = anyio.create_memory_object_stream[SessionMessage](16)
        listening = asyncio.create_task(self._listen(process.stderr))
        pumps = [
            asyncio.create_task(self._read(process.stdout, to_session, listening)),
            asyncio.create_task(_write(from_session, process.stdin)),
            listening,
        ]
        try:
            yield received, sending
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for stream in (to_session, received, sending, from_session):
                stream.close()
            await asyncio.shield(self._processes.end(process, grace=0.5))

    async def _read(
        self, stdout: asyncio.StreamReader, to_session: Sending, listening: asyncio.Task[None]
    ) -> None:
        """Pass JSON lines to the session, dropping invalid ones. The end of the stream ends the session, after what the
        server still says on the other: why it has ended."""
        try:
            while line := await stdout.readline():
                try:
                    message = JSONRPCMessage.model_validate_json(line)
                except ValidationError:
                    log.debug("%s wrote a line that is no message: %.200r", self.name, line)
                    continue
                await to_session.send(SessionMessage(message))
            await asyncio.wait((listening,), timeout=LAST_WORDS_SECONDS)
        except ValueError:
            self._was_overlong = True
            self._last_words.append("it answered with more than can be taken in one message")
        finally:
            self._leave.set()
            to_session.close()

    async def _listen(self, stderr: asyncio.StreamReader) -> None:
        with suppress(ValueError):
            while line := await stderr.readline():
                text = line.decode(errors="replace").strip()
                log.debug("%s: %.500s", self.name, text)
                self._last_words.append(text[:200])

    def _describe_end(self, what: str) -> str:
        words = "; ".join(word for word in self._last_words if word)
        return f"The tool server {self.name} {what}" + (f" ({words})" if words else "")


async def _list_tools(session: ClientSession) -> list[Tool]:
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(20):
        page = await session.list_tools(cursor)
        tools += page.tools
        cursor = page.nextCursor
        if not cursor:
            break
    return tools


async def _write(
    from_session: MemoryObjectReceiveStream[SessionMessage], stdin: asyncio.StreamWriter
) -> None:
    with suppress(ConnectionError):
        async for message in from_session:
            line = message.message.model_dump_json(by_alias=True, exclude_none=True)
            stdin.write(line.encode() + b"\n")
            await stdin.drain()
