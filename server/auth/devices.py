"""The devices that are logged in: one file for each login, so that processes that share the folder need no lock."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from server.fs import secret_file

Way = Literal["password", "proxy", "oidc"]
LOGIN_ID = re.compile(r"[0-9a-f]{16}")
USE_SECONDS = 60.0
"""How exactly the last use of a login is known."""
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


class StoredDevice(BaseModel):
    """A login by cookie. Times are seconds since 1970."""

    id: str
    way: Way
    browser: str
    """Such as `Firefox, Linux`; empty if unknown."""
    address: str
    """From which it logged in."""
    created_at: float
    expires_at: float
    last_used_at: float


class DeviceBook:
    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._used: dict[str, float] = {}

    def add(self, login_id: str, expires_at: float, *, way: Way, agent: str, address: str) -> None:
        now = self._clock()
        device = StoredDevice(
            id=login_id, way=way, browser=browser_of(agent), address=address, created_at=now, expires_at=expires_at,
            last_used_at=now,
        )  # fmt: skip
        self._used[login_id] = now
        with suppress(OSError):  # a full disk keeps no one out; the next use tries again
            secret_file.write(self._path(login_id), device.model_dump_json(exclude={"last_used_at"}))

    def note_use(self, login_id: str, expires_at: float, *, agent: str, address: str) -> None:
        """The time of the file is that of the last use. A login of an earlier version gets its file now."""
        now = self._clock()
        if now - self._used.get(login_id, 0.0) < USE_SECONDS or not LOGIN_ID.fullmatch(login_id):
            return
        self._used[login_id] = now
        try:
            os.utime(self._path(login_id), (now, now))
        except OSError:
            self.add(login_id, expires_at, way="password", agent=agent, address=address)

    def remove(self, login_id: str) -> None:
        self._used.pop(login_id, None)
        if LOGIN_ID.fullmatch(login_id):
            self._path(login_id).unlink(missing_ok=True)

    def all(self) -> list[StoredDevice]:
        """Those that have not expired, the one used last first; files of the others are removed."""
        found = []
        for path in self._folder.glob("*.json"):
            with suppress(FileNotFoundError):
                device = self._read(path)
                if device is None or device.expires_at <= self._clock():
                    path.unlink()
                else:
                    found.append(device)
        return sorted(found, key=lambda device: device.last_used_at, reverse=True)

    def _read(self, path: Path) -> StoredDevice | None:
        try:
            kept = json.loads(path.read_text())
            stored = StoredDevice.model_validate(kept | {"last_used_at": path.stat().st_mtime})
        except (ValueError, TypeError):
            return None
        return stored if stored.id == path.stem else None

    def _path(self, login_id: str) -> Path:
        return self._folder / f"{login_id}.json"


def browser_of(agent: str) -> str:
    """`Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0` -> `Firefox, Linux`"""
    known = [next((name for sign, name in names if sign in agent), "") for names in (BROWSERS, SYSTEMS)]
    return ", ".join(filter(None, known))
