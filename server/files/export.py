"""Exports a session as one file: Markdown, JSON, or a self-contained HTML page that replays it."""

from __future__ import annotations

import base64
import html
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from server.events import Message
from server.ops.json_types import JsonObject

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from server.database.models import SessionRow

PAGE_HEAD, PAGE_TAIL = map(
    Template, (Path(__file__).parent / "templates" / "replay.html").read_text().split("$rows\n")
)
PictureOf = Callable[[str], Path | None]
"""Maps a screenshot's address to its file; None if the file does not exist."""
Box = Sequence[float]
"""Left, top, width and height in percent of a screenshot."""
WHO = {"user": "You", "assistant": "Pilothouse", "tool": "Browser"}


@dataclass(frozen=True, slots=True)
class Conversation:
    session: SessionRow
    messages: Sequence[Message]
    state: JsonObject

    @property
    def title(self) -> str:
        return self.session.title or "Untitled"


def to_markdown(conversation: Conversation) -> str:
    lines = [f"# {conversation.title}", "", f"{conversation.session.created_at:%Y-%m-%d %H:%M} UTC", ""]
    for message in conversation.messages:
        if message.role == "tool":
            lines += [_tool_line(message), ""]
        else:
            lines += [f"**{WHO[message.role]}**", "", message.content, ""]
    facts = conversation.state.get("facts") or []
    if facts:
        lines += ["## Facts", "", *(_fact_line(fact) for fact in facts), ""]
    return "\n".join(lines)


def _tool_line(message: Message) -> str:
    meta = message.meta_json or {}
    mark = "✓" if meta.get("ok") else "✗"
    where = f" — {meta['url']}" if meta.get("url") else ""
    first_line, _, _ = message.content.partition("\n")
    return f"> {mark} {first_line or meta.get('name', '')}{where}"


def _fact_line(fact: JsonObject) -> str:
    return f"- {fact['fact']}" + (f" ({fact['url']})" if fact.get("url") else "")


def to_json(conversation: Conversation) -> str:
    session = conversation.session
    head = {
        "id": session.id,
        "title": session.title,
        "agent": session.agent,
        "model": session.model,
        "created_at": session.created_at.isoformat(),
        "updated_at": session.updated_at.isoformat(),
        "usage": session.usage,
        "state": conversation.state,
    }
    messages = [
        message.model_dump(mode="json", exclude={"session_id", "client_id"})
        for message in conversation.messages
    ]
    return json.dumps(head | {"messages": messages}, ensure_ascii=False, indent=2)


def to_html(conversation: Conversation, picture_of: PictureOf) -> Iterator[str]:
    """Yield a self-contained page, which loads no external resources and runs no external scripts.

    One part per message, because each may contain a screenshot of some megabytes.
    """
    facts = "".join(
        f"<li>{html.escape(_fact_line(fact)[2:])}</li>" for fact in conversation.state.get("facts") or []
    )
    known = {
        "title": html.escape(conversation.title),
        "created": f"{conversation.session.created_at:%Y-%m-%d %H:%M} UTC",
        "facts": f"<h2>Facts</h2><ul>{facts}</ul>" if facts else "",
    }
    yield PAGE_HEAD.substitute(known)
    aims = aims_of(conversation.messages)
    for number, message in enumerate(conversation.messages):
        yield _row(number, message, aims.get(number), picture_of) + "\n"
    yield PAGE_TAIL.substitute(known)


def aims_of(messages: Sequence[Message]) -> dict[int, Box]:
    """The target of the next action, by index of the message whose screenshot shows the page before it."""
    aims: dict[int, Box] = {}
    pictured: int | None = None
    for number, message in enumerate(messages):
        meta = message.meta_json or {}
        if meta.get("box") and pictured is not None:
            aims.setdefault(pictured, meta["box"])
        if meta.get("screenshot"):
            pictured = number
    return aims


def _row(number: int, message: Message, aim: Box | None, picture_of: PictureOf) -> str:
    meta = message.meta_json or {}
    text = html.escape(message.content)
    if message.role != "tool":
        return f'<article class="{message.role}"><h3>{WHO[message.role]}</h3><pre>{text}</pre></article>'
    state = "ok" if meta.get("ok") else "failed"
    where = f'<p class="url">{html.escape(meta["url"])}</p>' if meta.get("url") else ""
    return (
        f'<article class="tool" id="step-{number}"><h3>{state} · {html.escape(str(meta.get("name", "")))} '
        f"· {meta.get('duration_ms', 0)} ms</h3><pre>{text}</pre>{where}{_picture(meta, aim, picture_of)}</article>"
    )


def _picture(meta: JsonObject, aim: Box | None, picture_of: PictureOf) -> str:
    path = picture_of(meta["screenshot"]) if meta.get("screenshot") else None
    if path is None:
        return ""
    kind = "jpeg" if path.suffix == ".jpg" else path.suffix[1:]
    data = base64.b64encode(path.read_bytes()).decode()
    mark = note = ""
    if aim:
        x, y, width, height = aim
        mark = f'<svg viewBox="0 0 100 100" preserveAspectRatio="none"><rect x="{x}" y="{y}" width="{width}" height="{height}"/></svg>'
        note = "<figcaption>Outlined: where the next step acts.</figcaption>"
    image = f'<img alt="The page after this step" src="data:image/{kind};base64,{data}">'
    return f"<figure><div>{image}{mark}</div>{note}</figure>"


def file_stem(conversation: Conversation) -> str:
    """A file name without suffix: the title in lower-case ASCII letters, digits and hyphens, then the id."""
    kept = "".join(char if char.isalnum() and char.isascii() else "-" for char in conversation.title.lower())
    stem = "-".join(part for part in kept.split("-") if part)[:60] or "session"
    return f"{stem}-{conversation.session.id[:8]}"


def file_name(conversation: Conversation, suffix: str) -> str:
    return f"{file_stem(conversation)}.{suffix}"


class Archive:
    """A zip that is written and returned in pieces; it buffers only the session added last.

    archive = Archive()
    for conversation in conversations:
        yield archive.add(conversation)
    yield archive.end()
    """

    def __init__(self) -> None:
        self._out = _Pieces()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED)
        self._stems: set[str] = set()

    def add(self, conversation: Conversation) -> bytes:
        """Add the session as JSON and Markdown, with unique names from the title; return the new bytes."""
        stem = self._free_stem(file_stem(conversation))
        self._zip.writestr(f"{stem}.json", to_json(conversation))
        self._zip.writestr(f"{stem}.md", to_markdown(conversation))
        return self._out.take()

    def end(self) -> bytes:
        self._zip.close()
        return self._out.take()

    def _free_stem(self, wanted: str) -> str:
        """An unused name, compared without case, because some file systems are case-insensitive."""
        stem, number = wanted, 1
        while stem.casefold() in self._stems:
            number += 1
            stem = f"{wanted}-{number}"
        self._stems.add(stem.casefold())
        return stem


class _Pieces(io.RawIOBase):
    """A write-only file whose content so far is removed by `take`."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken
