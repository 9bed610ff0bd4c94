"""A browser host in this process: its web service on a port of its own, with programs in place of Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import Profiles
from server.browser.own_chromiums import OwnChromiums
from server.clock import elapsed
from server.extras.hosts.app import HostService
from server.extras.hosts.chromiums import HostChromiums
from server.extras.hosts.hosted import HostedBrowsers
from server.settings import Settings
from tests.support.browsers import settings_for
from tests.support.eventually import eventually
from tests.support.fake_chromium import fake_chromium
from tests.support.ports import free_port

SECRET = "secret-of-browser-hosts"


class Epochs:
    """What the database keeps of sessions' browsers."""

    def __init__(self) -> None:
        self.epochs: dict[str, int] = {}
        self.hosts: dict[str, str] = {}

    async def next(self, session_id: str) -> tuple[int, str | None]:
        self.epochs[session_id] = self.epochs.get(session_id, 0) + 1
        return self.epochs[session_id], self.hosts.get(session_id)

    async def keep_host(self, session_id: str, host: str) -> None:
        self.hosts[session_id] = host


@dataclass
class RunningHost:
    settings: Settings
    browsers: HostedBrowsers
    processes: Processes
    profiles: Profiles

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"


@asynccontextmanager
async def running_host(
    folder: Path, *, port: int | None = None, clock: Callable[[], float] = elapsed, **changes: Any
) -> AsyncIterator[RunningHost]:
    defaults = {
        "port": port or free_port(), "browser_secret": SECRET, "browser_executable": fake_chromium(folder / "bin"),
        "browser_sandbox": False, "min_free_disk": 0,
    }  # fmt: skip
    settings = settings_for(folder, **{**defaults, **changes})
    processes, profiles = Processes(settings.browsers_dir / "processes"), Profiles(settings)
    chromiums = OwnChromiums(settings, processes, profiles)
    browsers = HostedBrowsers(settings, chromiums, profiles, clock)
    app = HostService(settings, chromiums, browsers).app()
    server = uvicorn.Server(uvicorn.Config(
        app, host="127.0.0.1", port=settings.port, log_config=None, timeout_graceful_shutdown=1, ws_ping_interval=None,
    ))  # fmt: skip
    serving = asyncio.create_task(server._serve())
    try:
        await eventually(lambda: server.started, message="the host listens")
        yield RunningHost(settings, browsers, processes, profiles)
    finally:
        server.should_exit = True
        await serving
        await processes.aclose()


def user_of(folder: Path, *hosts: str, epochs: Epochs, patience: float = 5, **changes: Any) -> HostChromiums:
    """A process that uses the browsers of these hosts."""
    defaults = {"browser_pool": ",".join(hosts), "browser_secret": SECRET, "run_lease": 6}
    settings = settings_for(folder, **{**defaults, **changes})
    return HostChromiums(
        settings, Profiles(settings), epochs.next, epochs.keep_host, name=folder.name, patience=patience
    )
