"""The live display: a few lines above the prompt and the bar below it, redrawn continuously."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.text import Text

from cli.screen.items import Question
from cli.screen.render import THEME, describe, indent, prose
from cli.screen.view import OpenTool, View
from cli.text import cut, duration, spent
from cli.words import t, tool_name

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SPEED = 8
WORDS = {"queued": "waiting for its turn", "waiting_user": "waiting for you"}


def draw_live(view: View, now: float, width: int, rows: int, call: OpenTool | None = None) -> str:
    """Render the end of the current answer, the activity and the plan's step, as text with ANSI codes.

    At most `rows` lines. `now` is the time of the view's clock, `call` the user's running command.
    """
    below = _lines(Group(*_activity(view, now, width, call)), width)
    room = max(rows - len(below) - 1, 1)
    spoken = _spoken(last_lines(view.speech.tail, room), width, view.site)[-room:]
    gap = [""] if spoken and below else []
    return "\n".join(spoken + gap + below)


def last_lines(tail: str, rows: int) -> str:
    """The visible end of a long code block: highlighting all of it for each token would be too slow."""
    fence, *code = tail.split("\n")
    if not fence.startswith(("```", "~~~")) or len(code) <= rows:
        return tail
    return "\n".join([fence, *code[-rows:]])


@lru_cache(maxsize=1)
def _spoken(tail: str, width: int, site: str) -> list[str]:
    """Cached, since the spinner is redrawn more often than text arrives."""
    return _lines(prose(tail, site), width)


def _activity(view: View, now: float, width: int, call: OpenTool | None) -> list[RenderableType]:
    lines = []
    if call:
        lines.append(_tool(call, now, width))
    if view.is_lost:
        ending = t(" The run goes on without us.") if view.is_busy else ""
        lines.append(Text(t("⚠ The connection is lost; trying again.{ending}", ending=ending), "warn"))
    if view.pending:
        lines.append(_waiting(view.pending))
    elif view.is_busy:
        lines.append(_working(view, now, width))
    steps = view.plan.steps
    if view.is_busy and view.plan.current < len(steps):
        place = f"{view.plan.current + 1}/{len(steps)} "
        lines.append(
            Text.assemble(("▸ ", "you"), (place, "quiet"), cut(steps[view.plan.current], width - 12))
        )
    return [indent(line) for line in lines]


def _waiting(asked: Question) -> Text:
    manual = "words" if asked.wants == "answer" else "/done or words"
    is_manual = asked.kind == "manual"
    answers = t(manual if is_manual else "/yes · /no [words]")
    left = ""
    if asked.expires_at:
        seconds = max((asked.expires_at - datetime.now(UTC)).total_seconds(), 0)
        left = t(" · {time} left", time=duration(seconds))
    return Text.assemble((t("? Waiting for you: "), "warn"), (answers, "bold"), (left, "quiet"))


def _working(view: View, now: float, width: int) -> Text:
    if view.status == "paused":
        return Text.assemble((t("‖ Paused: "), "warn"), ("/resume", "bold"), t(" goes on"))
    if tool := view.current_tool:
        return _tool(tool, now, width)
    line = _wheel(now)
    if view.speech.thinking:
        thought = view.speech.thinking.strip().split("\n")[-1]
        line.append(t("thinking  ")).append(cut(thought, max(width - 30, 10)), "quiet italic")
    else:
        line.append(view.note or t(WORDS.get(view.status, "working")))
    return _with_time(line, now - view.since if view.since else 0, width)


def _tool(tool: OpenTool, now: float, width: int) -> Text:
    line = _wheel(now).append_text(Text.assemble((tool_name(tool.name), "tool"), "  ", describe(tool.args)))
    return _with_time(line, now - tool.since, width)


def _wheel(now: float) -> Text:
    return Text.assemble((SPINNER[int(now * SPEED) % len(SPINNER)], "you"), " ")


def _with_time(line: Text, seconds: float, width: int) -> Text:
    line.truncate(max(width - 14, 10), overflow="ellipsis")
    return line.append(f"  {duration(seconds)}", "quiet") if seconds >= 0.5 else line


def bar(view: View, mode: str, host: str) -> list[str]:
    """The parts of the bar below the prompt: mode, session, status, step, usage, server."""
    status = t("offline" if view.is_lost else WORDS.get(view.status, view.status))
    parts = [mode, cut(view.title or t("new session"), 40), status]
    if view.is_busy and view.step:
        parts.append(t("action {n}/{of}", n=view.step, of=view.max_steps))
    return [part for part in (*parts, spent(view.usage), host) if part]


def _lines(renderable: RenderableType, width: int) -> list[str]:
    console = Console(
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        width=width,
        theme=THEME,
        legacy_windows=False,
    )
    with console.capture() as captured:
        console.print(renderable)
    return captured.get().strip("\n").split("\n") if captured.get().strip() else []
