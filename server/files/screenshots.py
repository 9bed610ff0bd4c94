"""Screenshots as files, named by a hash of their content. The database stores their addresses only."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
import os
import re
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from server.errors import NotFound
from wording.catalogue import sentence

SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}
PICTURE_TYPES = {suffix: media for media, suffix in SUFFIXES.items()}
PAGE_SUFFIX = ".json"
PICTURE_NAME = re.compile(r"[0-9a-f]{40}\.(jpg|png|webp)")
SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
THUMBNAIL_WIDTHS = (320, 640)
QUOTA_BYTES = 200_000_000


class Screenshots:
    """Stores screenshots, in one folder per session."""

    def __init__(self, folder: Path, url_prefix: str) -> None:
        self._folder = folder
        self._url_prefix = url_prefix

    async def keep(self, session_id: str, data: bytes, mime: str) -> str:
        """Store the screenshot, unless the session has it already; return its address.

        Raises OSError if the disk or the session's quota is full; the run continues without the screenshot.
        """
        name = hashlib.sha256(data).hexdigest()[:40] + SUFFIXES[mime]
        await asyncio.to_thread(self._write, session_id, name, data)
        return f"{self._url_prefix}/{session_id}/{name}"

    def _write(self, session_id: str, name: str, data: bytes) -> None:
        folder = self._folder / session_id
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        if path.exists():
            return
        with os.scandir(folder) as entries:  # closed also if a picture is removed while it is read
            kept = sum(entry.stat().st_size for entry in entries)
        if kept + len(data) > QUOTA_BYTES:
            raise OSError(errno.EDQUOT, "the session's pictures reached their quota")
        unfinished = path.with_suffix(".part")
        try:
            unfinished.write_bytes(data)
            unfinished.rename(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    async def read(self, session_id: str, name: str, width: int | None = None) -> tuple[bytes, str]:
        """The screenshot, as a thumbnail for one of THUMBNAIL_WIDTHS, and its media type. Raises NotFound."""
        if not (SESSION.fullmatch(session_id) and PICTURE_NAME.fullmatch(name)):
            raise NotFound(sentence("picture.unknown"))
        path = self._folder / session_id / name
        if path.is_symlink() or not path.is_file():
            raise NotFound(sentence("picture.unknown"))
        data = await asyncio.to_thread(path.read_bytes)
        if width in THUMBNAIL_WIDTHS:
            return await asyncio.to_thread(_thumbnail, data, width), "image/webp"
        return data, PICTURE_TYPES[path.suffix]

    async def keep_page(self, address: str, page: bytes) -> None:
        """Store what a kept screenshot shows, as JSON, next to it."""
        if path := self.path_of(address):
            with suppress(OSError):  # a picture without it is still one
                await asyncio.to_thread(path.with_suffix(PAGE_SUFFIX).write_bytes, page)

    async def page_of(self, address: str) -> bytes | None:
        """What the screenshot shows, as JSON; None if that is not kept. Raises NotFound without the screenshot."""
        if (path := self.path_of(address)) is None:
            raise NotFound(sentence("picture.unknown"))
        try:
            return await asyncio.to_thread(path.with_suffix(PAGE_SUFFIX).read_bytes)
        except FileNotFoundError:
            return None

    def path_of(self, address: str) -> Path | None:
        """The file of an address, with any URL prefix; None if it does not exist. Used by exports."""
        rest, _, name = address.rpartition("/")
        session_id = rest.rpartition("/")[2]
        path = self._folder / session_id / name
        return (
            path
            if SESSION.fullmatch(session_id) and PICTURE_NAME.fullmatch(name) and path.is_file()
            else None
        )

    async def copy_session(self, session_id: str, other_id: str, addresses: Collection[str]) -> None:
        """Link or copy the screenshots at these addresses into another session's folder."""
        await asyncio.to_thread(self._link, session_id, other_id, addresses)

    def _link(self, session_id: str, other_id: str, addresses: Collection[str]) -> None:
        for address in addresses:
            source = self.path_of(address)
            if source is None or source.parent.name != session_id:
                continue
            folder = self._folder / other_id
            folder.mkdir(parents=True, exist_ok=True)
            for path in (source, source.with_suffix(PAGE_SUFFIX)):
                if not path.is_file():
                    continue
                try:
                    os.link(path, folder / path.name)
                except OSError:  # a file system without hard links
                    shutil.copyfile(path, folder / path.name)

    def address_in(self, other_id: str, address: str) -> str:
        """The address of the same screenshot in another session."""
        return f"{self._url_prefix}/{other_id}/{address.rpartition('/')[2]}"

    def older_than(self, moment: float) -> list[Path]:
        """All files of sessions that were last written before `moment` (Unix time)."""
        found: list[Path] = []
        for path in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):  # its session has just been purged
                if SESSION.fullmatch(path.parent.name) and path.lstat().st_mtime < moment:
                    found.append(path)
        return found

    async def remove_session(self, session_id: str) -> None:
        await asyncio.to_thread(shutil.rmtree, self._folder / session_id, ignore_errors=True)


def _thumbnail(data: bytes, width: int) -> bytes:
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    image.thumbnail((width, width * 4))
    out = io.BytesIO()
    image.save(out, "WEBP", quality=72, method=2)
    return out.getvalue()
