"""This process among several on one database: the interface, and the part of a process that is alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Protocol

from server.browser.browsers import Browsers
from server.browser.chromium.running import Chromiums
from server.channels.presence import Presence
from server.errors import NotFound
from server.preferences import Preferences
from server.runs.executed import ExecutedRuns, OwnRuns
from server.runs.execution import Execution
from server.runs.executor import Executor
from server.runs.maintenance import (
    MaintainedServer,
    PlausibleClock,
    Tasks,
    housekeeping,
    preparation,
    sole_ownership,
)
from server.runs.queue import Execute, RunQueue
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.settings import Settings
from server.store import Ownership, Store, process_name
from server.stream.bus import EventBus, InProcessBus
from wording.catalogue import sentence

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

Share = Callable[[Callable[[bytes], None]], Callable[[bytes], None]]
"""Takes what sends a message to the other processes, returns what receives theirs."""


class JoiningServer(MaintainedServer, Protocol):
    """The part of the runtime that becomes one of several processes."""

    bus: EventBus
    executor: Executor
    recorder: RunRecorder
    own_runs: OwnRuns
    presence: Presence
    preferences: Preferences


class Cluster(Protocol):
    """What is different for one of several processes (`server/extras/cluster`).

    The methods before `join` are called in their order while the components are created.
    """

    is_shared: bool

    def ownership(self, installation: str) -> Ownership:
        """How runs get their owner."""
        ...

    def browsers(self, store: Store, own: Callable[[], Browsers], hosts: Chromiums | None) -> Browsers:
        """All browsers; `own` opens those of this process, `hosts` where they run if not on this machine."""
        ...

    async def open_bus(self, stack: AsyncExitStack, executions: Mapping[str, Execution]) -> EventBus: ...

    def queue(self, store: Store) -> Callable[[Execute], RunQueue] | None:
        """None for the queue of one process."""
        ...

    def executed(self, store: Store, own: OwnRuns) -> ExecutedRuns: ...

    async def join(self, stack: AsyncExitStack, server: JoiningServer) -> Tasks:
        """Continue or end the runs of former processes, take jobs. Returns the background tasks. Raises Unavailable."""
        ...

    async def problem(self) -> str | None:
        """Why nothing can be shared now; None if it can."""
        ...

    async def announce_drain(self) -> None: ...

    def share(self, topic: str, share: Share) -> None:
        """Let all processes know what this one knows of the topic."""
        ...

    @property
    def lag(self) -> float:
        """Seconds that the oldest event has waited to be shared."""
        ...

    async def claim_browser(self, session_id: str) -> None:
        """Become the process that has the session's browser. Raises BrowserUnavailable."""
        ...

    async def leave_browser(self, session_id: str) -> None:
        """Close it here, so that another process may have it. Raises NotFound for a process that is alone."""
        ...

    async def relay_live(self, socket: WebSocket, session_id: str) -> bool:
        """Serve the live view from the process that has the session's browser. False if that is this one."""
        ...


class SoleProcess:
    """Implements `Cluster` for a process that is alone on its database."""

    is_shared = False
    lag = 0.0

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def ownership(self, installation: str) -> Ownership:
        return Ownership(process_name(installation), continues=bool(self._settings.browser_hosts))

    def browsers(self, store: Store, own: Callable[[], Browsers], hosts: Chromiums | None) -> Browsers:
        return own()

    async def open_bus(self, stack: AsyncExitStack, executions: Mapping[str, Execution]) -> EventBus:
        bus = InProcessBus()
        stack.callback(bus.close)
        return bus

    def queue(self, store: Store) -> Callable[[Execute], RunQueue] | None:
        return None

    def executed(self, store: Store, own: OwnRuns) -> ExecutedRuns:
        return own

    async def join(self, stack: AsyncExitStack, server: JoiningServer) -> Tasks:
        store = server.store
        clock = PlausibleClock(await store.last_touched())  # before recovery, which stores the current time
        has_browser = server.browsers.has_outlived if store.ownership.continues else None
        recovery = Recovery(store, server.bus, server.recorder, server.executor, has_browser)
        await recovery.recover()
        return preparation(server) + sole_ownership(server, recovery) + housekeeping(server, clock)

    async def problem(self) -> str | None:
        return None

    async def announce_drain(self) -> None: ...

    def share(self, topic: str, share: Share) -> None: ...

    async def claim_browser(self, session_id: str) -> None: ...

    async def leave_browser(self, session_id: str) -> None:
        raise NotFound(sentence("address.nothing_here"))

    async def relay_live(self, socket: WebSocket, session_id: str) -> bool:
        return False
