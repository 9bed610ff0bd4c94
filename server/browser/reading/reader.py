"""Reads the text of pages and files part by part, or what matches a query, in a process of its own."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from server.browser.reading.worker_process import READING_SECONDS, WorkerProcess
from wording.catalogue import Parts, Wording, as_json, sentence, wording_of

log = logging.getLogger(__name__)

MAX_READ_BYTES = 25_000_000
"""Larger files are not read; a session keeps none."""
TOO_SLOW = as_json(sentence("reading.too_slow", seconds=READING_SECONDS))
_MAX_REFUSED = 500
_READING_THREADS = ThreadPoolExecutor(2, thread_name_prefix="reading")
"""Each waits for one process: so many are read at once."""
WORKER = WorkerProcess()
"""One for the server, whatever its sessions read: each reading has a process of its own."""


@dataclass(frozen=True, slots=True)
class FilePicture:
    """A picture file, scaled down for a model."""

    data: bytes
    mime: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of the text of a page or file, or the reason why it cannot be read."""

    ok: bool
    about: Wording
    """Which part of what the text is, or why there is none; for the model and the user, in one line."""
    text: str = ""
    """Markdown, untrusted, at most about 3,300 tokens."""
    picture: FilePicture | None = None


class ReadRequest(TypedDict):
    kind: str
    """`html` for a page, `pdf`, or `file`, whose format is found by its name and content."""
    name: str
    page: int
    query: str


class ReadAnswer(TypedDict, total=False):
    """Either `problem`, or `about` and `text`, or `about` and `picture`."""

    problem: Parts
    about: Parts
    text: str
    picture: str
    """A JPEG in base64."""
    width: int
    height: int


async def read_html(html: str, *, page: int = 1, query: str = "") -> Reading:
    """Read a page's content, as HTML."""
    return await _read(
        {"kind": "html", "name": "", "page": page, "query": query}, html.encode("utf-8", "replace")
    )


async def read_pdf(data: bytes, *, page: int = 1, query: str = "") -> Reading:
    return await _read({"kind": "pdf", "name": "", "page": page, "query": query}, data)


async def read_file(path: Path, *, page: int = 1, query: str = "") -> Reading:
    """Read a file; its format is found by its name and content."""
    try:
        data = await asyncio.to_thread(_content_of, path)
    except OSError as error:
        return _unreadable(path.name, Wording(error.strerror or str(error)))
    if len(data) > MAX_READ_BYTES:
        return _unreadable(
            path.name, sentence("reading.file_too_large", megabytes=MAX_READ_BYTES // 1_000_000)
        )
    if not data:
        return Reading(False, sentence("reading.file_empty", file=path.name))
    reading = await _read({"kind": "file", "name": path.name, "page": page, "query": query}, data)
    return reading if reading.ok else _unreadable(path.name, reading.about)


def _unreadable(file: str, why: Wording) -> Reading:
    return Reading(False, sentence("reading.file", file=file, why=why))


def _content_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_READ_BYTES + 1)


async def _read(request: ReadRequest, data: bytes) -> Reading:
    loop = asyncio.get_running_loop()
    answer = await loop.run_in_executor(_READING_THREADS, _REFUSALS.ask, request, data, _ask_worker)
    if problem := answer.get("problem"):
        return Reading(False, wording_of(problem))
    about = wording_of(answer["about"])
    if shown := answer.get("picture"):
        picture = FilePicture(base64.b64decode(shown), "image/jpeg", answer["width"], answer["height"])
        return Reading(True, about, picture=picture)
    return Reading(True, about, answer["text"])


class Refusals:
    """Asks the worker, but not again for what it has refused: each try of a model would cost as much."""

    def __init__(self) -> None:
        self._known: dict[bytes, Parts] = {}
        """Why a text was refused, by a digest of it."""

    def ask(
        self, request: ReadRequest, data: bytes, worker: Callable[[ReadRequest, bytes], ReadAnswer]
    ) -> ReadAnswer:
        kind = f"{request['kind']} {request['name'].rpartition('.')[2]}\0".encode()
        key = hashlib.blake2b(kind + data, digest_size=16).digest()
        if problem := self._known.get(key):
            return {"problem": problem}
        answer = worker(request, data)
        if (problem := answer.get("problem")) and problem != TOO_SLOW:  # which may be for want of a free core
            if len(self._known) >= _MAX_REFUSED:
                self._known.clear()
            self._known[key] = problem
        return answer


_REFUSALS = Refusals()


def _ask_worker(request: ReadRequest, data: bytes) -> ReadAnswer:
    given = json.dumps(request).encode() + b"\n" + data
    try:
        answer: ReadAnswer = json.loads(WORKER.ask(given))
    except TimeoutError:
        return {"problem": TOO_SLOW}
    except (OSError, ValueError) as error:
        log.warning("a text could not be read: %s", error)
        return {"problem": as_json(sentence("reading.damaged_or_large"))}
    return answer
