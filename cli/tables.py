"""Lists and tables: sessions, a page's elements, the working state, the commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cli.address import Address
from cli.commands import COMMANDS
from cli.items import ToolRan
from cli.render import draw, indent
from cli.text import ago, cut, moment, spent
from cli.view import View

ELEMENTS = 60
SIGNS = {
    "running": ("●", "good"),
    "queued": ("◌", "quiet"),
    "waiting_user": ("?", "warn"),
    "paused": ("‖", "warn"),
    "error": ("✗", "bad"),
}


def sessions(items: Iterable[Mapping[str, Any]], now: datetime) -> Table:
    """One row a session; the first eight letters of an id are enough to name it."""
    table = Table(box=None, padding=(0, 2), header_style="quiet")
    for name in ("", "id", "title", "agent", "model", "changed"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for item in items:
        sign, style = SIGNS.get(item["status"], ("·", "quiet"))
        title = Text(item.get("title") or "untitled", "bold" if item.get("unread") else "")
        changed = ago(moment(item.get("updated_at")), now)
        table.add_row(
            Text(sign, style),
            short(item["id"]),
            title,
            item.get("agent"),
            item.get("model"),
            Text(changed, "quiet"),
        )
    return table


def short(session_id: str) -> str:
    return session_id[:8]


def observation(page: Mapping[str, Any]) -> RenderableType:
    """The page and what can be clicked or filled in."""
    where = page.get("page") or {}
    head = Text.assemble((where.get("title") or "untitled", "bold"), (f"  {where.get('url', '')}", "quiet"))
    elements = page.get("interactive") or []
    rows: list[RenderableType] = [head, _elements(elements[:ELEMENTS])]
    if len(elements) > ELEMENTS:
        rows.append(Text(f"… and {len(elements) - ELEMENTS} more elements", "quiet"))
    rows += [Text(f"over it: {cut(str(overlay), 100)}", "warn") for overlay in page.get("overlays") or ()]
    return indent(Group(*rows))


def outcome(tool: str, args: dict[str, Any], answer: Mapping[str, Any], address: Address) -> RenderableType:
    """What became of one thing done by hand."""
    picture = answer.get("screenshot")
    summary = answer.get("summary") or answer.get("text") or answer.get("url") or ""
    ran = ToolRan(
        name=tool,
        args=args,
        ok=bool(answer.get("ok", True)),
        summary=str(summary),
        duration_ms=int(answer.get("duration_ms") or 0),
        screenshot=address.absolute(picture) if picture else None,
    )
    return draw(ran)


def _elements(elements: Iterable[Mapping[str, Any]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for item in elements:
        style = "quiet" if item.get("disabled") else ""
        name = cut(item.get("name") or item.get("placeholder") or "", 60)
        value = f"= {cut(str(item['value']), 40)}" if item.get("value") else ""
        table.add_row(
            Text(item["eid"], "you"), Text(item["role"], "quiet"), Text(name, style), Text(value, "quiet")
        )
    return table


def state(view: View) -> RenderableType:
    """What the agent is after, how far it is, what it found out and what that took."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="key", no_wrap=True)
    rows.add_row("status", " · ".join(part for part in (view.status, view.note) if part))
    rows.add_row("agent", " · ".join(part for part in (view.agent, view.model) if part))
    rows.add_row("goal", Text(view.goal or "none yet"))
    if view.usage:
        rows.add_row("used", spent(view.usage))
    for number, fact in enumerate(view.facts, 1):
        where = f"  {fact['url']}" if fact.get("url") else ""
        rows.add_row(f"fact {number}", Text.assemble(str(fact.get("fact", "")), (where, "quiet")))
    return Group(indent(rows), draw(view.plan)) if view.plan.steps else indent(rows)


def commands() -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for command in COMMANDS.values():
        table.add_row(Text(command.usage, "you"), Text(command.help))
    keys = Text("Alt-Enter begins a new line · Ctrl-C twice leaves, the run goes on · Ctrl-D leaves", "quiet")
    return indent(Group(table, Text(), keys))
