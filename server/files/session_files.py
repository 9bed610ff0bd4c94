"""The files of a session: downloads of its browser, and uploads of the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from server.errors import Conflict, NotFound, TooLarge
from server.fs.names import reserve, safe_name
from wording.catalogue import sentence

FILE_BYTES = 25_000_000
MAX_SESSION_FILES = 50
UPLOADS = "given"
"""Sub-folder for uploads; all files outside it are downloads."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    name: str
    size: int
    origin: Literal["download", "upload"]
    created_at: datetime


class SessionFiles:
    """Reads and writes a session's files. Names are sanitised: no path outside its folder is accessible."""

    def __init__(self, folder_of: Callable[[str], Path]) -> None:
        self._folder_of = folder_of
        self._adding = asyncio.Lock()

    async def items(self, session_id: str) -> list[FileInfo]:
        return await asyncio.to_thread(self._items, session_id)

    def _items(self, session_id: str) -> list[FileInfo]:
        folder = self._folder_of(session_id)
        found = [_info(path, "download") for path in _files_in(folder)]
        found += [_info(path, "upload") for path in _files_in(folder / UPLOADS)]
        return sorted(found, key=lambda info: info.created_at)

    async def add(self, session_id: str, name: str, data: bytes) -> FileInfo:
        """Store an upload. Raises TooLarge for a large file, Conflict if the session has too many files."""
        if len(data) > FILE_BYTES:
            raise TooLarge(sentence("file.too_large", megabytes=FILE_BYTES // 1_000_000))
        async with self._adding:
            if len(await self.items(session_id)) >= MAX_SESSION_FILES:
                raise Conflict(sentence("file.too_many", n=MAX_SESSION_FILES), code="too_many_files")
            return await asyncio.to_thread(self._write, session_id, name, data)

    def _write(self, session_id: str, name: str, data: bytes) -> FileInfo:
        downloaded = self._folder_of(session_id)
        folder = downloaded / UPLOADS
        folder.mkdir(parents=True, exist_ok=True)
        path = reserve(folder, safe_name(name), {path.name for path in _files_in(downloaded)})
        try:
            path.write_bytes(data)
        except OSError:
            path.unlink(missing_ok=True)  # remove a partial file
            raise
        return _info(path, "upload")

    async def read(self, session_id: str, name: str) -> bytes:
        return await asyncio.to_thread(self._find(session_id, name).read_bytes)

    async def remove(self, session_id: str, name: str) -> None:
        await asyncio.to_thread(self._find(session_id, name).unlink)

    def _find(self, session_id: str, name: str) -> Path:
        folder = self._folder_of(session_id)
        for path in (*_files_in(folder), *_files_in(folder / UPLOADS)):
            if path.name == name:
                return path
        raise NotFound(sentence("file.unknown"))


def _files_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]


def _info(path: Path, origin: Literal["download", "upload"]) -> FileInfo:
    status = path.stat()
    return FileInfo(path.name, status.st_size, origin, datetime.fromtimestamp(status.st_mtime, UTC))
