"""Starts and ends the processes of browsers, each in its own process group and recorded on disk.

Cleanup has three levels: `end` and `aclose` while the server runs, the guard (see process_guard.py) if the
server is killed, and `sweep` at the next start if the guard was killed, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from server.browser.chromium import process_guard as guard
from server.browser.chromium.process_guard import start_time_of

log = logging.getLogger(__name__)

LINE_LIMIT = 4 * 1024 * 1024
"""Maximum bytes of one output line of a process; a longer one ends the communication. A page influences the
length of its tool server's lines, and a line is parsed on the event loop, at up to 20 ms per megabyte."""

MAX_TEMPORARY_PATH = 50
"""Characters of a temporary folder in which Chromium can make its socket: of the some 100 that the path of a socket may
have, its own names take 46."""

_INHERITED = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "LD_LIBRARY_PATH",
    "UV_CACHE_DIR",
    "UV_OFFLINE",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_PYTHON",
    "SYSTEMROOT",
]


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a child process: what programs need to run, without the server's keys."""
    kept = {name: value for name, value in os.environ.items() if name in _INHERITED or name.startswith("LC_")}
    return {**kept, **(extra or {})}


class _LaterNote(TypedDict, total=False):
    folder: str
    """The group's temporary folder; an earlier version wrote none."""


class _Note(_LaterNote):
    """The file of a running process group. `born` is None if the process had ended before it was written."""

    pid: int
    born: str | None
    owner: int
    """The server that started it."""
    owner_born: str | None


class Processes:
    """The processes of this server's browsers. `folder` has one record file for each running process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[int, asyncio.subprocess.Process] = {}
        self._born: dict[int, str | None] = {}
        self._temporary: dict[int, str] = {}
        """Each group's own temporary folder: Chromium and Node leave folders and sockets in it that are never removed."""
        self._guard: subprocess.Popen[bytes] | None = None

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        talks: bool = False,
    ) -> asyncio.subprocess.Process:
        """Start a process in a new group; with `talks` its standard streams are pipes. Raises OSError."""
        pipe = asyncio.subprocess.PIPE if talks else asyncio.subprocess.DEVNULL
        folder = tempfile.mkdtemp(prefix="ph-")
        own = {"TMPDIR": folder} if len(folder) <= MAX_TEMPORARY_PATH else {}
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=cwd,
                env=clean_environment({**own, **(env or {})}),
                start_new_session=True,
                limit=LINE_LIMIT,
            )
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._temporary[process.pid] = folder
        self._running[process.pid] = process
        self._born[process.pid] = start_time_of(process.pid)
        self._notify_guard("+", process.pid)
        self._write_down(process.pid)
        return process

    async def end(self, process: asyncio.subprocess.Process, *, grace: float = 3.0) -> None:
        """Send SIGTERM to the whole group, and SIGKILL after `grace` seconds at the latest."""
        born = self._born.get(process.pid)
        guard.end_group(process.pid, born, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await process.wait()
        guard.end_group(process.pid, born, signal.SIGKILL)
        await process.wait()
        await self._forget(process.pid)

    async def aclose(self) -> None:
        await asyncio.gather(*(self.end(process) for process in list(self._running.values())))
        if self._guard is not None:
            self._guard.stdin.close()  # type: ignore[union-attr]
            await asyncio.to_thread(self._guard.wait)
            self._guard = None

    def sweep(self) -> int:
        """End the process groups that an earlier server left running; returns their number."""
        swept = 0
        for path in self._folder.glob("*.json"):
            note = _read_note(path)
            if note is None or start_time_of(note["owner"]) != note["owner_born"]:
                path.unlink(missing_ok=True)
                swept += note is not None and _end_orphan(note)
        return swept

    def _write_down(self, pid: int) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        note: _Note = {
            "pid": pid,
            "born": self._born[pid],
            "owner": os.getpid(),
            "owner_born": start_time_of(os.getpid()),
            "folder": self._temporary[pid],
        }
        (self._folder / f"{pid}.json").write_text(json.dumps(note))

    async def _forget(self, pid: int) -> None:
        self._running.pop(pid, None)
        self._born.pop(pid, None)
        if folder := self._temporary.pop(pid, None):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        self._notify_guard("-", pid)
        (self._folder / f"{pid}.json").unlink(missing_ok=True)

    def _notify_guard(self, sign: str, pid: int) -> None:
        if self._guard is None or self._guard.poll() is not None:
            self._guard = subprocess.Popen(
                (sys.executable, "-I", "-S", guard.__file__),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=clean_environment(),
                cwd="/",
            )
            lines = "".join(f"+{running} {self._temporary[running]}\n" for running in self._running)
        else:
            lines = f"{sign}{pid} {self._temporary.get(pid, '')}\n"
        with contextlib.suppress(BrokenPipeError):
            self._guard.stdin.write(lines.encode())  # type: ignore[union-attr]
            self._guard.stdin.flush()  # type: ignore[union-attr]


def _read_note(path: Path) -> _Note | None:
    try:
        note: _Note = json.loads(path.read_text())
        return note if _Note.__required_keys__ <= set(note) else None
    except (OSError, ValueError, TypeError):
        return None


def _end_orphan(note: _Note) -> bool:
    """Kill the recorded process group and remove its folder; returns whether any of it was running."""
    was_running = guard.end_group(note["pid"], note["born"], signal.SIGKILL)
    if was_running:
        log.warning("process group %s, left behind by an earlier server, was ended", note["pid"])
    if folder := note.get("folder"):
        shutil.rmtree(folder, ignore_errors=True)
    return was_running
