"""A session as one file: Markdown, JSON, or an HTML page that replays it without this server."""

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
from typing import TYPE_CHECKING, Any

from server.events import Message

if TYPE_CHECKING:
    from server.models import SessionRow

PAGE = Template((Path(__file__).parent / "templates" / "replay.html").read_text())
PictureOf = Callable[[str], Path | None]
"""From a screenshot's address to its file; None when it is gone."""
Box = Sequence[float]
"""Left, top, width and height in percent of a picture."""
WHO = {"user": "You", "assistant": "Pilothouse", "tool": "Browser"}


@dataclass(frozen=True, slots=True)
class Conversation:
    session: SessionRow
    messages: Sequence[Message]
    state: dict[str, Any]

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
    return f"> {mark} {message.content.splitlines()[0] if message.content else meta.get('name', '')}{where}"


def _fact_line(fact: dict[str, Any]) -> str:
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


def to_html(conversation: Conversation, picture_of: PictureOf) -> str:
    """One page with everything in it; it loads nothing and runs nothing that is not in this file."""
    aims = aims_of(conversation.messages)
    rows = "\n".join(
        _row(number, message, aims.get(number), picture_of)
        for number, message in enumerate(conversation.messages)
    )
    facts = "".join(
        f"<li>{html.escape(_fact_line(fact)[2:])}</li>" for fact in conversation.state.get("facts") or []
    )
    return PAGE.substitute(
        title=html.escape(conversation.title),
        created=f"{conversation.session.created_at:%Y-%m-%d %H:%M} UTC",
        rows=rows,
        facts=f"<h2>Facts</h2><ul>{facts}</ul>" if facts else "",
    )


def aims_of(messages: Sequence[Message]) -> dict[int, Box]:
    """Where the next action was aimed, by place of the message whose picture shows the page before it."""
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


def _picture(meta: dict[str, Any], aim: Box | None, picture_of: PictureOf) -> str:
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


def file_name(conversation: Conversation, suffix: str) -> str:
    """A plain file name from the title."""
    kept = "".join(char if char.isalnum() and char.isascii() else "-" for char in conversation.title.lower())
    stem = "-".join(part for part in kept.split("-") if part)[:60] or "session"
    return f"{stem}-{conversation.session.id[:8]}.{suffix}"


def to_zip(conversations: Iterator[Conversation]) -> bytes:
    """All sessions as JSON and Markdown; names are made here, whatever the titles are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for conversation in conversations:
            archive.writestr(file_name(conversation, "json"), to_json(conversation))
            archive.writestr(file_name(conversation, "md"), to_markdown(conversation))
    return out.getvalue()
