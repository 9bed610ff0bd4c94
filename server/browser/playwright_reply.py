"""Reads the replies of the Playwright MCP server. Pure.

A reply is one text of `### Title` sections in a fixed order. Page text may repeat a title inside a section,
so a section counts only once and only after those that precede it.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field

from mcp.types import CallToolResult, ImageContent, TextContent

from server.browser.addresses import without_login
from server.browser.browser import Tab

_ORDER = (
    "Error",
    "Result",
    "Ran Playwright code",
    "Open tabs",
    "Page",
    "Modal state",
    "WebMCP tools",
    "Snapshot",
    "Events",
    "Paused",
)
_COLOUR = re.compile(r"\x1b\[\d+m")
_ORIGIN = re.compile(r"^((?:Timeout)?Error: )?(browserBackend\.callTool|locator\.\w+|page\.\w+): ")
_TAB = re.compile(r"^- (\d+):( \(current\))? \[(.*)\]\((.*)\)( \[crashed\])?$")
_PATIENCE = re.compile(r"^Timeout (\d+)ms exceeded")
_HINDRANCES = {
    "intercepts pointer events": "something else on the page covers it, such as a banner or a menu",
    "did not find some options": "it has no such option",
    "element is not stable": "it does not stop moving",
    "element is not editable": "it is read-only",
    "element is not enabled": "it is disabled",
    "element is not visible": "it is hidden",
    "element is outside of the viewport": "it cannot be scrolled into view",
}
"""Lines of a call's log that tell why a control could not be used, and what they mean."""


@dataclass(slots=True)
class Reply:
    """What one tool call came back with."""

    ok: bool
    text: str = ""
    """The result, or what went wrong, in the server's words."""
    url: str | None = None
    title: str | None = None
    status: str | None = None
    """The document's HTTP status when it is not a success, such as `404 Not Found`."""
    tabs: tuple[Tab, ...] = ()
    """Only told when there are several."""
    modal: str | None = None
    """An open dialog or file chooser that stops every other tool."""
    snapshot: str | None = None
    raw: str = ""
    image: bytes | None = None
    notes: list[str] = field(default_factory=list)


def read_reply(result: CallToolResult, *, lists_tabs: bool = False) -> Reply:
    """`lists_tabs`: the result itself is the list of tabs."""
    raw = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    sections = _split(raw)
    reply = Reply(ok=not result.isError, raw=raw)
    known = sections.get("Error") or sections.get("Result") or ("" if sections else raw)
    reply.text = known.strip() if reply.ok else without_login(_plain_error(known))
    _read_page(reply, sections.get("Page", ""))
    reply.tabs = read_tabs(sections.get("Result" if lists_tabs else "Open tabs", ""))
    reply.modal = _read_modal(sections.get("Modal state", ""))
    if (snapshot := sections.get("Snapshot")) is not None:
        reply.snapshot = snapshot.removeprefix("```yaml\n").rstrip().removesuffix("```").rstrip()
    reply.image = next((picture_of(part) for part in result.content if isinstance(part, ImageContent)), None)
    return reply


def _plain_error(text: str) -> str:
    """Without colour codes, the server's own name for the call and the log below it, which may tell the reason."""
    said, _, log = _COLOUR.sub("", text).partition("\nCall log:")
    plain = _ORIGIN.sub("", said.strip())
    if plain.endswith("Malformed value"):
        return "The field takes another form of value, such as 2026-11-21 for a date or 14:30 for a time."
    waited = _PATIENCE.match(plain)
    hindrance = max(_HINDRANCES, key=log.rfind)
    if waited is None or hindrance not in log:
        return plain
    return f"Not done within {int(waited[1]) // 1000} s: {_HINDRANCES[hindrance]}."


def read_tabs(text: str) -> tuple[Tab, ...]:
    found = (_TAB.match(line) for line in text.splitlines())
    return tuple(Tab(int(tab[1]), tab[3], without_login(tab[4]), bool(tab[2])) for tab in found if tab)


def _split(raw: str) -> dict[str, str]:
    sections: dict[str, str] = {}
    title, place = "", -1
    for part in re.split(r"(?m)^(?=### )", raw):
        heading, _, body = part.partition("\n")
        name = heading.removeprefix("### ").strip()
        if heading.startswith("### ") and name in _ORDER[place + 1 :]:
            title, place = name, _ORDER.index(name)
            sections[title] = body
        elif title:
            sections[title] += part
    return sections


def _read_page(reply: Reply, text: str) -> None:
    for line in text.splitlines():
        label, _, value = line.removeprefix("- ").partition(": ")
        if label == "Page URL":
            reply.url = without_login(value)
        elif label == "Page Title":
            reply.title = value
        elif label == "HTTP status":
            reply.status = value
            reply.notes.append(f"The page answered with HTTP status {value}.")


def _read_modal(text: str) -> str | None:
    found = re.search(r"^- \[(.*)\]: can be handled by", text, re.DOTALL)
    return found[1] if found else None


def picture_of(part: ImageContent) -> bytes | None:
    try:
        return base64.b64decode(part.data, validate=True)
    except (binascii.Error, ValueError):
        return None
