"""The MCP servers of both agents: those of the settings page, and those of EXTRA_MCP, which only the environment changes.

Their tools are read from the database at each turn, so that a change holds from the next step on, in all processes.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Literal
from urllib.parse import urlsplit

from server.browser.browser import ToolOutcome, ToolSpec
from server.browser.chromium.processes import Processes
from server.browser.chromium.reach import Reach
from server.browser.mcp.client import Http, McpClient, Stdio, ToolRefused, ToolServerLost, ToolTimeout
from server.database.models import ToolServerRow
from server.errors import BadRequest, Forbidden, Unavailable
from server.events import now
from server.extras.tools.checked_http import http_client
from server.extras.tools.listing import Decided, KnownTool, allowed_by_name, allowing, listed, read_tools
from server.extras.tools.other_mcp import ResultText, read_place, read_server
from server.extras.tools.server_login import CALLBACK, KeptLogin, PendingLogin, PendingLogins, ServerLogin
from server.fs.secret_box import SecretBox, SecretLost
from server.ops.json_types import JsonObject, JsonView
from server.settings import Settings
from server.store import Store
from wording.catalogue import Wording, sentence

log = logging.getLogger(__name__)

OPENING = 30.0
"""Seconds that a server may take to start and to list its tools."""
UNUSED = 300.0
"""Seconds after which a connection that no call has used is closed."""
NONE_SECONDS = 5.0
"""For so long an installation without servers is not read again: another process may have added one."""
LIST_AGAIN = 60.0
"""Seconds until a server of the environment that could not be listed is tried again."""
FROM_ENVIRONMENT = "env:"
"""Before the name of such a server, in place of an id."""
_NOT_LOGGED_IN = (401, 403)


@dataclass(frozen=True)
class KnownServer:
    """A server with its tools. `row` is None for one of the environment."""

    id: str
    name: str
    place: Stdio | Http
    tools: Sequence[KnownTool]
    row: ToolServerRow | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()

    @property
    def version(self) -> object:
        """A connection is of use as long as this is the same."""
        return (self.place, self.row.place) if self.row else self.place


@dataclass(frozen=True, slots=True)
class Tested:
    """How a test has ended."""

    ok: bool
    detail: Wording
    needs_login: bool = False
    milliseconds: int = 0


@dataclass
class ServerConnection:
    client: McpClient
    version: object
    timer: asyncio.TimerHandle | None = None


class ToolServers:
    """`reach`: what further addresses, which servers name, may be."""

    def __init__(
        self, store: Store, secrets: SecretBox, settings: Callable[[], Settings], reach: Callable[[], Reach]
    ) -> None:
        self._store = store
        self._secrets = secrets
        self._settings = settings
        self._reach = reach
        self._processes = Processes(settings().browsers_dir / "tool-processes")
        self._open: dict[tuple[str, str], ServerConnection] = {}
        """By session and server."""
        self._opening: dict[tuple[str, str], asyncio.Lock] = {}
        self._logins: dict[str, tuple[bytes, ServerLogin]] = {}
        """By server, for all of its connections: one of them refreshes a token at a time."""
        self._fixed = [read_server(text) for text in settings().extra_mcp]
        self._fixed_tools: dict[str, list[KnownTool]] = {}
        self._fixed_faults: dict[str, tuple[float, str]] = {}
        self._listing = asyncio.Lock()
        self._none_until = 0.0
        self._pending = PendingLogins()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._processes.sweep()

    async def aclose(self) -> None:
        self._pending.end()
        for key in list(self._open):
            await self._close(key)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._processes.aclose()

    # What agents use

    def of_session(self, session_id: str) -> SessionTools:
        return SessionTools(self, session_id)

    async def offered(self) -> list[ToolSpec]:
        rows: list[ToolServerRow] = []
        if monotonic() > self._none_until:
            try:
                rows = [row for row in await self._store.tool_servers() if row.enabled]
                self._none_until = 0.0 if rows else monotonic() + NONE_SECONDS
            except Unavailable as error:
                log.warning("a model call has no tools of other servers: %s", error.detail)
        found = [tool.spec(row.name) for row in rows for tool in read_tools(row.tools) if tool.mode != "off"]
        for name, tools in await self._tools_of_environment():
            found += [tool.spec(name) for tool in tools]
        return found

    async def call(self, session_id: str, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        try:
            server = await self._server_named(spec.server)
            return await self._call(session_id, server, spec, args)
        except (ToolServerLost, ToolRefused, SecretLost, BadRequest) as error:
            return ToolOutcome(False, sentence("tool_server.failed", tool=spec.name, why=str(error)))
        except ToolTimeout:
            seconds = round(self._settings().tool_timeout)
            return ToolOutcome(False, sentence("tool_server.no_answer", tool=spec.name, seconds=seconds))

    async def _call(
        self, session_id: str, server: KnownServer, spec: ToolSpec, args: JsonView
    ) -> ToolOutcome:
        deadline, texts = self._settings().tool_timeout, ResultText(server.secrets)
        client = await self._connected(session_id, server)
        tools = listed(await client.list_again(deadline=deadline), server.tools)
        tool = next((one for one in tools if one.spec(server.name).name == spec.name), None)
        if list(server.tools) != tools:
            await self._keep_tools(server, tools)
        if tool is None or tool.pin != spec.pin:
            return ToolOutcome(False, sentence("tool.changed", tool=spec.name))
        result = await client.call(tool.name, args, deadline=deadline)
        return ToolOutcome(not result.isError, texts.of(result))

    # What the settings page uses

    async def all(self) -> list[KnownServer]:
        """Those of the environment first. One whose secrets are lost has an empty address."""
        rows = await self._store.tool_servers()
        await self._tools_of_environment()
        return [
            *map(self._fixed_server, self._fixed),
            *[await self._of_row(row, lenient=True) for row in rows],
        ]

    async def find(self, server_id: str) -> KnownServer:
        """Raises NotFound, SecretLost."""
        for fixed in map(self._fixed_server, self._fixed):
            if fixed.id == server_id:
                await self._tools_of_environment()
                return self._fixed_server((fixed.name, fixed.place))
        return await self._of_row(await self._store.tool_server(server_id))

    async def add(self, name: str, address: str, headers: Mapping[str, str]) -> KnownServer:
        """Raises BadRequest, Conflict; Forbidden for a command where the server's owner allows none."""
        self._check_name(name)
        columns = await self._columns(address, headers)
        self._none_until = 0.0
        row = await self._store.add_tool_server(
            name=name,
            **columns,
            login=None,
            needs_login=False,
            enabled=True,
            tools=[],
            fault=None,
            listed_at=None,
        )
        return await self._of_row(row)

    async def change(
        self, server_id: str, *, name: str | None = None, address: str | None = None,
        headers: Mapping[str, str] | None = None, enabled: bool | None = None, decided: Decided | None = None,
    ) -> KnownServer:  # fmt: skip
        """Another address is another server: what was decided about its tools, its headers and its login are gone."""
        self._check_not_fixed(server_id)
        values: JsonObject = {} if enabled is None else {"enabled": enabled}
        if name is not None:
            self._check_name(name)
            values["name"] = name
        if address is not None:
            values |= await self._columns(address, headers or {})
            values |= {"tools": [], "login": None, "needs_login": False, "listed_at": None, "fault": None}
        elif headers is not None:
            server = await self.find(server_id)
            values |= await self._columns(_address_of(server), headers)
        row = await self._store.change_tool_server(
            server_id,
            retool=(lambda stored: [one.to_json() for one in allowing(read_tools(stored), decided)])
            if decided
            else None,
            **values,
        )  # fmt: skip
        return await self._of_row(row)

    async def remove(self, server_id: str) -> None:
        self._check_not_fixed(server_id)
        await self._store.remove_tool_server(server_id)
        for key in [key for key in self._open if key[1] == server_id]:
            await self._close(key)

    async def test(self, server_id: str) -> Tested:
        """Open a connection of its own and list the tools. Raises NotFound."""
        server, began = await self.find(server_id), monotonic()
        status = _Status()
        try:
            client = await self._connect(server, status)
            await client.close()
        except (ToolServerLost, BadRequest) as error:
            needs_login = status.wants_login
            detail = sentence("tool_server.wants_login") if needs_login else Wording(str(error))
            await self._note_fault(server, detail, needs_login=needs_login)
            return Tested(False, detail, needs_login)
        tools = listed(client.tools, server.tools)
        await self._keep_tools(server, tools)
        took = round((monotonic() - began) * 1000)
        return Tested(True, sentence("tool_server.works", n=len(tools)), milliseconds=took)

    async def begin_login(self, server_id: str, caller: str) -> str:
        """The address at which the person logs in. Raises NotFound, BadRequest, ToolServerLost."""
        self._check_not_fixed(server_id)
        server = await self.find(server_id)
        if not isinstance(server.place, Http):
            raise BadRequest(sentence("tool_server.no_login"), code="no_login")
        login = PendingLogin(caller)
        kept = KeptLogin({}, self._save_login(server.id))

        async def redirect(url: str) -> None:
            metadata = provider.context.oauth_metadata
            login.issuer = str(metadata.issuer) if metadata else ""
            await login.redirect(url)

        provider = ServerLogin(server.place.url, self.callback, kept, redirect=redirect, answer=login.wait)

        async def work() -> None:
            client = await self._connect(server, _Status(), provider, seconds=OPENING * 30)
            await client.close()
            await self._keep_tools(server, listed(client.tools, server.tools))

        login.work = self._start(work())
        try:
            return await self._pending.begin(login, OPENING)
        except ToolServerLost as error:
            raise BadRequest(Wording(str(error)), code="login_failed") from None

    async def finish_login(self, state: str, code: str, issuer: str | None, caller: str) -> None:
        try:
            await self._pending.finish(state, code, issuer, caller)
        except (ToolServerLost, TimeoutError) as error:
            raise BadRequest(Wording(str(error)), code="login_failed") from None

    async def log_out(self, server_id: str) -> KnownServer:
        self._check_not_fixed(server_id)
        self._logins.pop(server_id, None)
        return await self._of_row(await self._store.change_tool_server(server_id, login=None))

    @property
    def callback(self) -> str:
        return self._settings().public_address + CALLBACK

    def fault_of(self, server: KnownServer) -> str | None:
        if server.row:
            return server.row.fault
        return self._fixed_faults.get(server.name, (0.0, None))[1]

    # Servers

    async def _of_row(self, row: ToolServerRow, *, lenient: bool = False) -> KnownServer:
        try:
            kept = json.loads(await self._secrets.decrypt(row.place))
        except SecretLost:
            if not lenient:
                raise
            kept = {"address": "/", "headers": {}}
        place = read_place(kept["address"])
        values = place.env.values() if isinstance(place, Stdio) else kept["headers"].values()
        return KnownServer(
            row.id, row.name, place, read_tools(row.tools), row, kept["headers"], tuple(values)
        )

    def _fixed_server(self, fixed: tuple[str, Stdio | Http]) -> KnownServer:
        name, place = fixed
        secrets = tuple(place.env.values()) if isinstance(place, Stdio) else ()
        tools = allowed_by_name(self._fixed_tools.get(name, []), name, self._settings().extra_mcp_allow)
        return KnownServer(f"{FROM_ENVIRONMENT}{name}", name, place, tools, secrets=secrets)

    async def _server_named(self, name: str) -> KnownServer:
        for fixed in self._fixed:
            if fixed[0] == name:
                return self._fixed_server(fixed)
        row = next(
            (row for row in await self._store.tool_servers() if row.name == name and row.enabled), None
        )
        if row is None:
            raise ToolRefused(sentence("tool_server.unknown"))
        return await self._of_row(row)

    async def _tools_of_environment(self) -> list[tuple[str, Sequence[KnownTool]]]:
        """Listed once; one that cannot be used is tried again after a while."""
        async with self._listing:
            for fixed in self._fixed:
                failed = self._fixed_faults.get(fixed[0])
                if fixed[0] not in self._fixed_tools and not (
                    failed and failed[0] + LIST_AGAIN > monotonic()
                ):
                    await self._list(fixed)
        return [(server.name, server.tools) for server in map(self._fixed_server, self._fixed)]

    async def _list(self, fixed: tuple[str, Stdio | Http]) -> None:
        try:
            client = await self._connect(self._fixed_server(fixed), _Status())
            await client.close()
        except (ToolServerLost, BadRequest) as error:
            log.warning("%s", error)
            self._fixed_faults[fixed[0]] = (monotonic(), str(error))
        else:
            self._fixed_tools[fixed[0]] = listed(client.tools, ())

    async def _keep_tools(self, server: KnownServer, tools: Sequence[KnownTool]) -> None:
        """`tools`: what the server has listed now. What the person has decided since it was read stays."""
        if server.row is None:
            self._fixed_tools[server.name] = [*tools]
            self._fixed_faults.pop(server.name, None)
            return
        pins = {tool.name: tool for tool in tools}

        def retool(stored: list[JsonObject]) -> list[JsonObject]:
            decided = {one.name: one for one in read_tools(stored)}
            same = (decided.get(name) for name in pins)
            kept = {one.name: one for one in same if one and one.pin == pins[one.name].pin}
            return [kept.get(name, tool).to_json() for name, tool in pins.items()]

        await self._store.change_tool_server(
            server.id, retool=retool, fault=None, needs_login=False, listed_at=now()
        )

    async def _note_fault(self, server: KnownServer, fault: str, *, needs_login: bool) -> None:
        if server.row is None:
            self._fixed_faults[server.name] = (monotonic(), fault)
        else:
            await self._store.change_tool_server(server.id, fault=fault, needs_login=needs_login)

    async def _columns(self, address: str, headers: Mapping[str, str]) -> JsonObject:
        """Raises BadRequest, Forbidden."""
        try:
            place = read_place(address)
        except ValueError:
            raise BadRequest(sentence("tool_server.bad_address")) from None
        if isinstance(place, Http):
            parts = urlsplit(place.url)
            if not parts.hostname or parts.username or parts.password:
                raise BadRequest(sentence("tool_server.bad_address"))
        else:
            self._check_commands()
            headers = {}
        sealed = await self._secrets.encrypt(
            json.dumps({"address": address, "headers": {**headers}}).encode()
        )
        kind: Literal["url", "command"] = "url" if isinstance(place, Http) else "command"
        return {"kind": kind, "shown": shown_place(place), "place": sealed, "headers": sorted(headers)}

    def _check_commands(self) -> None:
        if not self._settings().mcp_commands:
            raise Forbidden(sentence("tool_server.no_commands"), code="commands_off")

    def _check_name(self, name: str) -> None:
        if name == "browser" or name in (fixed[0] for fixed in self._fixed):
            raise BadRequest(sentence("tool_server.name_taken", name=name), code="name_taken")

    def _check_not_fixed(self, server_id: str) -> None:
        if server_id.startswith(FROM_ENVIRONMENT):
            raise Forbidden(sentence("tool_server.of_environment"), code="of_environment")

    # Connections

    async def _connected(self, session_id: str, server: KnownServer) -> McpClient:
        key = (session_id, server.id)
        async with self._opening.setdefault(key, asyncio.Lock()):
            kept = self._open.get(key)
            if kept is None or not kept.client.is_open or kept.version != server.version:
                await self._close(key)
                status = _Status()
                try:
                    client = await self._connect(server, status)
                except ToolServerLost as error:
                    why = str(sentence("tool_server.wants_login") if status.wants_login else error)
                    await self._note_fault(server, why, needs_login=status.wants_login)
                    raise ToolServerLost(why) from None
                kept = self._open[key] = ServerConnection(client, server.version)
            if kept.timer:
                kept.timer.cancel()
            kept.timer = asyncio.get_running_loop().call_later(
                UNUSED + self._settings().tool_timeout, lambda: self._start(self._close(key))
            )
            return kept.client

    async def _connect(
        self, server: KnownServer, status: _Status, login: ServerLogin | None = None, seconds: float = OPENING
    ) -> McpClient:
        """Raises ToolServerLost, SecretLost."""
        place = server.place
        if isinstance(place, Http):
            auth = login or await self._login_of(server)
            url, reach = place.url, self._reach()
            place = replace(place, client=lambda: http_client(url, server.headers, auth, reach, status.note))
        elif server.row is not None and not self._settings().mcp_commands:
            raise ToolServerLost(sentence("tool_server.no_commands"))
        client = McpClient(server.name, place, self._processes)
        await client.open(deadline=seconds)
        return client

    async def _login_of(self, server: KnownServer) -> ServerLogin | None:
        if server.row is None or server.row.login is None or not isinstance(server.place, Http):
            return None
        known = self._logins.get(server.id)
        if known and known[0] == server.row.login:
            return known[1]
        kept = KeptLogin(
            json.loads(await self._secrets.decrypt(server.row.login)), self._save_login(server.id)
        )
        login = ServerLogin(server.place.url, self.callback, kept)
        self._logins[server.id] = (server.row.login, login)
        return login

    def _save_login(self, server_id: str) -> Callable[[JsonObject], Coroutine[Any, Any, None]]:
        async def save(kept: JsonObject) -> None:
            sealed = await self._secrets.encrypt(json.dumps(kept).encode())
            await self._store.change_tool_server(server_id, login=sealed, needs_login=False)
            if server_id in self._logins:
                self._logins[server_id] = (sealed, self._logins[server_id][1])

        return save

    async def _close(self, key: tuple[str, str]) -> None:
        if kept := self._open.pop(key, None):
            if kept.timer:
                kept.timer.cancel()
            with suppress(Exception):
                await kept.client.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


@dataclass(frozen=True, slots=True)
class SessionTools:
    """Implements `ToolBox`: a session's calls go through connections of its own, because servers may keep a state."""

    servers: ToolServers
    session_id: str

    async def offered(self) -> Sequence[ToolSpec]:
        return await self.servers.offered()

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        return await self.servers.call(self.session_id, spec, args)


class _Status:
    """The last status of HTTP that a server has answered with."""

    def __init__(self) -> None:
        self.last = 0

    def note(self, status: int) -> None:
        self.last = status if self.last not in _NOT_LOGGED_IN else self.last

    @property
    def wants_login(self) -> bool:
        return self.last in _NOT_LOGGED_IN


def shown_place(place: Stdio | Http) -> str:
    """Without what may be a secret: the query of an address, the values of variables."""
    if isinstance(place, Http):
        parts = urlsplit(place.url)
        return parts._replace(query="…" if parts.query else "", fragment="").geturl()
    return " ".join([*(f"{name}=…" for name in place.env), *place.command])


def _address_of(server: KnownServer) -> str:
    if isinstance(server.place, Http):
        return server.place.url
    raise BadRequest(sentence("tool_server.headers_of_url"))
