"""Removes orphaned files, left by an interrupted purge or process."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from server.files.screenshots import SESSION, Screenshots
from server.settings import Settings
from server.store import Store

logger = logging.getLogger(__name__)

YOUNG_SECONDS = 86_400.0
"""Seconds. Younger files are kept: they are written before the rows that refer to them."""


class Sweeper:
    """Sweeps screenshots, files, browser profiles and private sites. Never removes what a row of the database refers to."""

    def __init__(self, settings: Settings, store: Store, screenshots: Screenshots) -> None:
        self._folders = (
            settings.screenshots, settings.downloads_dir, settings.profiles, settings.private_dir,
        )  # fmt: skip
        self._store = store
        self._screenshots = screenshots

    async def sweep(self) -> int:
        """Remove orphaned folders and screenshots; return their number. Raises Unavailable."""
        # List the files before the rows: files created later are not in the list.
        moment = time.time() - YOUNG_SECONDS
        folders = await asyncio.to_thread(lambda: list(self._session_folders(moment)))
        pictures = await asyncio.to_thread(self._screenshots.older_than, moment)
        sessions = set(await self._store.session_ids())
        unused = [folder for folder in folders if _session_of(folder) not in sessions]
        if pictures:
            named = await self._store.picture_names()
            unused += [picture for picture in pictures if picture.name not in named]
        await asyncio.to_thread(_remove, unused)
        if unused:
            logger.info("%d folders and pictures that belong to no session were removed", len(unused))
        return len(unused)

    def _session_folders(self, moment: float) -> Iterator[Path]:
        for path in (path for folder in self._folders for path in folder.glob("*")):
            if SESSION.fullmatch(_session_of(path)) and path.is_dir() and path.stat().st_mtime < moment:
                yield path


def _session_of(folder: Path) -> str:
    """The session of a folder, or of what a process that was killed while it copied a profile has left."""
    return folder.stem if folder.suffix in (".new", ".old") else folder.name


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
