"""HTTP and SSE client of the server: calls that return or raise `CliError`, and a reconnecting event stream.

User messages to the agent go over the WebSocket of `cli/client/dialogue.py`; `Client.dialogue` opens it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import quote

import httpx
from httpx_sse import EventSource, SSEError

from cli.client import api_types as api
from cli.client.address import Address
from cli.client.backoff import backoff
from cli.errors import CliError, ServerRefused, Unreachable, UsageError
from cli.text import clean
from cli.words import t

if TYPE_CHECKING:
    from cli.client.dialogue import Dialogue

Found = TypeVar(
    "Found", api.ListedSession, api.ListedAutomation, api.Grant, api.Note, api.Device, api.KeptSite
)

TERMINAL = frozenset({"done", "error"})
QUIET_AT_MOST = 45.0
"""Seconds without a byte after which a stream counts as lost. The server sends a comment every 15 s."""
BROWSER_PATIENCE = 120.0
"""Timeout in seconds for a manual browser command, which may have to start the browser first."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream. `raw` is its data as sent, `data`, an `api_types.Event`, is safe to print.

    The client itself adds `connection` events: `lost` is true after a disconnect, false once connected.
    """

    type: str
    data: Any
    raw: str = ""
    id: str = ""


class Client:
    """Client of one server, used as `async with`. `pause` is the first reconnect delay in seconds."""

    def __init__(self, address: Address, *, pause: float = 0.5, quiet: float = QUIET_AT_MOST) -> None:
        self.address = address
        self._pause = pause
        self._quiet = quiet
        self._dialogues: dict[str, Dialogue] = {}
        self._stack = AsyncExitStack()
        headers = {b"Authorization": f"Bearer {address.token}".encode()} if address.token else {}
        self._http = httpx.AsyncClient(
            base_url=f"{address.url}/api",
            headers=headers,
            timeout=httpx.Timeout(30, connect=5),
            trust_env=not address.is_local,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
        await self._http.aclose()

    async def call(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Call an endpoint below `/api`. Returns its JSON, safe to print, or None for an empty response."""
        response = await self._send(method, path, json=body, **options)
        if not response.content:
            return None
        try:
            return clean(response.json())
        except ValueError:
            raise Unreachable(t("{url} answers, but not as Pilothouse does.", url=self.address.url)) from None

    async def fetch(self, path: str, **params: str) -> bytes:
        """Fetch a file below `/api`, unchanged."""
        return (await self._send("GET", path, params=params)).content

    async def picture(self, address: str) -> bytes:
        """Fetch a screenshot, 640 pixels wide. The token is sent to our server only."""
        path = address.removeprefix(self.address.url)
        if not path.startswith("/"):
            raise Unreachable(t("it lies elsewhere, at {address}", address=address))
        return (await self._send("GET", self.address.absolute(path), params={"w": 640})).content

    async def send_zone(self, zone: str) -> None:
        """Send the zone of this machine, for the dates in the agent's prompts."""
        with suppress(ServerRefused):  # a server that does not know this zone keeps the one it has
            await self.call("PATCH", "/settings", {"device_zone": zone})

    async def session(self, session_id: str) -> api.SessionDetail:
        found: api.SessionDetail = await self.call("GET", f"/sessions/{quote(session_id, safe='')}")
        return found

    async def sessions(self, **params: str | int) -> list[api.ListedSession]:
        """List sessions: pinned ones first, then the newest. `params` are the API's: q, archived, limit."""
        page: api.Sessions = await self.call("GET", "/sessions", params=params)
        return page["items"]

    async def questions(self) -> list[api.OpenQuestion]:
        """All open questions, the next to expire first."""
        items: list[api.OpenQuestion] = []
        cursor: str | None = ""
        while cursor is not None:
            params = {"status": "open", "limit": 200} | ({"cursor": cursor} if cursor else {})
            page: api.Questions = await self.call("GET", "/questions", params=params)
            items += page["items"]
            cursor = page["next_cursor"]
        return items

    async def automations(self) -> list[api.ListedAutomation]:
        page: api.AutomationList = await self.call("GET", "/automations")
        return page["items"]

    async def firings(self, automation_id: str) -> list[api.Firing]:
        """The newest 20, the newest first."""
        path = f"/automations/{automation_id}/firings"
        page: api.Firings = await self.call("GET", path, params={"limit": 20})
        return page["items"]

    async def find_automation(self, name: str) -> api.ListedAutomation:
        """The automation whose id begins so. Raises UsageError if there is none, or more than one."""
        matches = _beginning_with(name, await self.automations())
        if len(matches) > 1:
            raise UsageError(
                t("{name} is the beginning of {n} automations; give more of it.", name=name, n=len(matches))
            )
        if not matches:
            raise UsageError(t("No automation {name}; /automations lists them.", name=name))
        return matches[0]

    async def grants(self) -> list[api.Grant]:
        page: api.Grants = await self.call("GET", "/grants")
        return page["items"]

    async def find_grant(self, name: str) -> api.Grant:
        """The grant whose id begins so. Raises UsageError if there is none, or more than one."""
        matches = _beginning_with(name, await self.grants())
        if len(matches) != 1:
            raise UsageError(t("No single grant {name}; /grants lists them.", name=name))
        return matches[0]

    async def devices(self) -> list[api.Device]:
        page: api.Devices = await self.call("GET", "/auth/devices")
        return page["items"]

    async def find_device(self, name: str) -> api.Device:
        """The device whose id begins so. Raises UsageError if there is none, or more than one."""
        matches = _beginning_with(name, await self.devices())
        if len(matches) != 1:
            raise UsageError(t("No single device {name}; /devices lists them.", name=name))
        return matches[0]

    async def kept_sites(self) -> list[api.KeptSite]:
        page: api.KeptSiteList = await self.call("GET", "/kept-sites")
        return page["items"]

    async def find_kept_site(self, name: str) -> api.KeptSite:
        """The site whose id begins so. Raises UsageError if there is none, or more than one."""
        matches = _beginning_with(name, await self.kept_sites()) if name else []
        if len(matches) != 1:
            raise UsageError(t("No single site {name}; /kept-sites lists them.", name=name))
        return matches[0]

    async def notes(self) -> list[api.Note]:
        page: api.NoteList = await self.call("GET", "/notes")
        return page["items"]

    async def find_note(self, name: str) -> api.Note:
        """The note whose id begins so. Raises UsageError if there is none, or more than one."""
        matches = _beginning_with(name, await self.notes()) if name else []
        if len(matches) != 1:
            raise UsageError(t("No single note {name}; /notes lists them.", name=name))
        return matches[0]

    async def find(self, name: str) -> str:
        """Resolve a full session id, a unique prefix, or `last` to an id. Raises UsageError if there is none."""
        if name == "last":
            items = await self.sessions(limit=100)
            if not items:
                raise UsageError(t("There is no session yet: pilothouse chat begins one."))
            return str(max(items, key=lambda item: str(item["updated_at"]))["id"])
        try:
            return str((await self.session(name))["id"])
        except ServerRefused as error:
            if error.status not in (404, 422):
                raise
        matches = _beginning_with(name, await self.sessions(limit=100))
        if len(matches) > 1:
            raise UsageError(
                t("{name} is the beginning of {n} sessions; give more of it.", name=name, n=len(matches))
            )
        if not matches:
            url = self.address.url
            raise UsageError(
                t("No session {name} at {url}: pilothouse sessions lists them.", name=name, url=url)
            )
        return str(matches[0]["id"])

    async def browse(self, session_id: str, tool: str, args: Mapping[str, object]) -> Any:
        """Execute a manual command in the session's browser: a Page for `observe`, else a CommandResult."""
        path = f"/sessions/{session_id}/browser/{tool}"
        return await self.call("POST", path, args, timeout=BROWSER_PATIENCE)

    async def dialogue(self, session_id: str) -> Dialogue:
        """The dialogue of this session, opened on first use and closed with the client."""
        from cli.client.dialogue import (
            Dialogue,  # importing the WebSocket library would slow down every command
        )

        if session_id not in self._dialogues:
            dialogue = Dialogue(self.address, session_id, pause=self._pause)
            self._dialogues[session_id] = await self._stack.enter_async_context(dialogue)
        return self._dialogues[session_id]

    async def follow(self, session_id: str, run_id: str | None = None) -> AsyncGenerator[Event]:
        """Yield the events of a session from now on without end, or of one run until its end.

        Reconnects after a disconnect and resumes after the last event. Raises `ServerRefused` if the server rejects
        the login or no longer has the session.
        """
        last_id = ""
        delays = backoff(self._pause)
        while True:
            pause = None
            try:
                async with self._stream(session_id, run_id, last_id) as source:
                    yield Event("connection", {"lost": False})
                    async for event in _decode(source):
                        delays = backoff(self._pause)
                        last_id = event.id or last_id
                        yield event
                        if run_id and event.type in TERMINAL:
                            return
            except (Unreachable, httpx.TransportError):
                pass
            except ServerRefused as error:
                if error.status < 500 and error.status != 429:
                    raise
                pause = error.retry_after
            yield Event("connection", {"lost": True})
            await asyncio.sleep(pause or next(delays))

    @asynccontextmanager
    async def _stream(self, session_id: str, run_id: str | None, last_id: str) -> AsyncIterator[EventSource]:
        params = {"run_id": run_id} if run_id else {"follow": "true"}
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_id} if last_id else {})
        timeout = httpx.Timeout(30, connect=5, read=self._quiet)
        path = f"/sessions/{session_id}/stream"
        async with self._http.stream(
            "GET", path, params=params, headers=headers, timeout=timeout
        ) as response:
            if response.is_error:
                await response.aread()
                raise self._refused(response)
            yield EventSource(response)

    async def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = await self._http.request(method, path, **options)
        except httpx.TimeoutException:
            raise Unreachable(t("{url} did not answer in time.", url=self.address.url)) from None
        except httpx.TransportError as error:
            raise Unreachable.not_answering(self.address.url, error) from None
        if not response.is_success:
            raise self._refused(response)
        return response

    def _refused(self, response: httpx.Response) -> CliError:
        if response.is_redirect:
            target = response.headers.get("location", "elsewhere")
            return Unreachable(
                t(
                    "{url} sends us on to {target}: give that address with --url.",
                    url=self.address.url,
                    target=clean(target),
                )
            )
        try:
            problem = clean(response.json())
        except ValueError:
            problem = {}
        known = problem if isinstance(problem, dict) else {}
        return ServerRefused(
            response.status_code, known, self.address.url, response.headers.get("retry-after")
        )


def _beginning_with(name: str, items: Iterable[Found]) -> list[Found]:
    return [item for item in items if item["id"].startswith(name)]


async def _decode(source: EventSource) -> AsyncIterator[Event]:
    try:
        async for sse in source.aiter_sse():
            if data := _object(sse.data):
                yield Event(sse.event, clean(data), sse.data, sse.id)
    except SSEError:
        raise CliError(
            t("The server's answer is not a stream of events: is there a proxy in between?")
        ) from None


def _object(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
