"""Gives each session the icon of the site that it works on: read by its browser, drawn again, kept as a picture."""

from __future__ import annotations

import asyncio
import io
import logging
from urllib.parse import urlsplit

from server.browser.browsers import Browsers
from server.errors import AppError
from server.files.screenshots import Screenshots
from server.ops.background_tasks import BackgroundTasks
from server.runs.recorder import RunRecorder
from server.store import Store

logger = logging.getLogger(__name__)

PIXELS = 32
FORMATS = ("ICO", "PNG", "GIF", "JPEG", "WEBP", "BMP")
MAX_ICON_PIXELS = 1024 * 1024
HOSTS_KNOWN = 200


class SiteIcons:
    def __init__(
        self, store: Store, browsers: Browsers, screenshots: Screenshots, recorder: RunRecorder
    ) -> None:
        self._store = store
        self._browsers = browsers
        self._screenshots = screenshots
        self._recorder = recorder
        self._hosts: dict[str, str] = {}
        """By session: the host whose icon it has, or is being given."""
        self._icons: dict[str, bytes | None] = {}
        """By host: its icon as PNG; None if it has none."""
        self._tasks = BackgroundTasks()

    def note_page(self, session_id: str, url: str | None) -> None:
        """The session's browser shows this page: in the background, read the icon of its site if it is another one."""
        host = urlsplit(url).netloc if url and url.startswith(("http://", "https://")) else ""
        if host and self._hosts.get(session_id) != host:
            self._hosts[session_id] = host
            self._tasks.start(self._give(session_id, host))

    def forget_session(self, session_id: str) -> None:
        self._hosts.pop(session_id, None)

    def close(self) -> None:
        self._tasks.cancel()

    async def _give(self, session_id: str, host: str) -> None:
        if host not in self._icons:
            data = await self._browsers.live(session_id).icon()
            if len(self._icons) >= HOSTS_KNOWN:
                self._icons.pop(next(iter(self._icons)))
            self._icons[host] = await asyncio.to_thread(redrawn, data) if data else None
        icon = self._icons[host]
        try:
            address = await self._screenshots.keep(session_id, icon, "image/png") if icon else None
            self._recorder.announce(await self._store.change_session(session_id, icon=address))
        except (AppError, OSError) as error:
            logger.debug("the icon of %s is not kept: %s", host, error)


def redrawn(data: bytes) -> bytes | None:
    """The picture as a PNG of at most PIXELS each way; None if it cannot be read or is too large."""
    from PIL import Image  # 3 MB, of use once there is a picture

    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_ICON_PIXELS:
                return None
            drawn = image.convert("RGBA")
            drawn.thumbnail((PIXELS, PIXELS))
            drawn.save(out, "PNG")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return out.getvalue()
