"""One MCP server that is no browser's: where it is, its connection, and its results as text."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass

from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from server.agent.gate.masking import MASK
from server.browser.browser import BROWSER
from server.browser.mcp.client import Http, Stdio
from server.browser.mcp.tool_schema import safe_name
from server.text import visible

MAX_TEXT = 12_000
SERVER_NAME = "^[A-Za-z][A-Za-z0-9_-]{0,31}$"
_NAMED = re.compile(r"^([A-Za-z][A-Za-z0-9_-]{0,31})=(?=\S)")
_VARIABLE = re.compile(r"^([A-Z_][A-Z0-9_]*)=(.*)$")
MIN_SECRET = 6
"""Characters. A shorter value would be masked within words."""


def read_server(text: str) -> tuple[str, Stdio | Http]:
    """Parse `[name=]https://host/mcp` or `[name=][VARIABLE=value ...] command arguments`, a line of the environment.

    Returns a name and a server. A value that starts with `$` is taken from our own environment, which is not
    passed on otherwise. Raises ValueError if the name is reserved or there is no command.
    """
    named = _NAMED.match(text)
    name = named[1] if named and not _VARIABLE.match(text.split()[0]) else ""
    if name == BROWSER:
        raise ValueError(f"the name {BROWSER!r} is taken: give the MCP server {text!r} another one")
    place = read_place(text[len(name) + 1 :] if name else text, expands=True)
    if isinstance(place, Http):
        return name or "other", place
    return name or safe_name(os.path.basename(place.command[0]).split(".")[0]), place


def read_place(text: str, *, expands: bool = False) -> Stdio | Http:
    """`https://host/mcp` or `[VARIABLE=value ...] command arguments`. Raises ValueError.

    `expands`: a value that starts with `$` is that of our own environment.
    """
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return Http(text)
    words = shlex.split(text)
    env: dict[str, str] = {}
    while words and (variable := _VARIABLE.match(words[0])):
        value = variable[2]
        env[variable[1]] = os.environ.get(value[1:], "") if expands and value.startswith("$") else value
        words.pop(0)
    if not words:
        raise ValueError(f"no command in the MCP server {text!r}")
    return Stdio(tuple(words), env)


@dataclass(frozen=True, slots=True)
class ResultText:
    """The text of results of one server: its own secrets are masked wherever it repeats them."""

    secrets: tuple[str, ...] = ()

    def of(self, result: CallToolResult) -> str:
        text = visible("\n".join(filter(None, map(_part, result.content))))
        if not text and result.structuredContent:
            text = visible(str(result.structuredContent))
        text = self.masked(text)
        if len(text) > MAX_TEXT:
            text = f"{text[:MAX_TEXT]}\n... truncated, {len(text) - MAX_TEXT} more characters"
        return text or "Done."

    def masked(self, text: str) -> str:
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, MASK) if len(secret) >= MIN_SECRET else text
        return text


def _part(part: object) -> str:
    """A part of a result as text. Pictures and files are named, not handed on."""
    match part:
        case TextContent(text=text):
            return text.strip()
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text.strip()
        case ImageContent() | AudioContent():
            return f"[{part.type}, {part.mimeType}, {len(part.data) * 3 // 4} bytes: not shown]"
        case EmbeddedResource(resource=resource):
            return f"[file {resource.uri}, {resource.mimeType or 'of an unknown type'}: not shown]"
        case ResourceLink():
            return f"[link to {part.uri}: {part.name}]"
    return ""
