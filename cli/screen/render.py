"""Render items: pure functions from an item to a Rich renderable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import singledispatch
from urllib.parse import urlsplit

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Heading, Markdown, TableElement
from rich.panel import Panel
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from cli.screen.items import (
    OUTCOMES,
    SECOND_MODEL,
    Answered,
    Entered,
    Failed,
    Finished,
    Note,
    Plan,
    Question,
    ResultTable,
    Spoken,
    StartPlan,
    StepReached,
    ToolRan,
    UserSaid,
    Visited,
)
from cli.text import cut, duration
from cli.words import direction, named, t, tool_name
from wording.markdown_rules import ModelMarkdown

THEME = Theme(
    {
        "you": "bold cyan",
        "good": "green",
        "bad": "red",
        "warn": "yellow",
        "quiet": "dim",
        "tool": "bold",
        "key": "dim",
        "markdown.code": "cyan",
        "markdown.code_block": "default",
        "markdown.block_quote": "italic",
    }
)
WIDEST = 100
ARGS_AT_MOST = 400
NOTES_AT_MOST = 10
BARE = frozenset({"url", "eid", "element", "text", "key", "direction", "amount", "ms"})
NOT_SHOWN = frozenset({"id", "reason", "commits"})
VERBS = {
    "click": "Click", "double_click": "Double-click", "click_right": "Right-click", "click_hold": "Press and hold",
    "click_ctrl": "Ctrl-click", "click_shift": "Shift-click", "type": "Type into", "fill_form": "Fill in",
    "select": "Choose in", "select_option": "Choose in", "press": "Press", "press_key": "Press", "drag": "Drag",
    "navigate": "Open", "upload": "Upload to", "file_upload": "Upload to", "dialog": "Answer the dialog",
    "handle_dialog": "Answer the dialog",
}  # fmt: skip
"""Acts in words, by the kind of the action or the name of the tool."""
OVERLAYS = {
    "dialog": "a dialog", "cookies": "a cookie notice", "permission": "a request for a permission", "login": "a login form",
    "captcha": "a check that a person is there",
}  # fmt: skip
"""What may lie over a page, by the server's name for it."""


class _LeftHeading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        self.text.stylize("bold underline" if self.tag == "h1" else "bold")
        yield self.text


class _EdgelessTable(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                table.show_edge = False
            yield table


_MARKDOWN = ModelMarkdown()


class Prose(Markdown):
    """Markdown for a conversation: left-aligned headings, terminal colours, visible URLs. A link into the web UI, such
    as `/settings/models`, gets the address `site` before it."""

    elements = Markdown.elements | {"heading_open": _LeftHeading, "table_open": _EdgelessTable}

    def __init__(self, text: str, site: str = "") -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        self.markup, self.parsed = text, _MARKDOWN.parse(text)
        for token in (inner for block in self.parsed for inner in block.children or []):
            address = str(token.attrs.get("href", ""))
            if token.type == "link_open" and address.startswith("/") and not address.startswith("//"):
                token.attrs["href"] = site + address


@singledispatch
def draw(item: object) -> RenderableType:
    raise TypeError(f"nothing to draw for {type(item).__name__}")


@draw.register
def _(item: UserSaid) -> RenderableType:
    line = Table.grid(padding=(0, 1))
    line.add_row(Text("❯", "you"), Text(item.text, "bold"))
    return line


@draw.register
def _(item: Entered) -> RenderableType:
    return Text(f"❯ {item.text}", "quiet")


@draw.register
def _(item: Spoken) -> RenderableType:
    return prose(item.text)


@draw.register
def _(item: ResultTable) -> RenderableType:
    table = Table(show_edge=False, header_style="bold")
    for name in item.columns:
        table.add_column(Text(name), overflow="fold")
    for row in item.rows:
        table.add_row(*(Text(cell, "warn" if cell.endswith(" ?") else "") for cell in row))
    hidden = len(item.notes) - NOTES_AT_MOST
    notes = [Text(cut(note, 100), "quiet") for note in item.notes[:NOTES_AT_MOST]]
    return indent(
        Group(table, *notes, *([Text(t("… and {n} more notes", n=hidden), "quiet")] if hidden > 0 else []))
    )


@draw.register
def _(item: ToolRan) -> RenderableType:
    if item.name == SECOND_MODEL:
        return indent(Text.assemble(("⇄ ", "warn"), item.summary))
    mark = Text("✓", "good") if item.ok else Text("✗", "bad")
    style = "quiet" if item.ok else "bad"
    if item.ok and item.effect in ("refused", "unknown"):
        mark, style = Text("!", "warn"), "warn"
    line = Text.assemble(mark, " ", (tool_name(item.name), "tool"), "  ", describe(item.args))
    if item.duration_ms:
        line.append(f"  {duration(item.duration_ms / 1000)}", "quiet")
    if item.screenshot:
        line.append(t("  ▣ picture"), linked(item.screenshot))
    rows = [line]
    if item.summary:
        rows.append(Text("  " + cut(item.summary, 160), style))
    return indent(Group(*rows))


@draw.register
def _(item: Visited) -> RenderableType:
    line = Text.assemble(("↳ ", "quiet"), item.title or t("untitled"), (f"  {item.url}", "quiet"))
    for overlay in item.overlays:
        line.append(t("\n  over it: {text}", text=t(OVERLAYS.get(overlay, overlay))), "warn")
    return indent(line)


@draw.register
def _(item: Plan) -> RenderableType:
    rows = [Text(t("Plan"), "bold")]
    rows += [_plan_row(item, index, step) for index, step in enumerate(item.steps)]
    if item.proposed:
        rows += [Text(), Text(t("The agent suggests another plan"), "bold")]
        rows += [Text.assemble((f"{at} ", "quiet"), step) for at, step in enumerate(item.proposed, 1)]
        rows.append(Text(t("/plan accept uses it, /plan dismiss keeps yours"), "quiet"))
    return indent(Group(*rows))


def _plan_row(plan: Plan, index: int, step: str) -> Text:
    if step in plan.blocked:
        return Text.assemble(("✗ ", "bad"), step, (t(" (blocked)"), "bad"))
    if step in plan.done or index < plan.current:
        return Text.assemble(("✓ ", "good"), (step, "quiet"))
    if index == plan.current:
        return Text.assemble(("▸ ", "you"), (step, "bold"))
    return Text.assemble(("○ ", "quiet"), step)


@draw.register
def _(item: StepReached) -> RenderableType:
    return indent(
        Text.assemble(("▸ ", "you"), (f"{item.number}/{item.total} ", "quiet"), (item.text, "bold"))
    )


@draw.register
def _(item: Question) -> RenderableType:
    title, answer = _asks(item)
    panel = Panel(
        start_plan(item.start, item.expires_at) if item.start else question(item),
        title=Text(t(title), "bold"),
        title_align="left",
        border_style="warn",
        padding=(1, 2),
    )
    return indent(Group(panel, Text(t(answer), "quiet")))  # in the frame it would be cut, not wrapped


def _asks(item: Question) -> tuple[str, str]:
    """What the question is, and how it is answered."""
    if item.start:
        return "Start this run?", "/yes starts it · /yes 1 2 allows only these · /yes none · /no [words]"
    if item.kind == "login":
        return "Log in?", "/yes [number] [session|automation] · /done: you log in yourself · /no refuses"
    if item.kind == "confirm":
        grants = "/yes run|session|automation|always allows such here"
        return "May I do this?", f"/yes does it · {grants} · /no [words] refuses"
    if item.wants == "answer":
        return "A question for you", "answer in words"
    return "Your turn", "/done when you have done it, or answer in words"


def question(item: Question) -> Table:
    """The question as rows: act, amount, site, reason, expiry. Not its picture: a row would break the URL."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="key", no_wrap=True)
    rows.add_column(overflow="fold")
    if item.action or item.target:
        rows.add_row(t("act"), intended_act(item))
    if item.amount:
        rows.add_row(t("amount"), Text(item.amount, "bold"))
    if item.url:
        rows.add_row(
            t("site"),
            Text.assemble((urlsplit(item.url).netloc or item.url, "bold"), ("  " + item.url, "quiet")),
        )
    if item.would_send:
        rows.add_row(t("about to send"), Text(item.would_send, "warn"))
    for number, one in enumerate(item.login["choices"] if item.login else (), 1):
        host = "" if one["is_exact_host"] else t("stored for {site}", site=one["site"])
        line = Text.assemble(
            (f"{number} ", "quiet"), (one["account"], "bold"), f"  {one['title']}  ", (host, "warn")
        )
        rows.add_row(t("as") if number == 1 else "", line)
    if item.sends_to:
        rows.add_row(t("sent to"), Text(item.sends_to, "warn"))
    is_manual = item.kind == "manual"
    rows.add_row(t("wanted" if is_manual else "why"), Text(item.reason))
    if item.expires_at:
        rows.add_row(t("until"), Text(until(item.expires_at, datetime.now(UTC))))
    return rows


def start_plan(start: StartPlan, expires_at: datetime | None) -> Table:
    """The steps of a run that asks before it starts, and what a yes allows it to do alone, numbered."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="key", no_wrap=True)
    rows.add_column(overflow="fold")
    for number, step in enumerate(start.steps, 1):
        rows.add_row(t("plan") if number == 1 else "", Text(f"{number}. {step}"))
    for number, (site, kind, count) in enumerate(start.effects, 1):
        times = f" ×{count}" if count > 1 else ""
        line = Text.assemble((f"{number} ", "quiet"), (t(kind), "warn"), f"{times}  ", (site, "bold"))
        rows.add_row(t("allows") if number == 1 else "", line)
    if not start.effects:
        rows.add_row(t("allows"), Text(t("nothing without asking"), "quiet"))
    if expires_at:
        rows.add_row(t("until"), Text(until(expires_at, datetime.now(UTC))))
    return rows


def intended_act(item: Question) -> Text:
    """The act in words, with the element as the page names it: `Click the button “Place order”`."""
    kind = str(item.action.get("kind") or item.action.get("name") or item.action.get("type") or "act")
    bare = "double_click" if item.action.get("double") else kind.removeprefix("browser_")
    in_manner = VERBS.get(f"{bare}_{item.action.get('manner')}")
    verb = in_manner or VERBS.get(bare, kind.replace("_", " ").capitalize())
    line = Text(t(verb), "bold")
    if item.target:
        line.append(t(" the {role} ", role=t(str(item.target["role"] or "element"))))
        line.append(t("“{text}”", text=item.target["name"]), "bold")
    given = dict(item.action)
    if isinstance(args := item.action.get("args"), Mapping):
        given |= args
    hidden = {
        "kind",
        "name",
        "type",
        "args",
        "reason",
        "double",
        *(("manner",) if in_manner else ()),
        *(("eid", "element", "target") if item.target else ()),
    }
    arguments = describe({key: value for key, value in given.items() if key not in hidden})
    return line.append("  ").append(arguments) if arguments else line


def linked(address: str) -> Style:
    return Style(dim=True, link=address)


def until(when: datetime, now: datetime) -> str:
    left = (when - now).total_seconds()
    clock = when.astimezone().strftime("%H:%M:%S")
    if left <= 0:
        return t("{clock} (expired)", clock=clock)
    return t("{clock} ({time} left)", clock=clock, time=duration(left))


@draw.register
def _(item: Answered) -> RenderableType:
    is_good = item.outcome not in ("no", "replan")
    note = (f": {t('“{text}”', text=item.note)}", "quiet") if item.note else ""
    return indent(
        Text.assemble(("✓ ", "good") if is_good else ("✗ ", "bad"), t(OUTCOMES[item.outcome]), note)
    )


@draw.register
def _(item: Finished) -> RenderableType:
    parts = ["" if item.unmet else t("done"), duration(item.seconds) if item.seconds else "", item.spent]
    said = Text(" · ".join(part for part in parts if part), "quiet")
    return indent(Text.assemble((t("! not done  "), "warn"), said) if item.unmet else said)


@draw.register
def _(item: Failed) -> RenderableType:
    rows = []
    if item.torn:
        rows.append(Text(t("(this part of an answer was not kept)"), "quiet"))
    if item.code == "cancelled":
        rows.append(Text.assemble(("■ ", "warn"), t(item.message)))
    else:
        rows.append(Text.assemble(("✗ ", "bad"), item.message, (f"  {item.code}", "quiet")))
    return indent(Group(*rows))


@draw.register
def _(item: Note) -> RenderableType:
    return indent(Text(item.text, {"info": "quiet", "warning": "warn", "error": "bad"}[item.kind]))


def prose(text: str, site: str = "") -> RenderableType:
    """Markdown with at most `WIDEST` columns; `site` is the address of the server."""
    return Indented(Prose(text, site), WIDEST)


def indent(inner: RenderableType) -> RenderableType:
    return Indented(inner)


class Indented:
    """Indents by two columns; removes surrounding blank lines and trailing padding."""

    def __init__(self, inner: RenderableType, widest: int | None = None) -> None:
        self._inner = inner
        self._widest = widest

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - 2
        lines = console.render_lines(
            self._inner, options.update(width=min(room, self._widest or room)), pad=False
        )
        full = [at for at, line in enumerate(lines) if any(segment.text.strip() for segment in line)]
        for line in lines[full[0] : full[-1] + 1] if full else []:
            yield Segment("  ")
            yield from line
            yield Segment.line()


def typed_fields(fields: Iterable[Mapping[str, object]]) -> str:
    """Each text that is typed, with the name of its field."""
    texts = ((one.get("name"), str(one.get("text", one.get("value", "")))) for one in fields)
    return ", ".join(f"{name}: {quoted(text)}" if name else quoted(text) for name, text in texts)


def quoted(text: str) -> str:
    return t("“{text}”", text=text)


def argument(key: str, value: object) -> str:
    match key:
        case "text":
            return quoted(cut(str(value), 100))
        case "direction":
            return direction(str(value))
        case "amount":
            return t("by {n} pixels", n=value)
    return cut(named(str(value)), 100)


def describe(args: Mapping[str, object]) -> Text:
    """Arguments in one line: those in `BARE` without their name, others with it, the agent's reason last."""
    line = Text()
    for key, value in args.items():
        if value in (None, "", [], {}) or key in NOT_SHOWN:
            continue
        line.append("  " if line else "")
        line.append("" if key in BARE or key == "fields" else f"{key} ", "key")
        if key == "fields" and isinstance(value, list):
            line.append(cut(typed_fields(value), 200))
        else:
            line.append(argument(key, value))
    if args.get("reason"):
        line.append(f"  {cut(str(args['reason']), 100)}", "quiet")
    line.truncate(ARGS_AT_MOST, overflow="ellipsis")
    return line
