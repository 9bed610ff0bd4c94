"""Real browsers for tests: each pool has its own folder and removes everything at its end."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from server.browser.browser import ToolOutcome
from server.browser.chromium.egress import Resolve
from server.browser.chromium.processes import Processes
from server.browser.mcp.playwright import playwright
from server.browser.mcp.session_browser import ToolServer
from server.browser.mcp.tool_discovery import ToolFinder
from server.browser.observation import Element, Observation
from server.browser.pool import BrowserPool
from server.extras.tools.browser_use import BROWSER_USE
from server.extras.tools.servers import server_of
from server.fs.permissions import keep_private
from server.settings import Settings
from tests.support.eventually import eventually


def settings_for(folder: Path, **changes: Any) -> Settings:
    """Settings for a headless browser in `folder`; `.env` is not read."""
    return Settings(_env_file=None, **{"data_dir": folder, "browser_headless": True, "port": 8000, **changes})


@functools.cache
def _tools_of(name: str) -> ToolFinder | None:
    """Shared by all pools of this process: listing the tools costs a start of the tool server."""
    server = {"playwright": playwright(), "browser-use": BROWSER_USE}.get(name)
    if server is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="pilothouse-tools-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return ToolFinder(server, Processes(folder / "processes"), folder / "scratch")


@asynccontextmanager
async def open_pool(
    folder: Path, resolve: Resolve | None = None, *, server: ToolServer | None = None, **changes: Any
) -> AsyncIterator[BrowserPool]:
    """`resolve` replaces the system's resolver, `server` the tool server of the settings."""
    settings = settings_for(folder, **changes)
    keep_private(settings.data_dir)
    tools = _tools_of(settings.browser_mcp)
    pool = BrowserPool(settings, resolve, server=server or server_of(settings), tools=tools)
    try:
        yield pool
    finally:
        await pool.aclose()


def element(seen: Observation, name: str, role: str | None = None) -> Element:
    """The element with this name (and role); fails with the page's text."""
    found = [one for one in seen.interactive if one.name == name and role in (None, one.role)]
    assert found, f"no {role or 'element'} {name!r} in:\n{seen.text()}"
    return found[0]


def notes_of(*seen: ToolOutcome | Observation) -> str:
    """The notes of these results, a line each."""
    return "\n".join(note for one in seen for note in one.notes)


def cpu_seconds() -> float:
    """CPU time so far of this process and of all its living descendants, such as browsers and tool servers."""
    parents: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(folder.name))
            used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    total, pending = 0.0, [os.getpid()]
    while pending:
        pid = pending.pop()
        total += used.get(pid, 0.0)
        pending += parents.get(pid, [])
    return total


async def no_process_is_left(*needles: str) -> None:
    """Wait until none is left: a killed process ends after a moment."""
    await eventually(
        lambda: running_processes(*needles), lambda it: not it, message="no process is left", interval=0.1
    )


def running_processes(*needles: str) -> list[str]:
    """Command lines of running processes that contain all needles, without this process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            is_dead = (folder / "stat").read_text().rpartition(") ")[2][0] in "ZX"
        except OSError:
            continue
        if all(needle in line for needle in needles) and not is_dead and int(folder.name) != os.getpid():
            found.append(f"{folder.name} {line.strip()}")
    return found
