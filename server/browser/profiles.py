"""The folders of a session's browser: its profile, its files, and scratch space."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
from pathlib import Path

from server.browser.processes import birth_of
from server.settings import Settings

_NOT_COPIED = ("*Cache*", "Singleton*", "DevToolsActivePort", "Crash*", "*.tmp", "component_crx_cache")


class Profiles:
    """Where each session's browser lives on disk.

    A profile is kept with its session (`session`), begins as a copy of what other sessions left (`shared`,
    the last one to close wins), or is new at every start (`fresh`). `mode` may change at any time: a browser
    ends in the mode in which it began.
    """

    def __init__(self, settings: Settings) -> None:
        self._profiles = settings.profiles
        self._files = settings.downloads_dir
        self.mode = settings.browser_profile
        self._began: dict[str, str] = {}
        self._scratch = settings.data_dir / "browsers" / "scratch" / str(os.getpid())
        self._copying = asyncio.Lock()

    def sweep(self) -> None:
        """Remove the scratch space of servers that are gone, and what an earlier one of our number left."""
        for folder in self._scratch.parent.glob("*"):
            if not folder.name.isdigit() or birth_of(int(folder.name)) is None or folder == self._scratch:
                shutil.rmtree(folder, ignore_errors=True)

    def files(self, session_id: str) -> Path:
        return self._files / folder_name(session_id)

    def scratch(self, session_id: str) -> Path:
        return self._scratch / folder_name(session_id)

    async def open(self, session_id: str) -> Path:
        """The profile's folder, ready for a browser."""
        profile = self._profile(session_id)
        self._began[session_id] = self.mode
        if self.mode == "fresh":
            await asyncio.to_thread(shutil.rmtree, profile, ignore_errors=True)
        elif self.mode == "shared" and not profile.exists():
            await self._copy(self._common, profile)
        return profile.resolve()

    async def close(self, session_id: str) -> None:
        """The session's browser has ended, if one had begun."""
        mode = self._began.pop(session_id, None)
        if mode == "shared":
            await self._copy(self._profile(session_id), self._common)
        elif mode == "fresh":
            await asyncio.to_thread(shutil.rmtree, self._profile(session_id), ignore_errors=True)

    async def purge(self, session_id: str) -> None:
        for folder in (self._profile(session_id), self.files(session_id), self.scratch(session_id)):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    @property
    def _common(self) -> Path:
        return self._profiles / ".common"

    def _profile(self, session_id: str) -> Path:
        return self._profiles / folder_name(session_id)

    async def _copy(self, source: Path, target: Path) -> None:
        async with self._copying:
            await asyncio.to_thread(_replace, source, target)


def _replace(source: Path, target: Path) -> None:
    """Copy a profile without what can be made again; the target changes at once or not at all."""
    if not source.is_dir():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    new, old = target.with_name(f"{target.name}.new"), target.with_name(f"{target.name}.old")
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(source, new, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    if target.exists():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def folder_name(session_id: str) -> str:
    """A session's folder: its id where that is a plain name, else a digest of it."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", session_id):
        return session_id
    return "." + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
