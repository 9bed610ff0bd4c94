"""The text of a document as Markdown, by its format. Runs in the process of `worker.py`, which limits it."""

from __future__ import annotations

import io
import re
import time
from dataclasses import dataclass

from markdownify import MarkdownConverter

MOST_CHARS = 5_000_000
"""Of a document's text; the rest is left out."""
MOST_SECONDS = 15.0
"""For reading the pages or rows of a document; the rest is left out."""


class Unreadable(Exception):
    """The document cannot be read; the message is for the model."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's text as Markdown."""

    markdown: str
    note: str = ""
    """What was left out, as a sentence; "" if nothing was."""


def read_html(html: str) -> DocumentText:
    # No escapes: they cost tokens and change what is quoted.
    converter = _Converter(
        heading_style="ATX", bullets="-", bs4_options="html.parser",
        escape_asterisks=False, escape_underscores=False, escape_misc=False,
    )  # fmt: skip
    return DocumentText(converter.convert(html))


class _Converter(MarkdownConverter):
    """A bar within a cell of a table is escaped."""

    def convert_td(self, el: object, text: str, parent_tags: object) -> str:
        return str(super().convert_td(el, _cell(text), parent_tags))  # type: ignore[misc]

    def convert_th(self, el: object, text: str, parent_tags: object) -> str:
        return str(super().convert_th(el, _cell(text), parent_tags))  # type: ignore[misc]


def _cell(value: object) -> str:
    """One line for a cell of a Markdown table."""
    text = "" if value is None else str(value)
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def _left_out(what: str) -> str:
    return f"It is too long to be read as a whole: {what} is left out."


def read_pdf(data: bytes) -> DocumentText:
    """Raises Unreadable, and whatever a damaged file leads to."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("the PDF has a password")
    parts: list[str] = []
    chars, ends, note, pages = 0, time.monotonic() + MOST_SECONDS, "", len(reader.pages)
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text().encode("utf-8", "replace").decode().strip()
        parts.append(f"## Page {number} of {pages}\n\n{text}")
        chars += len(text)
        if number < pages and (chars > MOST_CHARS or time.monotonic() > ends):
            note = _left_out(f"what follows page {number} of {pages}")
            break
    if not chars:
        raise Unreadable(f"the PDF has {pages} pages and no text in them: they are pictures")
    return DocumentText("\n\n".join(parts), note)
