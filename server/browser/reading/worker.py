"""The process that parses one page: `python -m server.browser.reading.worker`.

What it parses is untrusted, so it has limits of memory and CPU time, no secrets in its environment, and is
ended at a deadline. It reads one line of JSON, a `ReadRequest`, and the data after it; it writes one line of JSON.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import warnings
from typing import TYPE_CHECKING

from server.browser.reading.documents import Unreadable, read_html, read_pdf
from server.browser.reading.passages import plain, read_page, search, split

if TYPE_CHECKING:
    from server.browser.reading.reader import ReadAnswer, ReadRequest

MOST_MEMORY = 2_000_000_000
"""Bytes of address space."""
CPU_SECONDS = 40


def answer(request: ReadRequest, data: bytes) -> ReadAnswer:
    try:
        text = read_pdf(data) if request["kind"] == "pdf" else read_html(data.decode())
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
