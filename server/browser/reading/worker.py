"""The process that parses one page or file: `python -m server.browser.reading.worker`.

What it parses is untrusted, so it has limits of memory and CPU time, no secrets in its environment, and is
ended at a deadline. It reads one line of JSON, a `ReadRequest`, and the data after it; it writes one line of JSON.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import resource
import sys
import warnings
from typing import TYPE_CHECKING

from server.browser.reading.documents import DocumentText, Unreadable, read_document, read_html, read_pdf
from server.browser.reading.passages import plain, read_page, search, split

if TYPE_CHECKING:
    from server.browser.reading.reader import ReadAnswer, ReadRequest

MOST_MEMORY = 2_000_000_000
"""Bytes of address space."""
CPU_SECONDS = 40
PICTURE_SIDE = 1568
"""Pixels of the longer side of a picture for a model; larger ones cost more and show no more."""
MOST_PIXELS = 60_000_000
PICTURES = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


def answer(request: ReadRequest, data: bytes) -> ReadAnswer:
    try:
        if request["kind"] == "file" and (picture := _picture(data)):
            return picture
        text = _text(request, data)
    except Unreadable as error:
        return {"problem": str(error)}
    except (MemoryError, RecursionError):
        return {"problem": "it is too large or nested too deeply"}
    except Exception as error:  # the libraries raise whatever damaged data leads to
        return {"problem": f"it is damaged ({type(error).__name__})"}
    passages = split(plain(text.markdown))
    excerpt = (
        search(passages, request["query"])
        if request["query"].strip()
        else read_page(passages, request["page"])
    )
    return {"about": f"{excerpt.about}. {text.note}".rstrip(" ."), "text": excerpt.text}


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
            if image.width * image.height > MOST_PIXELS:
                raise Unreadable(f"the picture has {image.width}×{image.height} pixels, which is too much")
            size = image.size
            image.thumbnail((PICTURE_SIDE, PICTURE_SIDE))
            shown = image.convert("RGB")
    except UnidentifiedImageError:
        return None
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable(f"the picture is damaged: {type(error).__name__}") from None
    out = io.BytesIO()
    shown.save(out, "JPEG", quality=85)
    data64 = base64.b64encode(out.getvalue()).decode()
    about = f"a picture of {size[0]}×{size[1]} pixels"
    return {"about": about, "picture": data64, "width": shown.width, "height": shown.height}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    if sys.platform == "linux":  # elsewhere the address space has no meaningful limit
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    logging.disable()
    warnings.simplefilter("ignore")
    head, _, data = sys.stdin.buffer.read().partition(b"\n")
    sys.stdout.write(json.dumps(answer(json.loads(head), data)))


if __name__ == "__main__":
    main()
