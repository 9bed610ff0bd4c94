"""A table as a file: CSV, XLSX, and the lines of a Markdown or HTML export.

Cells come from web pages. A text that a spreadsheet would calculate is kept as a text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from server.results.columns import Value
from server.results.rows import ResultRow, ResultTable
from wording.catalogue import Wording

if TYPE_CHECKING:
    from openpyxl.cell.cell import WriteOnlyCell
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

SOURCE_COLUMNS = ("source", "time", "picture", "notes")
"""Added to the columns of the table: where each row comes from, and what is to be said about its cells."""
CALCULATED = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A text that begins with one of these is a formula for a spreadsheet that opens a CSV file."""


def to_csv(table: ResultTable, site: str) -> bytes:
    """`site`: the address of the web UI, where the pictures are. UTF-8 with a byte order mark, without which Excel reads letters other than Latin wrongly."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(map(_uncalculated, headings(table)))
    writer.writerows([_uncalculated(cell) for cell in cells(row, table, site)] for row in table.rows)
    return out.getvalue().encode("utf-8-sig", "replace")


def to_xlsx(table: ResultTable, site: str) -> bytes:
    from openpyxl import Workbook  # 180 modules, which only the download of a table needs

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Result")
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name, bold=True) for name in headings(table)])
    for row in table.rows:
        sheet.append([_cell(sheet, cell) for cell in cells(row, table, site)])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def headings(table: ResultTable) -> list[str]:
    """The names of the columns, then those of the source; a name that is taken gets a `_`."""
    names = list(table.schema.names)
    for name in SOURCE_COLUMNS:
        while name in names:
            name += "_"
        names.append(name)
    return names


def cells(row: ResultRow, table: ResultTable, site: str) -> list[Value]:
    source = row.url or row.file
    values = [row.values.get(name) for name in table.schema.names]
    picture = f"{site}{row.screenshot}" if (row.screenshot or "").startswith("/") else row.screenshot
    return [*values, source, row.at.isoformat(timespec="seconds"), picture, "; ".join(row.notes())]


def _uncalculated(value: Value) -> Value:
    return f"'{value}" if isinstance(value, str) and value.startswith(CALCULATED) else value


def _cell(sheet: WriteOnlyWorksheet, value: Value, *, bold: bool = False) -> WriteOnlyCell:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell
    from openpyxl.styles import Font

    text = ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value
    cell = WriteOnlyCell(sheet, text)
    if isinstance(text, str):
        cell.data_type = "s"  # never a formula
        cell.quotePrefix = text.startswith(CALCULATED)
    if bold:
        cell.font = Font(bold=True)
    return cell


def to_markdown(table: ResultTable) -> list[str]:
    """Lines of a Markdown table, with the source of each row."""
    return [
        _markdown_line([*table.schema.names, "Source"]),
        _markdown_line(["---"] * (len(table.schema.names) + 1)),
        *(_markdown_line(shown_cells(row, table)) for row in table.rows),
        "",
        *(f"- {number}: {note}" for number, note in numbered_notes(table.rows)),
    ]


def shown_cells(row: ResultRow, table: ResultTable) -> list[str]:
    """As texts, with the source at the end."""
    values = (row.values.get(name) for name in table.schema.names)
    return [*("" if value is None else str(value) for value in values), row.url or row.file]


def numbered_notes(rows: Sequence[ResultRow]) -> Iterator[tuple[int, Wording]]:
    """The number of a row, from 1, and what is to be said about a cell of it."""
    return ((number, note) for number, row in enumerate(rows, 1) for note in row.notes())


def _markdown_line(texts: Iterable[str]) -> str:
    escaped = (" ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|") for text in texts)
    return f"| {' | '.join(escaped)} |"
