"""What a command is, and what a line of the prompt becomes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from cli.conversation import Conversation

Mode = Literal["chat", "cmd"]
"""`chat`: text goes to the agent. `cmd`: text is a command, the slash is optional."""
REFERENCE_CHARS = 8
"""Characters of a question's reference that are shown, from its end."""


class Answer(TypedDict, total=False):
    """What a caller needs of the server's answer to an entry."""

    run_id: str
    """The run that a message started or reached."""
    session_id: str
    """The other session whose question was answered."""
    link: str


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
class Message:
    """A line of text for the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A command with its arguments by name; omitted ones are absent."""

    command: Command
    args: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.command.name

    def text(self, param: str) -> str:
        """The argument as text, "" if it was omitted."""
        return str(self.args.get(param, ""))


Handler = Callable[["Conversation", Call], Awaitable[Answer | None]]


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    help: str
    handler: Handler | None
    """None if the prompt itself handles it."""
    params: tuple[Param, ...] = ()
    by_hand: bool = False
    """True if it uses the browser without the agent. Such a command switches to cmd mode."""
    asks: bool = False
    """True if it may ask the person for lines of its own, such as a password."""

    @property
    def usage(self) -> str:
        return " ".join([f"/{self.name}", *(param.shown for param in self.params)])
