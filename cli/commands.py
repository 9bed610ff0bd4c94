"""The commands of the prompt, and the parser for a line."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from cli.answers import SCOPES
from cli.automations import SETTINGS
from cli.errors import Misused
from cli.json_types import JsonObject
from cli.words import say

Mode = Literal["chat", "cmd"]
"""`chat`: text goes to the agent. `cmd`: text is a command, the slash is optional."""
DIRECTIONS = ("down", "up", "left", "right")


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a command. `rest` takes the remainder of the line; a `reference` has REFERENCE_CHARS or more."""

    name: str
    kind: Literal["word", "number", "reference", "rest"] = "word"
    is_optional: bool = False
    choices: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        name = "|".join(self.choices) or self.name.upper()
        return f"[{name}]" if self.is_optional else name


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    help: str
    params: tuple[Param, ...] = ()
    by_hand: bool = False
    """True if it uses the browser without the agent. Such a command switches to cmd mode."""

    @property
    def usage(self) -> str:
        return " ".join([f"/{self.name}", *(param.shown for param in self.params)])


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text for the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A command with its arguments by name; omitted ones are absent."""

    command: Command
    args: JsonObject = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.command.name


_WORDS = (Param("words", "rest", is_optional=True),)
_GRANT = Param("grant", "rest", is_optional=True)
_REFERENCE = Param("ref", "reference", is_optional=True)
REFERENCE_CHARS = 8
"""Characters of a question's reference that are shown, from its end."""
_EID = Param("eid")

COMMANDS = {
    command.name: command
    for command in (
        Command("chat", "chat mode: what you write goes to the agent"),
        Command("exit", "leave chat mode; in cmd mode, leave"),
        Command(
            "yes",
            "do what is asked for; GRANT allows such things on this site: run|session|automation|always, then "
            "x3 (how often), until 2026-12-31, max 50, month 200 (amounts); REF: a question of /inbox",
            (_REFERENCE, _GRANT),
        ),
        Command(
            "no",
            "refuse; words tell the agent what to do instead; they may begin with a REF of /inbox",
            _WORDS,
        ),
        Command(
            "later",
            "not now: ask again at TIME (18:00, the next one) or in 90m or 3h; REF: a question of /inbox",
            (_REFERENCE, Param("time")),
        ),
        Command("done", "you have done what the agent could not", _WORDS),
        Command("inbox", "the open questions of all sessions, the next to expire first"),
        Command(
            "schedule",
            "make a task an automation: daily|weekdays|mon,thu|monthly 15|hours 6, a time, then the task",
            (Param("text", "rest"),),
        ),
        Command("automations", "your automations, when they are due, and their last outcome"),
        Command(
            "automation",
            "run, pause, resume or delete the automation ID of /automations, or list its log; ask-first lets it ask before "
            "it starts (begin-alone ends that), only-changes lets it report only changes (each-run ends that), one-model lets "
            "it never use the second model (two-models ends that)",
            (Param("what", choices=("run", "pause", "resume", "delete", "log", *SETTINGS)), Param("id")),
        ),
        Command("grants", "what is allowed without asking, with what was used of it"),
        Command("revoke", "take back the grant ID of /grants", (Param("id"),)),
        Command(
            "handoff",
            "a link that gives this session's browser to another device for MINUTES (15); 0 ends it",
            (Param("minutes", "number", is_optional=True),),
        ),
        Command(
            "ask-first",
            "each run of this session shows its plan and asks before it starts; off ends that",
            (Param("what", is_optional=True, choices=("on", "off")),),
        ),
        Command("stop", "end the run"),
        Command("pause", "hold the run before its next step"),
        Command("resume", "go on"),
        Command(
            "plan",
            "show the plan; edit changes it, accept and dismiss answer the agent's proposal of another one",
            (Param("what", is_optional=True, choices=("edit", "accept", "dismiss")),),
        ),
        Command(
            "table",
            "show the newest table; with columns (name, price:number) your next message asks for one",
            (Param("columns", "rest", is_optional=True),),
        ),
        Command("save", "save the newest table as .csv, .xlsx or .json", (Param("file", "rest"),)),
        Command("state", "goal, plan, facts and usage"),
        Command("sessions", "your newest sessions"),
        Command("launch", "open an address in the session's browser", (Param("url"),), by_hand=True),
        Command("observe", "see the page and its elements", by_hand=True),
        Command("click", "click an element of the last observation", (_EID,), by_hand=True),
        Command("type", "type into an element", (_EID, Param("text", "rest")), by_hand=True),
        Command(
            "scroll",
            "scroll the page, AMOUNT in pixels",
            (
                Param("direction", is_optional=True, choices=DIRECTIONS),
                Param("amount", "number", is_optional=True),
            ),
            by_hand=True,
        ),
        Command(
            "wait",
            "let the page go on for MS milliseconds",
            (Param("ms", "number", is_optional=True),),
            by_hand=True,
        ),
        Command("screenshot", "picture the page", by_hand=True),
        Command("help", "this list"),
    )
}


def parse(line: str, mode: Mode) -> Words | Call | None:
    """Parse a line; None if it is empty. Raises `Misused` with the correct usage if it is invalid."""
    if not line.strip():
        return None
    is_command = line.startswith("/")
    if mode == "chat" and not is_command:
        return Words(line.strip())
    name, _, rest = line.strip().removeprefix("/").partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        raise Misused(_unknown(name, is_command))
    return Call(command, _read_args(command, rest.strip()))


def _unknown(name: str, is_command: bool) -> str:
    near = get_close_matches(name.lower(), COMMANDS, n=1)
    advice = say("Did you mean /{name}?", name=near[0]) if near else say("/help lists the commands.")
    if is_command:
        return say(
            "There is no command /{name}. {advice} To send such words, begin with a space.",
            name=name,
            advice=advice,
        )
    return say("{name} is not a command. {advice} /chat talks to the agent.", name=name, advice=advice)


def _read_args(command: Command, text: str) -> JsonObject:
    args: JsonObject = {}
    for param in command.params:
        word, _, rest = (text, "", "") if param.kind == "rest" else text.partition(" ")
        if param.kind == "reference" and (len(word) < REFERENCE_CHARS or word.lower() in SCOPES):
            continue
        text = rest.lstrip()
        if word:
            args[param.name] = _read(command, param, word)
        elif not param.is_optional:
            raise Misused(say("Write it as {usage}", usage=command.usage))
    if text:
        raise Misused(say("Write it as {usage}", usage=command.usage))
    return args


def _read(command: Command, param: Param, word: str) -> str | int:
    if param.kind == "number":
        if not word.isdecimal():
            raise Misused(say("{param} is a whole number: {usage}", param=param.shown, usage=command.usage))
        return int(word)
    if param.choices and word.lower() not in param.choices:
        raise Misused(say("Write it as {usage}", usage=command.usage))
    return word.lower() if param.choices else word
