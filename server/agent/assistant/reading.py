"""The assistant's own tools: they read whole pages, and files of the session, part by part."""

from __future__ import annotations

from server.agent.context import RunContext
from server.agent.gate.taint import FILE_SOURCE
from server.agent.operator.act.acting import files_in
from server.browser.browser import ToolOutcome, ToolSpec
from server.browser.fence import fence
from server.browser.mcp.tool_schema import find_fault
from server.browser.reading.reader import Reading, read_file
from server.ops.json_types import JsonObject
from wording.catalogue import joined, sentence

READING_CHARS = 50_000
"""A safety limit: a reading has its own, smaller token budget."""

_PAGE_PARAMETER: JsonObject = {
    "page": {"type": "integer", "description": "Number of the part, from 1"},
    "query": {"type": "string", "description": "Read only the passages that match these words"},
}
_FILE_PARAMETER: JsonObject = {
    "file": {"type": "string", "description": "Name of the file; a wrong one returns all names"}
}

READ_PAGE = ToolSpec(
    "read_page",
    "Read the whole text of the current page, or of the PDF in it, as Markdown with tables and links: a part of it by "
    "its number, or what matches a query.",
    {"type": "object", "properties": _PAGE_PARAMETER},
    acts=False,
)
READ_FILE = ToolSpec(
    "read_file",
    "Read a file of this session, an upload of the person or a download: PDF, DOCX, XLSX, CSV, HTML or text.",
    {"type": "object", "properties": {**_FILE_PARAMETER, **_PAGE_PARAMETER}, "required": ["file"]},
    acts=False,
)
READING_TOOLS = {spec.name: spec for spec in (READ_PAGE, READ_FILE)}


async def read(name: str, args: JsonObject, context: RunContext) -> ToolOutcome:
    """Call one of `READING_TOOLS`. A file needs no browser; once read, its words count as private."""
    if fault := find_fault(READING_TOOLS[name], args):
        return ToolOutcome(False, fault)
    page, query = int(args.get("page") or 1), str(args.get("query") or "")
    if name == READ_PAGE.name:
        return _outcome_of(await (await context.browser()).read_page(page, query))
    files = files_in(context.files)
    path = files.get(str(args["file"]))
    if path is None:
        return ToolOutcome(
            False, joined((sentence("file.unknown_listed"), fence(", ".join(files), "files")), "\n")
        )
    reading = await read_file(path, page=page, query=query)
    if reading.picture:
        return ToolOutcome(False, sentence("file.no_pictures", what=reading.about))
    if reading.ok:
        context.private.add([FILE_SOURCE])
    return _outcome_of(reading)


def _outcome_of(reading: Reading) -> ToolOutcome:
    """The part in the first line, which is shown to the user; the text after it is for the model only."""
    text = fence(reading.text, chars=READING_CHARS) if reading.text else ""
    return ToolOutcome(reading.ok, joined((reading.about, text), "\n"))
