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

from server.errors import Explained
from wording.catalogue import Wording, sentence

MAX_DOCUMENT_CHARS = 5_000_000
"""Of a document's text; the rest is left out."""
MAX_PARSE_SECONDS = 6.0
"""Of CPU time, for the pages or rows of a document; the rest is left out."""
MAX_SHEET_ROWS = 200_000
MAX_CELLS = 200
"""Columns of a table."""
MAX_UNPACKED_BYTES = 60_000_000
"""Of a DOCX or XLSX file without what is stored nearly as it is, such as its pictures."""
MAX_MEMBERS = 5_000
"""Files packed in a DOCX or XLSX file."""
MAX_RATIO, RATIO_BYTES = 100, 5_000_000
"""How many times larger a packed file may become, from this size on. XML of real documents becomes 10 to 40 times larger."""
MAX_TAGS = 100_000
"""Begins and ends of an HTML text; the rest is left out. So many take 4 s."""
MAX_TAG_CHARS = 20_000
"""Of one tag without its long values, which are cut."""
MAX_DOCUMENT_DEPTH = 500
"""Tags within tags: more than the converter's recursion takes."""


_ALL_READ = Wording()


class Unreadable(Explained):
    """The document cannot be read; the message is for the model and the user."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's text as Markdown."""

    markdown: str
    note: Wording = _ALL_READ
    """What was left out, as a sentence without its end; "" if nothing was."""


def read_html(html: str) -> DocumentText:
    """Raises Unreadable for what would cost the parser more than it could be worth."""
    html, note = _bounded(html)
    # No escapes: they cost tokens and change what is quoted.
    converter = _Converter(
        heading_style="ATX", bullets="-", bs4_options="html.parser",
        escape_asterisks=False, escape_underscores=False, escape_misc=False,
    )  # fmt: skip
    return DocumentText(converter.convert(html), note)


_LONG_VALUE = re.compile(r"""=("[^"]{1000,}"|'[^']{1000,}')""")
_LONG_TAG = re.compile(f"<[^<>]{{{MAX_TAG_CHARS}}}")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)


def _bounded(html: str) -> tuple[str, Wording]:
    """The HTML without what makes a parser slow, and what was left out. Linear time. Raises Unreadable."""
    html = _LONG_VALUE.sub('=""', _without_scripts(html[:MAX_DOCUMENT_CHARS]))
    if _LONG_TAG.search(html):
        raise Unreadable(sentence("reading.endless_tag"))
    begins = list(islice((found.start() for found in re.finditer("<", html)), MAX_TAGS + 1))
    is_cut = len(begins) > MAX_TAGS
    html = html[: begins[-1]] if is_cut else html
    depth = 0
    for closes, name in _TAG.findall(html):
        if name.lower() not in _VOID:
            depth = max(0, depth - 1) if closes else depth + 1
        if depth > MAX_DOCUMENT_DEPTH:
            raise Unreadable(sentence("reading.too_nested"))
    return html, sentence("reading.left_out_end") if is_cut else _ALL_READ


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
        raise Unreadable(sentence("reading.old_office"))
    text = _decoded(data)
    if ending in ("csv", "tsv"):
        return _read_csv(text, ending)
    if ending in ("html", "htm", "xhtml"):
        return read_html(text)
    is_cut = len(text) > MAX_DOCUMENT_CHARS
    return DocumentText(text[:MAX_DOCUMENT_CHARS], sentence("reading.left_out_end") if is_cut else _ALL_READ)


def _decoded(data: bytes) -> str:
    """Text in any encoding. Raises Unreadable if the bytes are no text."""
    from charset_normalizer import from_bytes

    if not data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\x00" in data[:8192]:
        raise Unreadable(sentence("reading.no_text"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        best = from_bytes(data[:100_000]).best()
    if best is None:
        raise Unreadable(sentence("reading.no_text"))
    return data.decode(best.encoding, errors="replace").lstrip("\ufeff")


_HIDDEN_MARKUP = re.compile(r"<(script|style|template|noscript)\b|<!--|<[!?]", re.IGNORECASE)


def _without_scripts(html: str) -> str:
    """Cut scripts, comments and declarations with their content, in linear time."""
    kept: list[str] = []
    at, folded = 0, html.lower()
    while found := _HIDDEN_MARKUP.search(html, at):
        kept.append(html[at : found.start()])
        closing = f"</{found[1].lower()}" if found[1] else "-->" if found[0] == "<!--" else ">"
        end = folded.find(closing, found.end())
        at = len(html) if end < 0 else html.find(">", end) + 1 or len(html)
    return "".join([*kept, html[at:]])


def _table(rows: Iterable[Sequence[object]]) -> DocumentText:
    """Rows as a Markdown table, the first one as its head; empty rows are left out."""
    lines: list[str] = []
    chars, ends = 0, time.process_time() + MAX_PARSE_SECONDS
    for number, row in enumerate(rows):
        if number > MAX_SHEET_ROWS or time.process_time() > ends:
            return DocumentText("\n".join(lines), sentence("reading.left_out_row", row=number))
        if row.count(None) == len(row):  # quickly past the million rows that a sheet may have between two
            continue
        cells = list(map(_cell, row[:MAX_CELLS]))
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        lines.append(f"| {' | '.join(cells)} |")
        if len(lines) == 1:
            lines.append("|" + " --- |" * len(cells))
        chars += len(lines[-1])
        if chars > MAX_DOCUMENT_CHARS:
            return DocumentText("\n".join(lines), sentence("reading.left_out_row", row=number + 1))
    return DocumentText("\n".join(lines))


def _read_csv(text: str, ending: str) -> DocumentText:
    try:
        delimiter = csv.Sniffer().sniff(text[:4096], ",;\t|").delimiter
    except csv.Error:
        delimiter = "\t" if ending == "tsv" else ","
    csv.field_size_limit(MAX_DOCUMENT_CHARS)
    return _table(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def read_pdf(data: bytes) -> DocumentText:
    """Raises Unreadable, and whatever a damaged file leads to."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable(sentence("reading.password"))
    parts: list[str] = []
    chars, ends, note, pages = 0, time.process_time() + MAX_PARSE_SECONDS, _ALL_READ, len(reader.pages)
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text().encode("utf-8", "replace").decode().strip()
        parts.append(f"## Page {number} of {pages}\n\n{text}")
        chars += len(text)
        if number < pages and (chars > MAX_DOCUMENT_CHARS or time.process_time() > ends):
            note = sentence("reading.left_out_page", page=number, count=pages)
            break
    if not chars:
        raise Unreadable(sentence("reading.only_pictures", n=pages))
    return DocumentText("\n\n".join(parts), note)


def _read_packed(data: bytes) -> DocumentText:
    """A DOCX or XLSX file, after a check of what it unpacks to."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = packed.infolist()
    # Not by name: any of them can be the document's text, also a "picture" that unpacks to gigabytes.
    size = sum(member.file_size for member in members if member.file_size > 2 * member.compress_size)
    is_bomb = any(
        member.file_size > RATIO_BYTES and member.file_size > MAX_RATIO * member.compress_size
        for member in members
    )
    if len(members) > MAX_MEMBERS or size > MAX_UNPACKED_BYTES or is_bomb:
        raise Unreadable(sentence("reading.unpacks"))
    return _reader_of({member.filename for member in members})(data)


def _reader_of(names: set[str]) -> Callable[[bytes], DocumentText]:
    if "word/document.xml" in names:
        return _read_docx
    if "xl/workbook.xml" in names:
        return _read_xlsx
    raise Unreadable(sentence("reading.packed"))


def _read_docx(data: bytes) -> DocumentText:
    import mammoth

    result = mammoth.convert_to_html(
        io.BytesIO(data), convert_image=lambda image: [], external_file_access=False
    )
    return read_html(result.value[:MAX_DOCUMENT_CHARS])


def _read_xlsx(data: bytes) -> DocumentText:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    parts: list[str] = []
    note = _ALL_READ
    for sheet in book.worksheets:
        table = _table(sheet.iter_rows(values_only=True, max_col=MAX_CELLS))
        hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
        parts.append(f"## {' '.join(sheet.title.split())}{hidden}\n\n{table.markdown or '(empty)'}")
        note = note or table.note
        if sum(map(len, parts)) > MAX_DOCUMENT_CHARS:
            note = note or sentence("reading.left_out_sheets")
            break
    return DocumentText("\n\n".join(parts), note)
