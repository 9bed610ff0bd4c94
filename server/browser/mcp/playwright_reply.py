"""Parses the replies of the Playwright MCP server. Pure functions, linear time.

A reply is a text of `### Title` sections in a fixed order (see `snapshot.split_sections`). URLs and titles in
it are controlled by the page: with a page monitor, DevTools is the source of both (see `CurrentPage`).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field

from mcp.types import CallToolResult, ImageContent, TextContent

from server.browser.addresses import without_login
from server.browser.browser import Tab
from server.browser.chromium.watched_page import TITLE_CHARS, short_url
from server.browser.mcp.network_errors import opening_failure
from server.browser.observation.snapshot import labels_of, split_sections, yaml_of
from wording.catalogue import ENGLISH, Wording, sentence, sentences

_COLOUR = re.compile(r"\x1b\[\d+m")
_ORIGIN = re.compile(r"^((?:Timeout)?Error: )?(browserBackend\.callTool|locator\.\w+|page\.\w+): ")
_TAB = re.compile(r"- (\d{1,4}):( \(current\))? \[")
_PATIENCE = re.compile(r"^Timeout (\d+)ms exceeded")
_NET_ERROR = re.compile(r"(?:Error: )?net::ERR_(\w+)")
_NO_ANSWER = re.compile(r"(Timeout \d+ms exceeded|net::ERR_(CONNECTION_)?TIMED_OUT)\b")
OTHER_FORM = (
    "The field takes another form of value, such as 12.5 for a number, 2026-11-21 for a date, 2026-11 for a month "
    "or 14:30 for a time."
)
FIELD_GONE = sentence("field.gone")
STATUS_CHARS, MODAL_CHARS, ERROR_CHARS, MAX_LISTED_TABS = 100, 2000, 20_000, 50
_OBSTACLES = {
    "intercepts pointer events": sentence("not_done.covered"),
    "did not find some options": sentence("not_done.no_option"),
    "element is not stable": sentence("not_done.moving"),
    "element is not editable": sentence("not_done.read_only"),
    "element is not enabled": sentence("not_done.disabled"),
    "element is not visible": sentence("not_done.hidden"),
    "element is outside of the viewport": sentence("not_done.out_of_view"),
}
"""Log lines of a call that show why a control could not be used, and their meaning for the model."""


@dataclass(slots=True)
class Reply:
    """The parsed result of one tool call."""

    ok: bool
    text: str = ""
    """The result, or the error message."""
    url: str | None = None
    title: str | None = None
    status: str | None = None
    """The document's HTTP status if it is not a success, such as `404 Not Found`."""
    tabs: tuple[Tab, ...] = ()
    """Empty if there is only one tab, unless the tabs were requested."""
    modal: str | None = None
    """An open dialog or file chooser that blocks every other tool."""
    snapshot: str | None = None
    raw: str = ""
    image: bytes | None = None
    notes: list[str] = field(default_factory=list)
    timed_out: bool = False
    """True if the page or its site did not answer in time; False if a control could not be used in time."""

    @property
    def asks_for_file(self) -> bool:
        return "File chooser" in (self.modal or "")


def _read_error(reply: Reply, error: str) -> None:
    code = _NET_ERROR.match(error)
    reply.text = opening_failure(code[1]) if code else without_login(error)
    reply.timed_out = _NO_ANSWER.match(error) is not None


def read_reply(result: CallToolResult, *, lists_tabs: bool = False) -> Reply:
    """Parse a reply. With `lists_tabs` the result itself is the list of tabs."""
    raw = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    sections = split_sections(raw)
    reply = Reply(ok=not result.isError, raw=raw)
    known = sections.get("Error") or sections.get("Result") or ("" if sections else raw)
    if reply.ok:
        reply.text = known.strip()
    else:
        _read_error(reply, _plain_error(known))
    _read_page(reply, sections.get("Page", ""))
    reply.tabs = read_tabs(sections.get("Result" if lists_tabs else "Open tabs", ""))
    modal, end, _ = sections.get("Modal state", "").rpartition("]: can be handled by")
    if end and modal.startswith("- ["):
        reply.modal = modal.removeprefix("- [")[:MODAL_CHARS]
    if (snapshot := sections.get("Snapshot")) is not None:
        reply.snapshot = yaml_of(snapshot)
    reply.image = next((picture_of(part) for part in result.content if isinstance(part, ImageContent)), None)
    return reply


def _plain_error(text: str) -> str:
    """Return the error without colour codes, call name and log, or a reason derived from the log."""
    text = text[:ERROR_CHARS]
    said, _, log = _COLOUR.sub("", text).partition("\nCall log:")
    plain = _ORIGIN.sub("", said.strip())
    if plain.endswith(("Malformed value", "input[type=number]")):
        return OTHER_FORM
    if "aria-ref" in plain or plain.endswith("in the current page snapshot. Try capturing new snapshot."):
        return FIELD_GONE
    waited = _PATIENCE.match(plain)
    obstacle = max(_OBSTACLES, key=log.rfind)
    if waited is None or obstacle not in log:
        return plain
    return sentence("not_done", seconds=int(waited[1]) // 1000, why=_OBSTACLES[obstacle])


def read_tabs(text: str) -> tuple[Tab, ...]:
    """Parse lines `- 1: (current) [title](address)`. A page controls both, so the split is a guess."""
    return tuple(filter(None, map(_read_tab, text.split("\n", MAX_LISTED_TABS)[:MAX_LISTED_TABS])))


def _read_tab(line: str) -> Tab | None:
    start, line = _TAB.match(line), line.removesuffix(" [crashed]")
    if start is None or not line.endswith(")"):
        return None
    title, middle, url = line[start.end() : -1].rpartition("](")
    if not middle:
        return None
    return Tab(int(start[1]), title[:TITLE_CHARS], short_url(url), bool(start[2]))


def _read_page(reply: Reply, text: str) -> None:
    labels = labels_of(text)
    if (url := labels.get("Page URL")) is not None:
        reply.url = short_url(url)
    if (title := labels.get("Page Title")) is not None:
        reply.title = title[:TITLE_CHARS]
    if status := labels.get("HTTP status", "")[:STATUS_CHARS]:
        reply.status = status
        reply.notes.append(status_note(reply))


def status_note(reply: Reply) -> Wording:
    return sentence("note.http_status", status=reply.status or "")


def page_error(reply: Reply) -> str:
    """What is wrong with the page that was opened, in one sentence; "" if it is a page of its site."""
    if (reply.url or "").startswith("chrome-error:"):
        return sentence("open_failed")
    code = (reply.status or "")[:3]
    if not ("400" <= code <= "599"):
        return ""
    status = int(code)
    if status >= 500:
        return sentence("page_status.site_error", status=status)
    if f"page_status.{code}" in sentences(ENGLISH):
        return sentence(f"page_status.{code}", status=status)
    return sentence("page_status.not_shown", status=status)


def picture_of(part: ImageContent) -> bytes | None:
    try:
        return base64.b64decode(part.data, validate=True)
    except (binascii.Error, ValueError):
        return None
