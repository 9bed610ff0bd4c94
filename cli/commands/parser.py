"""The parser for a line of the prompt."""

from __future__ import annotations

from difflib import get_close_matches

from cli.commands.answers import SCOPES
from cli.commands.syntax import REFERENCE_CHARS, Call, Command, Message, Mode, Param
from cli.commands.table import COMMANDS
from cli.errors import UsageError
from cli.words import t


def parse(line: str, mode: Mode) -> Message | Call | None:
    """Parse a line; None if it is empty. Raises `UsageError` with the correct usage if it is invalid."""
    if not line.strip():
        return None
    is_command = line.startswith("/")
    if mode == "chat" and not is_command:
        return Message(line.strip())
    name, _, rest = line.strip().removeprefix("/").partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        raise UsageError(_unknown(name, is_command))
    return Call(command, _read_args(command, rest.strip()))


def _unknown(name: str, is_command: bool) -> str:
    near = get_close_matches(name.lower(), COMMANDS, n=1)
    advice = t("Did you mean /{name}?", name=near[0]) if near else t("/help lists the commands.")
    if is_command:
        return t(
            "There is no command /{name}. {advice} To send such words, begin with a space.",
            name=name,
            advice=advice,
        )
    return t("{name} is not a command. {advice} /chat talks to the agent.", name=name, advice=advice)


def _read_args(command: Command, text: str) -> dict[str, str | int]:
    args: dict[str, str | int] = {}
    for param in command.params:
        word, _, rest = (text, "", "") if param.kind == "rest" else text.partition(" ")
        if param.kind == "reference" and (len(word) < REFERENCE_CHARS or word.lower() in SCOPES):
            continue
        text = rest.lstrip()
        if word:
            args[param.name] = _read(command, param, word)
        elif not param.is_optional:
            raise UsageError(t("Write it as {usage}", usage=command.usage))
    if text:
        raise UsageError(t("Write it as {usage}", usage=command.usage))
    return args


def _read(command: Command, param: Param, word: str) -> str | int:
    if param.kind == "number":
        if not word.isdecimal():
            raise UsageError(t("{param} is a whole number: {usage}", param=param.shown, usage=command.usage))
        return int(word)
    if param.choices and word.lower() not in param.choices:
        raise UsageError(t("Write it as {usage}", usage=command.usage))
    return word.lower() if param.choices else word
