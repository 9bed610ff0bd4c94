"""Lists and tables: sessions, a page's elements, the working state, the commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cli.address import Address
from cli.automations import SETTINGS
from cli.commands import COMMANDS, REFERENCE_CHARS
from cli.items import Question, ToolRan, Visited
from cli.json_types import JsonObject
from cli.render import OVERLAYS, draw, indent, question
from cli.results import change_words
from cli.text import ago, cut, moment, spent
from cli.view import View
from cli.words import localized, localized_notes, say

ELEMENTS = 60
NARROW = 90
"""Columns of a terminal; with fewer, a list of sessions keeps its width for the titles."""
BLOCKS = 6


def outcome_words(outcome: str) -> str:
    match outcome:
        case "needs_you":
            return say("needs you")
        case "completed":
            return say("done")
        case "cancelled":
            return say("stopped")
        case _:
            return say(outcome)


SIGNS = {
    "running": ("●", "good"),
    "queued": ("◌", "quiet"),
    "waiting_user": ("?", "warn"),
    "paused": ("‖", "warn"),
    "error": ("✗", "bad"),
}


@dataclass(frozen=True)
class Sessions:
    """One row per session, with the first eight characters of its id."""

    items: Sequence[JsonObject]
    now: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """On a narrow terminal, the columns agent and model are omitted."""
        is_narrow = options.max_width < NARROW
        table = Table(box=None, padding=(0, 1 if is_narrow else 2), header_style="quiet")
        names = (
            ("", "id", "title", "changed") if is_narrow else ("", "id", "title", "agent", "model", "changed")
        )
        for name in names:
            table.add_column(say(name) if name else "", no_wrap=True, min_width=8 if name == "id" else None)
        for item in self.items:
            cells = self._cells(item)
            table.add_row(*(cells[name] for name in names))
        yield table

    def _cells(self, item: JsonObject) -> dict[str, RenderableType]:
        sign, style = SIGNS.get(item["status"], ("·", "quiet"))
        return {
            "": Text(sign, style),
            "id": short(item["id"]),
            "title": Text(item.get("title") or say("untitled"), "bold" if item.get("unread") else ""),
            "agent": say(item["agent"]) if item.get("agent") else "",
            "model": item.get("model") or "",
            "changed": Text(ago(moment(item.get("updated_at")), self.now), "quiet"),
        }


def short(session_id: str) -> str:
    return session_id[:8]


def short_reference(question: JsonObject) -> str:
    """The end of the reference: those of model calls begin alike."""
    return str(question["reference"])[-REFERENCE_CHARS:]


@dataclass(frozen=True)
class Inbox:
    """The open questions of all sessions, each with the reference that answers it."""

    items: Sequence[JsonObject]
    now: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(say("Nothing waits for you."), "quiet"))
            return
        for item in self.items:
            title = Text.assemble(
                (short_reference(item), "you"), "  ", (item["session_title"] or say("untitled"), "bold"),
                (f"  {ago(moment(item['created_at']), self.now)}", "quiet"),
            )  # fmt: skip
            yield indent(Group(title, indent(question(Question.read(item, None)))))
            yield Text()
        yield indent(Text(say("/yes REF [GRANT] does it · /no REF [words] refuses"), "quiet"))


@dataclass(frozen=True)
class GrantList:
    """One row per grant: the first eight characters of its id, what it allows where, its limits and uses."""

    items: Sequence[JsonObject]
    now: datetime
    """With the zone that times are shown in."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(say("Nothing is allowed without asking."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "for", "kind", "site", "limits", "used"):
            table.add_column(say(name), no_wrap=name == "id", min_width=8 if name == "id" else None)
        for item in self.items:
            held_for = item["scope"]
            scope = Text(say(held_for), "quiet" if item["is_over"] else "bold")
            used = Text(str(item["uses"]))
            if last := moment(item["last_use"]):
                used.append(f" · {ago(last, self.now)}", "quiet")
            table.add_row(short(item["id"]), scope, item["kind"], item["site"], self._limits(item), used)
        yield table

    def _limits(self, item: JsonObject) -> str:
        ends_at, currency = moment(item["ends_at"]), item["currency"] or ""
        parts = [
            item["count"] is not None and f"x{item['count']}",
            ends_at and f"until {ends_at.astimezone(self.now.tzinfo):%Y-%m-%d %H:%M}",
            item["act_amount"] is not None and f"max {item['act_amount']:g} {currency}",
            item["month_amount"] is not None
            and f"month {item['month_spent'] or 0:g}/{item['month_amount']:g} {currency}",
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class AutomationList:
    """One row per automation: the first eight characters of its id, its name, when it is due, its last outcome."""

    items: Sequence[JsonObject]
    now: datetime
    """With the zone that due times are shown in."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(say("There are no automations. /schedule makes one."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "name", "next", "last"):
            table.add_column(say(name), no_wrap=name in ("id", "next"), min_width=8 if name == "id" else None)
        for item in self.items:
            last = (item.get("last") or {}).get("outcome", "")
            shown = [words for field, is_on, words in SETTINGS.values() if is_on and item.get(field)]
            named = Text.assemble((item["name"], "bold"), *((f" · {say(words)}", "quiet") for words in shown))
            table.add_row(short(item["id"]), named, self._next(item), last and outcome_words(last))
        yield table

    def _next(self, item: JsonObject) -> Text:
        if not item["enabled"]:
            why = str(item.get("paused_by"))
            return Text(say("paused") if why == "person" else say("paused ({why})", why=say(why)), "warn")
        due = moment(item.get("next_at"))
        return Text(
            f"{due.astimezone(self.now.tzinfo):%a %d %b %H:%M}" if due else say("when called"), "quiet"
        )


@dataclass(frozen=True)
class FiringLog:
    """The firings of an automation, the newest first, in the machine's zone."""

    items: Sequence[JsonObject]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(say("It has not run yet."), "quiet"))
        for item in self.items:
            due = moment(item.get("slot") or item["at"])
            times = say(" ({n} times)", n=item["count"]) if item["count"] > 1 else ""
            why = f" · {item['why']}" if item.get("why") else ""
            session = say(" · session {id}", id=short(item["session_id"])) if item.get("session_id") else ""
            outcome = outcome_words(item["outcome"])
            change = f" · {change_words(item['change'])}" if item.get("change") else ""
            line = f"{due.astimezone():%a %d %b %H:%M}  " if due else ""
            yield indent(
                Text.assemble((line, "quiet"), f"{outcome}{times}", (f"{change}{why}{session}", "quiet"))
            )
            if receipt := item.get("receipt"):
                yield indent(
                    indent(Text(say("waited for {what}", what=cut(receipt["waited_for"], 100)), "warn"))
                )


def observation(page: JsonObject) -> RenderableType:
    """The page: title, address, overlays, notes, texts and elements."""
    where = page.get("page") or {}
    elements = [item for item in page.get("interactive") or [] if not item.get("same_as")]
    blocks = page.get("text_blocks") or []
    rows: list[RenderableType] = [
        Text.assemble((where.get("title") or say("untitled"), "bold"), (f"  {where.get('url', '')}", "quiet"))
    ]
    rows += [
        Text(
            say(
                "over it: {text} ({kind})",
                text=cut(over["text"], 90),
                kind=say(OVERLAYS.get(over["kind"], over["kind"])),
            ),
            "warn",
        )
        for over in page.get("overlays") or ()
    ]
    rows += [Text(cut(note, 100), "warn") for note in localized_notes(page)]
    rows += [Text(cut(block, 100), "quiet") for block in blocks[:BLOCKS]]
    if elements:
        rows.append(_elements(elements[:ELEMENTS]))
    hidden = max(len(elements) - ELEMENTS, 0) + int(page.get("truncated") or 0)
    return indent(
        Group(*rows, *([Text(say("… and {n} more elements", n=hidden), "quiet")] if hidden else []))
    )


def outcome(tool: str, args: JsonObject, answer: JsonObject, address: Address) -> RenderableType:
    """The result of one manual browser command."""
    picture = answer.get("screenshot")
    ran = ToolRan(
        name=tool,
        args=args,
        ok=bool(answer.get("ok", True)),
        summary=" · ".join([localized(answer, "text"), *localized_notes(answer)]),
        screenshot=address.absolute(picture) if picture else None,
    )
    where = Visited(answer.get("title") or "", answer["url"]) if answer.get("url") else None
    return Group(draw(ran), *([draw(where)] if where else []))


def _elements(elements: Iterable[JsonObject]) -> Table:
    table = Table.grid(padding=(0, 2))
    for item in elements:
        name = cut(item.get("name") or item.get("placeholder") or item.get("context") or "", 60)
        style = "quiet" if item.get("disabled") else ""
        table.add_row(
            Text(item["eid"], "you"),
            Text(say(item["role"]), "quiet"),
            Text(name, style),
            Text(_holds(item), "quiet"),
        )
    return table


def _holds(element: JsonObject) -> str:
    """The value of a field and the element's states. A secret field has only `filled`, no value."""
    parts = [f"= {cut(str(element['value']), 40)}"] if element.get("value") else []
    parts += [
        say(name) for name in ("checked", "expanded", "selected", "filled", "disabled") if element.get(name)
    ]
    return " ".join(parts)


def state(view: View) -> RenderableType:
    """The working state: status, agent, goal, usage, facts and plan."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="key", no_wrap=True)
    for name, parts in (
        ("status", (say(view.status), view.note)),
        ("agent", (say(view.agent), view.model)),
    ):
        rows.add_row(say(name), Text(" · ".join(filter(None, parts))))
    rows.add_row(say("goal"), Text(view.goal or say("none yet")))
    if view.usage:
        rows.add_row(say("used"), spent(view.usage))
        for model, used in (view.usage.get("models") or {}).items():
            rows.add_row("", Text(say("of it {model}: {used}", used=spent(used), model=model)))
    for number, fact in enumerate(view.facts, 1):
        where = f"  {fact['url']}" if fact.get("url") else ""
        rows.add_row(say("fact {n}", n=number), Text.assemble(str(fact.get("fact", "")), (where, "quiet")))
    return Group(indent(rows), draw(view.plan)) if view.plan.steps else indent(rows)


def commands() -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for command in COMMANDS.values():
        table.add_row(Text(command.usage, "you"), Text(say(command.help)))
    keys = Text(
        say("Alt-Enter begins a new line · Ctrl-C twice leaves, the run goes on · Ctrl-D leaves"), "quiet"
    )
    return indent(Group(table, Text(), keys))
