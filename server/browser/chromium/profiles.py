"""The folders of a session's browser: profile, files and scratch space."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from server.browser.chromium.process_guard import start_time_of
from server.fs.disk import MEGABYTE, size_of
from server.settings import Settings

log = logging.getLogger(__name__)

_COMMON_PROFILE = ".common"
_NEW, _OLD = ".new", ".old"
"""Suffixes of a copy in progress, and of the profile that is moved aside for it."""
_NOT_COPIED = ("*Cache*", "Singleton*", "DevToolsActivePort", "Crash*", "*.tmp", "component_crx_cache")
_OPEN_TABS = "Sessions"
"""Not copied to other sessions: none of them opens the pages of another."""

_CACHES = (
    "*Cache*", "Default/*Cache*", "Default/Service Worker", "Default/IndexedDB", "Default/File System",
    "Default/WebStorage", "Default/blob_storage", "Default/shared_proto_db", "Default/Shared Dictionary",
)  # fmt: skip
"""Data that sites and Chromium can load again. Excludes cookies, local storage, history and open tabs."""


class Profiles:
    """Manages the profile, files and scratch folders of each session.

    By `mode`, a profile is kept with its session (`session`), starts as a copy of a common profile that is
    updated when a browser closes (`shared`, the last one to close wins), or is new at every start (`fresh`).
    `mode` may change at any time: a browser ends in the mode in which it started. The common profile is
    removed when the last session's profile is purged.
    """

    def __init__(self, settings: Settings) -> None:
        self._profiles = settings.profiles
        self._files = settings.downloads_dir
        self.mode = settings.browser_profile
        self._began: dict[str, str] = {}
        self._scratch = settings.browsers_dir / "scratch" / str(os.getpid())
        self._copying = asyncio.Lock()

    def sweep(self) -> None:
        """Remove the scratch space of servers that have ended, and of an earlier one with our process id."""
        for folder in self._scratch.parent.glob("*"):
            if (
                not folder.name.isdigit()
                or start_time_of(int(folder.name)) is None
                or folder == self._scratch
            ):
                shutil.rmtree(folder, ignore_errors=True)

    def files(self, session_id: str) -> Path:
        return self._files / folder_name(session_id)

    def scratch(self, session_id: str) -> Path:
        return self._scratch / folder_name(session_id)

    async def open(self, session_id: str) -> Path:
        """Prepare the session's profile for a start and return its folder."""
        profile = self._profile(session_id)
        self._began[session_id] = self.mode
        async with self._copying:
            for kept in (profile, self._common):
                await asyncio.to_thread(_restore, kept)
        if self.mode == "fresh":
            await asyncio.to_thread(shutil.rmtree, profile, ignore_errors=True)
        elif self.mode == "shared" and not profile.exists():
            await self._copy(self._common, profile, _OPEN_TABS)
        return profile.resolve()

    async def renew(self, session_id: str) -> None:
        """Replace the profile by a copy: a process that is gone, or only frozen, may still have it open."""
        await self._copy(self._profile(session_id), self._profile(session_id))

    async def trim(self, session_id: str, limit: int) -> str | None:
        """Reduce an unused profile to `limit` MB; returns a text on what was removed, or None.

        Removes data that can be loaded again first; if that is not enough, the whole profile.
        """
        return await asyncio.to_thread(_trim, self._profile(session_id), limit)

    async def close(self, session_id: str, *, limit: int, purge: bool = False) -> None:
        """Finish the profile after its browser has ended; does nothing if none was started.

        It is reduced to `limit` MB before it is copied to the common profile: what a page stored in one session may
        not fill the others. With `purge` it is not copied.
        """
        mode = self._began.pop(session_id, None)
        if mode == "shared" and not purge:
            await self.trim(session_id, limit)
            await self._copy(self._profile(session_id), self._common)
        elif mode == "fresh":
            await asyncio.to_thread(shutil.rmtree, self._profile(session_id), ignore_errors=True)

    async def purge(self, session_id: str) -> None:
        profile = self._profile(session_id)
        for folder in (*_copies(profile), self.files(session_id), self.scratch(session_id)):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        async with self._copying:
            await asyncio.to_thread(self._purge_common)

    def _purge_common(self) -> None:
        """Remove the common profile if no session has a profile any more.

        A copy that a killed process left unfinished is none. It is removed too: it was made of the common profile.
        """
        found = [one for one in self._profiles.glob("*") if not one.name.startswith(".")]
        unfinished = [folder for folder in found if folder.name.endswith(_NEW)]
        if len(found) == len(unfinished):
            for folder in (*_copies(self._common), *unfinished):
                shutil.rmtree(folder, ignore_errors=True)

    @property
    def _common(self) -> Path:
        return self._profiles / _COMMON_PROFILE

    def _profile(self, session_id: str) -> Path:
        return self._profiles / folder_name(session_id)

    async def _copy(self, source: Path, target: Path, *left_out: str) -> None:
        async with self._copying:
            await asyncio.to_thread(_replace, source, target, left_out)


def _copies(profile: Path) -> tuple[Path, Path, Path]:
    """A profile's folder, and those that a process that was killed while it replaced the profile may have left."""
    return profile, profile.with_name(profile.name + _NEW), profile.with_name(profile.name + _OLD)


def _restore(profile: Path) -> None:
    """Take the profile back that was moved aside for a copy, if the process was killed before that took its place."""
    _, _, old = _copies(profile)
    if old.exists() and not profile.exists():
        old.rename(profile)


def _replace(source: Path, target: Path, left_out: Sequence[str] = ()) -> None:
    """Copy a profile without caches and locks, then replace the target by renaming the complete copy."""
    if not source.is_dir():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    _, new, old = _copies(target)
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(source, new, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED, *left_out))
    if target.exists():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _trim(profile: Path, limit: int) -> str | None:
    if size_of(profile) <= limit * MEGABYTE:
        return None
    for pattern in _CACHES:
        for folder in profile.glob(pattern):
            shutil.rmtree(folder, ignore_errors=True)
    what = "caches and what sites had stored were removed, cookies were kept"
    if size_of(profile) > limit * MEGABYTE:
        shutil.rmtree(profile, ignore_errors=True)
        what = "its profile was removed, logins with it"
    log.warning("the browser profile %s was larger than %d MB: %s", profile.name, limit, what)
    return what


def folder_name(session_id: str) -> str:
    """Return a session's folder name: its id if that is a plain name, else a digest of it."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", session_id):
        return session_id
    return "." + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
