"""The text of a document as Markdown, by its format. Runs in the process of `worker.py`, which limits it."""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from markdownify import MarkdownConverter

MOST_CHARS = 5_000_000
"""Of a document's text; the rest is left out."""
MOST_SECONDS = 15.0
"""For reading the pages or rows of a document; the rest is left out."""
MOST_ROWS = 200_000
MOST_CELLS = 200
"""Columns of a table."""
MOST_UNPACKED_BYTES = 60_000_000
"""Of a DOCX or XLSX file without what is stored nearly as it is, such as its pictures."""
MOST_MEMBERS = 5_000
"""Files packed in a DOCX or XLSX file."""


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


def read_document(name: str, data: bytes) -> DocumentText:
    """The text of a file, by its content and the end of its name.

    Raises Unreadable, and whatever a damaged file leads to.
    """
    ending = name.rpartition(".")[2].lower()
    if b"%PDF-" in data[:1024]:
        return read_pdf(data)
    if data.startswith(b"PK\x03\x04"):
        return _read_packed(data)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable(
            "the old Office formats (.doc, .xls, .ppt), and Office files with a password, cannot be read"
        )
    text = _decoded(data)
    if ending in ("csv", "tsv"):
        return _read_csv(text, ending)
    if ending in ("html", "htm", "xhtml"):
        return read_html(_without_scripts(text))
    return DocumentText(text[:MOST_CHARS], _left_out("the end") if len(text) > MOST_CHARS else "")


def _left_out(what: str) -> str:
    return f"It is too long to be read as a whole: {what} is left out."


def _decoded(data: bytes) -> str:
    """Text in any encoding. Raises Unreadable if the bytes are no text."""
    from charset_normalizer import from_bytes

    if not data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\x00" in data[:8192]:
        raise Unreadable("it is no text, and not in a format that can be read")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        best = from_bytes(data[:100_000]).best()
    if best is None:
        raise Unreadable("it is no text, and not in a format that can be read")
    return data.decode(best.encoding, errors="replace").lstrip("\ufeff")


_SCRIPT = re.compile(r"<(script|style|template|noscript)\b", re.IGNORECASE)


def _without_scripts(html: str) -> str:
    """Cut each script with its content, in linear time."""
    kept: list[str] = []
    at, folded = 0, html.lower()
    while found := _SCRIPT.search(html, at):
        kept.append(html[at : found.start()])
        end = folded.find(f"</{found[1].lower()}", found.end())
        at = len(html) if end < 0 else html.find(">", end) + 1 or len(html)
    return "".join([*kept, html[at:]])


def _table(rows: Iterable[Sequence[object]]) -> DocumentText:
    """Rows as a Markdown table, the first one as its head; empty rows are left out."""
    lines: list[str] = []
    chars, ends = 0, time.monotonic() + MOST_SECONDS
    for number, row in enumerate(rows):
        cells = [_cell(value) for value in islice(row, MOST_CELLS)]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        lines.append(f"| {' | '.join(cells)} |")
        if len(lines) == 1:
            lines.append("|" + " --- |" * len(cells))
        chars += len(lines[-1])
        if chars > MOST_CHARS or number > MOST_ROWS or time.monotonic() > ends:
            return DocumentText("\n".join(lines), _left_out(f"what follows row {number + 1}"))
    return DocumentText("\n".join(lines))


def _read_csv(text: str, ending: str) -> DocumentText:
    try:
        delimiter = csv.Sniffer().sniff(text[:4096], ",;\t|").delimiter
    except csv.Error:
        delimiter = "\t" if ending == "tsv" else ","
    csv.field_size_limit(MOST_CHARS)
    return _table(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


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


def _read_packed(data: bytes) -> DocumentText:
    """A DOCX or XLSX file, after a check of what it unpacks to."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = packed.infolist()
    # Not by name: any of them can be the document's text, also a "picture" that unpacks to gigabytes.
    size = sum(member.file_size for member in members if member.file_size > 2 * member.compress_size)
    if len(members) > MOST_MEMBERS or size > MOST_UNPACKED_BYTES:
        raise Unreadable("it unpacks to too much")
    return _reader_of({member.filename for member in members})(data)


def _reader_of(names: set[str]) -> Callable[[bytes], DocumentText]:
    if "word/document.xml" in names:
        return _read_docx
    if "xl/workbook.xml" in names:
        return _read_xlsx
    raise Unreadable("of packed files only DOCX and XLSX can be read")


def _read_docx(data: bytes) -> DocumentText:
    import mammoth

    result = mammoth.convert_to_html(
        io.BytesIO(data), convert_image=lambda image: [], external_file_access=False
    )
    return read_html(result.value[:MOST_CHARS])


def _read_xlsx(data: bytes) -> DocumentText:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    parts: list[str] = []
    note = ""
    for sheet in book.worksheets:
        table = _table(sheet.iter_rows(values_only=True))
        hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
        parts.append(f"## {' '.join(sheet.title.split())}{hidden}\n\n{table.markdown or '(empty)'}")
        note = note or table.note
        if sum(map(len, parts)) > MOST_CHARS:
            note = note or _left_out("the last sheets")
            break
    return DocumentText("\n\n".join(parts), note)
