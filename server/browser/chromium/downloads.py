"""Limits a browser's downloads in number and size; stores them under safe names in the session's folder."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.fs.names import reserve, safe_name
from server.ops.background_tasks import BackgroundTasks
from wording.catalogue import sentence

MAX_DOWNLOAD_BYTES = 25_000_000
MAX_DOWNLOADS = 50

Fetch = Callable[[str, Path, int], Awaitable[None]]
"""Copies a download, named by its guid, from another machine to a file, at most the given number of bytes and one
more. Raises ConnectionError."""


class Downloads:
    """Tracks the downloads of a browser and keeps those within the limits.

    The browser writes a file to `scratch` under a generated name; once complete, it is moved to `folder`. `fetch` copies
    it to `scratch` first if the browser is on another machine.
    """

    def __init__(
        self, cdp: Cdp, folder: Path, scratch: Path, note: Callable[[str], None], fetch: Fetch | None = None
    ) -> None:
        self._cdp = cdp
        self._fetch = fetch
        self._folder = folder
        self._scratch = scratch
        self._note = note
        self._names: dict[str, str] = {}
        """By guid, the file name of each download in progress, as the site gave it and made safe."""
        self._arriving = 0
        """Number of completed downloads not yet moved to `folder`."""
        self._stops: list[Callable[[], None]] = []
        self._tasks = BackgroundTasks()

    async def start(self, *, enabled: bool) -> None:
        """Set the browser's download behaviour and subscribe to its events. Raises CdpError."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        self._stops = [
            self._cdp.on("Browser.downloadWillBegin", self._on_begin),
            self._cdp.on("Browser.downloadProgress", self._on_progress),
        ]
        await self._cdp.send(
            "Browser.setDownloadBehavior",
            {
                "behavior": "allowAndName" if enabled else "deny",
                "downloadPath": str(self._scratch.resolve()),
                "eventsEnabled": True,
            },
        )

    async def close(self) -> None:
        for stop in self._stops:
            stop()
        await self._tasks.wait()

    def _on_begin(self, params: Params, _: str | None) -> None:
        name = safe_name(params.get("suggestedFilename", ""))
        self._names[params["guid"]] = name
        kept = len(self._kept())
        if kept + self._arriving + len(self._names) > MAX_DOWNLOADS:
            self._cancel(
                params["guid"],
                f"The download of {name} was cancelled: a session keeps {MAX_DOWNLOADS} files.",
            )

    def _on_progress(self, params: Params, _: str | None) -> None:
        guid, state = params["guid"], params["state"]
        name = self._names.get(guid)
        if name is None:
            return
        if state == "completed":
            del self._names[guid]
            self._arriving += 1
            self._tasks.start(self._arrive(guid, name))
        elif state == "canceled":
            del self._names[guid]
            self._note(sentence("download.incomplete", file=name))
            self._drop(guid)
        elif max(params["receivedBytes"], params["totalBytes"]) > MAX_DOWNLOAD_BYTES:
            self._cancel(
                guid, sentence("download.cancelled", file=name, megabytes=MAX_DOWNLOAD_BYTES // 1_000_000)
            )

    async def _arrive(self, guid: str, name: str) -> None:
        try:
            if self._fetch:
                await self._fetch(guid, self._scratch / guid, MAX_DOWNLOAD_BYTES)
            await asyncio.to_thread(self._keep, guid, name)
        except ConnectionError:
            self._note(sentence("download.incomplete", file=name))
            self._drop(guid)
        finally:
            self._arriving -= 1

    def _keep(self, guid: str, name: str) -> None:
        arrived = self._scratch / guid
        size = arrived.stat().st_size
        if size > MAX_DOWNLOAD_BYTES:
            arrived.unlink()
            return self._note(sentence("download.too_large", file=name))
        self._folder.mkdir(parents=True, exist_ok=True)
        kept = arrived.rename(reserve(self._folder, name, self._kept()))
        kept.chmod(0o600)
        self._note(sentence("download.done", file=kept.name, bytes=size))

    def _kept(self) -> list[str]:
        """Names of all files of the session, including sub-folders: a name must be unique in all of them."""
        return [path.name for path in self._folder.rglob("*") if path.is_file()]

    def _cancel(self, guid: str, why: str) -> None:
        self._names.pop(guid, None)
        self._note(why)
        self._tasks.start(self._end(guid))

    async def _end(self, guid: str) -> None:
        with suppress(CdpError):
            await self._cdp.send("Browser.cancelDownload", {"guid": guid})
        self._drop(guid)

    def _drop(self, guid: str) -> None:
        for partial in self._scratch.glob(f"{guid}*"):
            partial.unlink(missing_ok=True)


def keep_print(folder: Path, title: str, data: bytes) -> str | None:
    """Keep what a page wanted to print among the files of its session; its name, None if there are too many of them."""
    folder.mkdir(parents=True, exist_ok=True)
    known = [path.name for path in folder.rglob("*") if path.is_file()]
    if len(known) >= MAX_DOWNLOADS or len(data) > MAX_DOWNLOAD_BYTES:
        return None
    path = reserve(folder, safe_name(f"{title}.pdf"), known)
    path.write_bytes(data)
    return path.name
