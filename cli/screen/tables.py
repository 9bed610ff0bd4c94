"""Lists and tables: sessions, a page's elements, the working state, the commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cli.client import api_types as api
from cli.client.address import Address
from cli.client.open_types import CommandResult, Element, Page
from cli.commands.schedule import SETTINGS
from cli.commands.syntax import REFERENCE_CHARS, Command
from cli.screen.items import Question, ToolRan, Visited
from cli.screen.render import OVERLAYS, draw, indent, question
from cli.screen.results import change_words
from cli.screen.view import View
from cli.text import ago, cut, moment, spent
from cli.words import localized, localized_notes, t

ELEMENTS = 60
NARROW = 90
"""Columns of a terminal; with fewer, a list of sessions keeps its width for the titles."""
BLOCKS = 6


def outcome_words(outcome: str) -> str:
    match outcome:
        case "needs_you":
            return t("needs you")
        case "completed":
            return t("done")
        case "cancelled":
            return t("stopped")
        case _:
            return t(outcome)


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

    items: Sequence[api.ListedSession]
    now: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """On a narrow terminal, the columns agent and model are omitted."""
        is_narrow = options.max_width < NARROW
        table = Table(box=None, padding=(0, 1 if is_narrow else 2), header_style="quiet")
        names = (
            ("", "id", "title", "changed") if is_narrow else ("", "id", "title", "agent", "model", "changed")
        )
        for name in names:
            table.add_column(t(name) if name else "", no_wrap=True, min_width=8 if name == "id" else None)
        for item in self.items:
            cells = self._cells(item)
            table.add_row(*(cells[name] for name in names))
        yield table

    def _cells(self, item: api.ListedSession) -> dict[str, RenderableType]:
        sign, style = SIGNS.get(item["status"], ("·", "quiet"))
        return {
            "": Text(sign, style),
            "id": short(item["id"]),
            "title": Text(item.get("title") or t("untitled"), "bold" if item.get("unread") else ""),
            "agent": t(item["agent"]) if item.get("agent") else "",
            "model": item.get("model") or "",
            "changed": Text(ago(moment(item.get("updated_at")), self.now), "quiet"),
        }


def short(session_id: str) -> str:
    return session_id[:8]


def short_reference(reference: str) -> str:
    """The end of the reference: those of model calls begin alike."""
    return reference[-REFERENCE_CHARS:]


@dataclass(frozen=True)
class Inbox:
    """The open questions of all sessions, each with the reference that answers it."""

    items: Sequence[api.OpenQuestion]
    now: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("Nothing waits for you."), "quiet"))
            return
        for item in self.items:
            title = Text.assemble(
                (short_reference(item["reference"]), "you"), "  ", (item["session_title"] or t("untitled"), "bold"),
                (f"  {ago(moment(item['created_at']), self.now)}", "quiet"),
            )  # fmt: skip
            yield indent(Group(title, indent(question(Question.read(item, None)))))
            yield Text()
        yield indent(Text(t("/yes REF [GRANT] does it · /no REF [words] refuses"), "quiet"))


@dataclass(frozen=True)
class GrantList:
    """One row per grant: the first eight characters of its id, what it allows where, its limits and uses."""

    items: Sequence[api.Grant]
    now: datetime
    """With the zone that times are shown in."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("Nothing is allowed without asking."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "for", "kind", "site", "limits", "used"):
            table.add_column(t(name), no_wrap=name == "id", min_width=8 if name == "id" else None)
        for item in self.items:
            held_for = item["scope"]
            scope = Text(t(held_for), "quiet" if item["is_over"] else "bold")
            used = Text(str(item["uses"]))
            if last := moment(item["last_use"]):
                used.append(f" · {ago(last, self.now)}", "quiet")
            table.add_row(short(item["id"]), scope, item["kind"], item["site"], self._limits(item), used)
        yield table

    def _limits(self, item: api.Grant) -> str:
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
class DeviceList:
    """One row per login: the first eight characters of its id, its browser, how and from where, and its last use."""

    items: Sequence[api.Device]
    now: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("No browser is logged in."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "browser", "by", "address", "used"):
            table.add_column(t(name), no_wrap=name == "id", min_width=8 if name == "id" else None)
        for item in self.items:
            last, way = moment(item["last_used_at"]), item["way"]
            table.add_row(
                short(item["id"]), item["browser"] or "-", t(way), item["address"],
                ago(last, self.now) if last else "",
            )  # fmt: skip
        yield table


@dataclass(frozen=True)
class KeptSites:
    """One row per site that stays signed in: the first eight characters of its id, its end and its last use."""

    items: Sequence[api.KeptSite]
    now: datetime

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("No site stays signed in for all sessions."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "site", "until", "used"):
            table.add_column(t(name), no_wrap=name == "id", min_width=8 if name == "id" else None)
        for item in self.items:
            ends_at, last = moment(item["expires_at"]), moment(item["last_used_at"])
            until = f"{ends_at.astimezone(self.now.tzinfo):%Y-%m-%d}" if ends_at else ""
            table.add_row(short(item["id"]), item["site"], until, ago(last, self.now) if last else "")
        yield table


@dataclass(frozen=True)
class NoteList:
    """One row per note: the first eight characters of its id, its site and text, and whether it waits or is used."""

    items: Sequence[api.Note]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("There are no notes."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "site", "note", "used"):
            table.add_column(t(name), no_wrap=name == "id", min_width=8 if name == "id" else None)
        for item in self.items:
            used = (
                Text(t("proposed"), "warn") if item["confirmed_at"] is None else Text(str(item["used_count"]))
            )
            table.add_row(short(item["id"]), item["site"], item["text"], used)
        yield table


@dataclass(frozen=True)
class LoginTable:
    """One row per login: its title, site and masked account, how often it was used, and what uses it unasked."""

    items: Sequence[api.StoredLogin]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("There are no logins. /login add SITE makes one."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("title", "site", "account", "used", "unasked"):
            table.add_column(t(name))
        for item in self.items:
            unasked = [one["name"] for one in (*item["grant"]["sessions"], *item["grant"]["automations"])]
            account = item["account"] or t("locked")
            table.add_row(item["title"], item["site"], account, str(item["uses"]), ", ".join(unasked))
        yield table


@dataclass(frozen=True)
class VaultTable:
    """One row per entry of the vault's log, newest first."""

    items: Sequence[api.VaultLogEntry]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=None, padding=(0, 2), show_header=False)
        for item in self.items:
            at = moment(item["at"])
            details = " · ".join(filter(None, (item["host"], *item["fields"], item["reason"])))
            table.add_row(f"{at:%Y-%m-%d %H:%M}", item["event"], item["title"], Text(details, "quiet"))
        yield table


@dataclass(frozen=True)
class AutomationList:
    """One row per automation: the first eight characters of its id, its name, when it is due, its last outcome."""

    items: Sequence[api.Automation | api.ListedAutomation]
    now: datetime
    """With the zone that due times are shown in."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("There are no automations. /schedule makes one."), "quiet"))
            return
        table = Table(box=None, padding=(0, 2), header_style="quiet")
        for name in ("id", "name", "next", "last"):
            table.add_column(t(name), no_wrap=name in ("id", "next"), min_width=8 if name == "id" else None)
        for item in self.items:
            firing = cast(api.ListedAutomation, item).get("last")  # one that was just added has none
            shown = [words for field, is_on, words in SETTINGS.values() if is_on and item.get(field)]
            named = Text.assemble((item["name"], "bold"), *((f" · {t(words)}", "quiet") for words in shown))
            table.add_row(
                short(item["id"]), named, self._next(item), outcome_words(firing["outcome"]) if firing else ""
            )
        yield table

    def _next(self, item: api.Automation | api.ListedAutomation) -> Text:
        if not item["enabled"]:
            why = str(item.get("paused_by"))
            return Text(t("paused") if why == "person" else t("paused ({why})", why=t(why)), "warn")
        due = moment(item.get("next_at"))
        return Text(f"{due.astimezone(self.now.tzinfo):%a %d %b %H:%M}" if due else t("when called"), "quiet")


@dataclass(frozen=True)
class FiringLog:
    """The firings of an automation, the newest first, in the machine's zone."""

    items: Sequence[api.Firing]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield indent(Text(t("It has not run yet."), "quiet"))
        for item in self.items:
            due = moment(item.get("slot") or item["at"])
            times = t(" ({n} times)", n=item["count"]) if item["count"] > 1 else ""
            why = f" · {item['why']}" if item.get("why") else ""
            session_id, changed = item.get("session_id"), item.get("change")
            session = t(" · session {id}", id=short(session_id)) if session_id else ""
            outcome = outcome_words(item["outcome"])
            change = f" · {change_words(changed)}" if changed else ""
            line = f"{due.astimezone():%a %d %b %H:%M}  " if due else ""
            yield indent(
                Text.assemble((line, "quiet"), f"{outcome}{times}", (f"{change}{why}{session}", "quiet"))
            )
            if receipt := item.get("receipt"):
                yield indent(
                    indent(Text(t("waited for {what}", what=cut(receipt["waited_for"], 100)), "warn"))
                )


def observation(page: Page) -> RenderableType:
    """The page: title, address, overlays, notes, texts and elements."""
    where = page.get("page") or {}
    elements = [item for item in page.get("interactive") or [] if not item.get("same_as")]
    blocks = page.get("text_blocks") or []
    rows: list[RenderableType] = [
        Text.assemble((where.get("title") or t("untitled"), "bold"), (f"  {where.get('url', '')}", "quiet"))
    ]
    rows += [
        Text(
            t(
                "over it: {text} ({kind})",
                text=cut(over["text"], 90),
                kind=t(OVERLAYS.get(over["kind"], over["kind"])),
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
    return indent(Group(*rows, *([Text(t("… and {n} more elements", n=hidden), "quiet")] if hidden else [])))


def outcome(tool: str, args: Mapping[str, object], answer: CommandResult, address: Address) -> RenderableType:
    """The result of one manual browser command."""
    picture = answer.get("screenshot")
    ran = ToolRan(
        name=tool,
        args=args,
        ok=bool(answer.get("ok", True)),
        summary=" · ".join([localized(answer, "text"), *localized_notes(answer)]),
        screenshot=address.absolute(picture) if picture else None,
    )
    url = answer.get("url")
    where = [draw(Visited(answer.get("title") or "", url))] if url else []
    return Group(draw(ran), *where)


def _elements(elements: Iterable[Element]) -> Table:
    table = Table.grid(padding=(0, 2))
    for item in elements:
        name = cut(item.get("name") or item.get("placeholder") or item.get("context") or "", 60)
        style = "quiet" if item.get("disabled") else ""
        table.add_row(
            Text(item["eid"], "you"),
            Text(t(item["role"]), "quiet"),
            Text(name, style),
            Text(_holds(item), "quiet"),
        )
    return table


def _holds(element: Element) -> str:
    """The value of a field and the element's states. A secret field has only `filled`, no value."""
    parts = [f"= {cut(str(element['value']), 40)}"] if element.get("value") else []
    parts += [
        t(name) for name in ("checked", "expanded", "selected", "filled", "disabled") if element.get(name)
    ]
    return " ".join(parts)


def state(view: View) -> RenderableType:
    """The working state: status, agent, goal, usage, facts and plan."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="key", no_wrap=True)
    for name, parts in (
        ("status", (t(view.status), view.note)),
        ("agent", (t(view.agent), view.model)),
    ):
        rows.add_row(t(name), Text(" · ".join(filter(None, parts))))
    rows.add_row(t("goal"), Text(view.goal or t("none yet")))
    if view.usage:
        rows.add_row(t("used"), spent(view.usage))
        for model, used in (view.usage.get("models") or {}).items():
            rows.add_row("", Text(t("of it {model}: {used}", used=spent(used), model=model)))
    for number, fact in enumerate(view.facts, 1):
        where = f"  {fact['url']}" if fact.get("url") else ""
        rows.add_row(t("fact {n}", n=number), Text.assemble(str(fact.get("fact", "")), (where, "quiet")))
    return Group(indent(rows), draw(view.plan)) if view.plan.steps else indent(rows)


def commands(known: Iterable[Command]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for command in known:
        table.add_row(Text(command.usage, "you"), Text(t(command.help)))
    keys = Text(
        t("Alt-Enter begins a new line · Ctrl-C twice leaves, the run goes on · Ctrl-D leaves"), "quiet"
    )
    return indent(Group(table, Text(), keys))
