"""The prompt line: completion, history, keys, and the text above and below it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style

from cli.client.open_types import Element
from cli.commands.syntax import Mode
from cli.commands.table import COMMANDS
from cli.text import cut
from cli.words import t

STYLE = Style.from_dict(
    {
        "bottom-toolbar": "noreverse bg:default dim",
        "placeholder": "dim",
        "auto-suggestion": "dim",
        "prompt": "ansicyan bold",
        "prompt.cmd": "ansimagenta bold",
        "completion-menu": "bg:default",
        "completion-menu.completion": "bg:default ansidefault",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "bg:default dim",
        "completion-menu.meta.completion.current": "bg:default dim",
    }
)
REDRAW = 0.05
SECRET = ("/type ", "type ")


class LineCompleter(Completer):
    """Completes command names, their choices, and the eids of the last observation."""

    def __init__(self, mode: Callable[[], Mode], elements: Callable[[], Iterable[Element]]) -> None:
        self._mode = mode
        self._elements = elements

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        line = document.text_before_cursor
        if not line.startswith("/") and self._mode() == "chat":
            return
        name, space, rest = line.removeprefix("/").partition(" ")
        if not space:
            slash = "/" if line.startswith("/") else ""
            yield from self._names(slash, name, len(line))
        elif name in COMMANDS and " " not in rest:
            yield from self._arguments(name, rest)

    def _names(self, slash: str, name: str, length: int) -> Iterable[Completion]:
        for command in COMMANDS.values():
            if command.name.startswith(name):
                text = slash + command.name + (" " if command.params else "")
                yield Completion(text, -length, display=slash + command.name, display_meta=command.help)

    def _arguments(self, name: str, rest: str) -> Iterable[Completion]:
        first = COMMANDS[name].params[:1]
        for param in first:
            for choice in param.choices:
                if choice.startswith(rest):
                    yield Completion(choice, -len(rest))
        if first and first[0].name == "eid":
            for element in self._elements():
                label = f"{element['role']} {cut(element.get('name') or '', 50)}"
                if element["eid"].startswith(rest):
                    yield Completion(element["eid"], -len(rest), display_meta=label)


class LineHistory(FileHistory):
    """History of earlier sessions of the prompt, without `type` commands: they may contain secrets."""

    def store_string(self, string: str) -> None:
        if not string.lstrip().startswith(SECRET):
            super().store_string(string)


def open_history() -> History:
    """The history in the user's state folder, or in memory if that is not writable."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    path = Path(home) / "pilothouse" / "history"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return LineHistory(str(path))


def line_prompt(
    *,
    mode: Callable[[], Mode],
    elements: Callable[[], Iterable[Element]],
    message: Callable[[], AnyFormattedText],
    toolbar: Callable[[], AnyFormattedText],
    placeholder: Callable[[], str],
    input: Input | None = None,
    output: Output | None = None,
) -> PromptSession[str]:
    """The prompt for lines. It is erased from the screen when a line is entered."""
    is_command = Condition(lambda: mode() == "cmd" or session.default_buffer.text.startswith("/"))
    session: PromptSession[str] = PromptSession(
        message,
        bottom_toolbar=toolbar,
        placeholder=lambda: [("class:placeholder", placeholder())],
        completer=LineCompleter(mode, elements),
        complete_while_typing=is_command,
        auto_suggest=AutoSuggestFromHistory(),
        history=open_history(),
        key_bindings=_keys(),
        style=STYLE,
        erase_when_done=True,
        input=input,
        output=output,
    )
    session.app.min_redraw_interval = REDRAW
    return session


def read_ansi(text: str) -> StyleAndTextTuples:
    """Convert ANSI text to fragments, one per run of a style: prompts are evaluated many times per redraw."""
    runs = groupby(to_formatted_text(ANSI(text)), key=lambda fragment: fragment[0])
    return [(style, "".join(fragment[1] for fragment in run)) for style, run in runs]


def plan_prompt(input: Input | None = None, output: Output | None = None) -> PromptSession[str]:
    """The multi-line prompt for a plan, saved with Escape and Enter."""
    keys = t("one step a line · Escape Enter saves · Ctrl-C leaves it as it was")
    return PromptSession(
        [("class:prompt", t("plan ❯ "))],
        multiline=True,
        prompt_continuation="       ",
        bottom_toolbar=keys,
        style=STYLE,
        erase_when_done=True,
        input=input,
        output=output,
    )


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    return keys


async def ask_line(label: str, is_secret: bool) -> str:
    """One line that is in no history; a secret one is masked. Raises KeyboardInterrupt, EOFError."""
    session: PromptSession[str] = PromptSession(history=InMemoryHistory(), erase_when_done=True)
    return await session.prompt_async(label, is_password=is_secret)
