"""The processes that parse pages and files: `python -m server.browser.reading.worker FD`.

What is parsed is untrusted, so each reading has a process of its own, with limits of memory and CPU time, no secrets in
its environment, and a deadline after which it is ended. The process that is started here has the libraries loaded and
parses nothing: it forks one for each reading, which takes milliseconds where a new interpreter takes seconds on a busy
machine. It receives sockets over the socket FD, one for each reading, and ends when that is closed or not used for long.

Over its own socket a reading gets one line of JSON, a `ReadRequest`, and the data after it; it answers in JSON.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import os
import resource
import select
import signal
import socket
import sys
import time
import warnings
from typing import TYPE_CHECKING

from server.browser.reading.documents import DocumentText, Unreadable, read_document, read_html, read_pdf
from server.browser.reading.passages import plain, read_page, search, split
from server.browser.reading.worker_process import READING_SECONDS
from wording.catalogue import as_json, joined, sentence

if TYPE_CHECKING:
    from server.browser.reading.reader import ReadAnswer, ReadRequest

IDLE_SECONDS = 600.0
"""Without a reading for so long, the process that forks them ends; the next reading starts another."""
MAX_MEMORY = 2_000_000_000
"""Bytes of address space."""
CPU_SECONDS = 10
"""For one reading, its splitting and search included; its process is ended after them."""
PICTURE_SIDE = 1568
"""Pixels of the longer side of a picture for a model; larger ones cost more and show no more."""
MAX_IMAGE_PIXELS = 60_000_000
PICTURES = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


def answer(request: ReadRequest, data: bytes) -> ReadAnswer:
    try:
        if request["kind"] == "file" and (picture := _picture(data)):
            return picture
        text = _text(request, data)
    except Unreadable as error:
        return {"problem": as_json(error.why)}
    except (MemoryError, RecursionError):
        return {"problem": as_json(sentence("reading.too_nested"))}
    except Exception as error:  # the libraries raise whatever damaged data leads to
        return {"problem": as_json(sentence("reading.damaged", kind=type(error).__name__))}
    passages = split(plain(text.markdown))
    excerpt = (
        search(passages, request["query"])
        if request["query"].strip()
        else read_page(passages, request["page"])
    )
    return {"about": as_json(joined((excerpt.about, text.note), ". ")), "text": excerpt.text}


def _text(request: ReadRequest, data: bytes) -> DocumentText:
    match request["kind"]:
        case "html":
            return read_html(data.decode())
        case "pdf":
            return read_pdf(data)
    return read_document(request["name"], data)


def _picture(data: bytes) -> ReadAnswer | None:
    """The file as a picture for a model; None if it is none. Raises Unreadable if it cannot be shown."""
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # checked here, with a clearer message
    try:
        with Image.open(io.BytesIO(data), formats=PICTURES) as image:
            if image.width * image.height > MAX_IMAGE_PIXELS:
                raise Unreadable(
                    sentence("reading.picture_too_large", width=image.width, height=image.height)
                )
            size = image.size
            image.thumbnail((PICTURE_SIDE, PICTURE_SIDE))
            shown = image.convert("RGB")
    except UnidentifiedImageError:
        return None
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable(sentence("reading.picture_damaged", kind=type(error).__name__)) from None
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=85)
    data64 = base64.b64encode(out.getvalue()).decode()
    about = sentence("reading.picture", width=size[0], height=size[1])
    return {"about": as_json(about), "picture": data64, "width": shown.width, "height": shown.height}


def parse(connection: socket.socket) -> None:
    """Parse what comes over the connection, and answer. A line end says first that the reading has begun."""
    connection.sendall(b"\n")
    signal.alarm(round(READING_SECONDS) + 5)  # ends it also when the process that would do so is gone
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    if sys.platform == "linux":  # elsewhere the address space has no meaningful limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    with connection.makefile("rb") as given:
        head, _, data = given.read().partition(b"\n")
    connection.sendall(json.dumps(answer(json.loads(head), data)).encode())


class Children:
    """The processes of the readings in progress, by their ends as `monotonic` counts."""

    def __init__(self) -> None:
        self._ends: dict[int, float] = {}

    def start(self, connection: socket.socket, control: socket.socket) -> None:
        if pid := os.fork():
            self._ends[pid] = time.monotonic() + READING_SECONDS + 1
            return
        code = 1
        try:
            control.close()
            parse(connection)
            code = 0
        finally:
            os._exit(code)  # nothing of the parent's is run or flushed here

    def end_late(self, *, all_of_them: bool = False) -> None:
        """Reap those that have ended, and kill those that are late."""
        for pid, end in list(self._ends.items()):
            if os.waitpid(pid, os.WNOHANG)[0]:
                del self._ends[pid]
            elif all_of_them or time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)

    def __bool__(self) -> bool:
        return bool(self._ends)


def main() -> None:
    logging.disable()
    warnings.simplefilter("ignore")
    children, used = Children(), time.monotonic()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        while children or time.monotonic() - used < IDLE_SECONDS:
            ready, _, _ = select.select([control], [], [], 0.5 if children else IDLE_SECONDS)
            children.end_late()
            if not ready:
                continue
            message, passed, _, _ = socket.recv_fds(control, 1, 1)
            if not message:
                break
            used = time.monotonic()
            for number in passed:
                with socket.socket(fileno=number) as connection:
                    children.start(connection, control)
    children.end_late(all_of_them=True)


if __name__ == "__main__":
    main()
