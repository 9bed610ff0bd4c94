"""Pictures as files, named by the hash of what they show. The database holds their addresses only."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
import os
import re
import shutil
from pathlib import Path

from PIL import Image

from server.errors import NotFound

SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}
MEDIA_TYPES = {suffix: media for media, suffix in SUFFIXES.items()}
NAME = re.compile(r"[0-9a-f]{40}\.(jpg|png|webp)")
SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
THUMBNAIL_WIDTHS = (320, 640)
QUOTA_BYTES = 200_000_000


class Screenshots:
    """One folder a session. Raises OSError when the disk is full: the run goes on without the picture."""

    def __init__(self, folder: Path, url_prefix: str) -> None:
        self._folder = folder
        self._url_prefix = url_prefix.rstrip("/")

    async def keep(self, session_id: str, data: bytes, mime: str) -> str:
        """Store the picture once; returns its address."""
        name = hashlib.sha256(data).hexdigest()[:40] + SUFFIXES[mime]
        await asyncio.to_thread(self._write, session_id, name, data)
        return f"{self._url_prefix}/{session_id}/{name}"

    def _write(self, session_id: str, name: str, data: bytes) -> None:
        folder = self._folder / session_id
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        if path.exists():
            return
        if sum(entry.stat().st_size for entry in os.scandir(folder)) + len(data) > QUOTA_BYTES:
            raise OSError(errno.EDQUOT, "the session's pictures reached their quota")
        unfinished = path.with_suffix(".part")
        try:
            unfinished.write_bytes(data)
            unfinished.rename(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    async def read(self, session_id: str, name: str, width: int | None = None) -> tuple[bytes, str]:
        """The picture and its media type. Raises NotFound for whatever is not one of ours."""
        if not (SESSION.fullmatch(session_id) and NAME.fullmatch(name)):
            raise NotFound("There is no such picture.")
        path = self._folder / session_id / name
        if path.is_symlink() or not path.is_file():
            raise NotFound("There is no such picture.")
        data = await asyncio.to_thread(path.read_bytes)
        if width in THUMBNAIL_WIDTHS:
            return await asyncio.to_thread(_thumbnail, data, width), "image/webp"
        return data, MEDIA_TYPES[path.suffix]

    def path_of(self, address: str) -> Path | None:
        """The file behind an address, for exports; None when it is gone."""
        session_id, _, name = address.removeprefix(self._url_prefix + "/").partition("/")
        path = self._folder / session_id / name
        return path if SESSION.fullmatch(session_id) and NAME.fullmatch(name) and path.is_file() else None

    async def remove_session(self, session_id: str) -> None:
        await asyncio.to_thread(shutil.rmtree, self._folder / session_id, ignore_errors=True)


def _thumbnail(data: bytes, width: int) -> bytes:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image.thumbnail((width, width * 4))
    out = io.BytesIO()
    image.save(out, "WEBP", quality=72, method=2)
    return out.getvalue()
