"""Parse plain English, German and Russian commands from a user message. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast, get_args

from server.extras.demo.grammar import GRAMMAR, KEY_WORDS, pattern, regex
from server.extras.demo.questions import courtesy, is_count, ordinal, part_asked
from server.extras.demo.stems import asked_words

PageKind = Literal["open", "back", "click", "type", "press", "select", "scroll", "hover", "wait"]
ReadingKind = Literal["read", "ask", "list", "count", "table"]
ErrandKind = Literal["add", "order", "reply"]
Kind = PageKind | ReadingKind | ErrandKind | Literal["log_in", "upload", "screenshot"]
READING_COMMANDS = frozenset(get_args(ReadingKind))
"""Commands that are answered from the page's text."""
ERRANDS = frozenset(get_args(ErrandKind))
"""Commands that may need several acts."""


@dataclass(frozen=True)
class DemoCommand:
    """One command.

    `target` is an element, an address, a key, a direction or a part of a page; `text` is the text to enter or the
    words to find.
    """

    kind: Kind
    target: str = ""
    text: str = ""
    submit: bool = False
    role: str = ""
    """The role of the element, if the user named it ("the Log in link")."""
    nth: int = 0
    """Which of several elements, from 1; -1 for the last one, 0 if the user did not say."""


@dataclass(frozen=True)
class DemoRequest:
    """A parsed user message: commands, then the first part that was not understood and all after it."""

    commands: tuple[DemoCommand, ...]
    not_understood: tuple[str, ...] = ()


_QUOTED_ARGUMENT = re.compile(
    r"„([^“”]*)[“”]|“([^”]*)”|«([^»]*)»|\"([^\"]*)\"|`([^`]*)`|(?<!\w)'([^']*)'(?!\w)"
)
_COMMAND_PATTERNS = [(kind, regex(pieces)) for kind, *pieces in GRAMMAR["commands"]["rules"]]
_SPLIT, _POLITE_START, _NOISE = pattern("split"), pattern("polite_start"), pattern("noise")
_ONLY_TELL, _ABOUT_ME = pattern("only_tell"), pattern("about_me")
_URL, _PAGE_FILE, _HOST_AND_MORE = pattern("url"), pattern("page_file"), regex("%host%[:/]")
_MAX_TASK_CHARS = 2000
"""Number of characters of a message that are parsed; commands are short."""


def read_request(text: str) -> DemoRequest:
    """Parse the commands of a message, in order, and the parts that were not understood."""
    text = " ".join(re.sub("[\ue000\ue001]", " ", text[:_MAX_TASK_CHARS]).replace("\n", " ; ").split())
    if courtesy(text) or _ABOUT_ME.search(text):
        return DemoRequest(())
    quoted: list[str] = []
    hidden = _QUOTED_ARGUMENT.sub(lambda m: _hide(quoted, next(g for g in m.groups() if g is not None)), text)
    commands: list[DemoCommand] = []
    parts = [part for part in _SPLIT.split(hidden) if not _ONLY_TELL.fullmatch(part.strip())] or [hidden]
    for at, part in enumerate(parts):
        found, rest = _read_part(_without(_POLITE_START, part), quoted)
        commands += found
        if rest:  # what follows may build on it
            strange = (rest, *parts[at + 1 :])
            return DemoRequest(tuple(commands), tuple(_show(one, quoted) for one in strange))
    return DemoRequest(tuple(commands))


def _hide(quoted: list[str], text: str) -> str:
    """Store quoted text and return a one-word placeholder for it while the rest is parsed."""
    quoted.append(text)
    return f"\ue000{len(quoted) - 1}\ue001"


def _show(text: str, quoted: list[str]) -> str:
    return re.sub("\ue000(\\d+)\ue001", lambda m: quoted[int(m[1])], text).strip()


def _without(words: re.Pattern[str], text: str) -> str:
    """The text without such words, however many there are."""
    before = None
    while before != text:
        before, text = text, words.sub("", text).strip()
    return text


def _read_part(part: str, quoted: list[str]) -> tuple[list[DemoCommand], str]:
    for kind, known in _COMMAND_PATTERNS:
        if match := known.fullmatch(part):
            found = {name: _show(value or "", quoted) for name, value in match.groupdict().items()}
            if kind == "read":
                return _reading(_show(part, quoted)), ""
            made = _MAKERS[kind](found) if kind in _MAKERS else [DemoCommand(cast(Kind, kind))]
            return made, _without(_POLITE_START, found["rest"]) if kind == "open" and "rest" in found else ""
    return [], part


def _reading(asked: str) -> list[DemoCommand]:
    address = _URL.search(asked)
    opening = [DemoCommand("open", _address(address["url"]))] if address else []
    return [*opening, _question(asked.replace(address[0], " ") if address else asked)]


def _added(found: Mapping[str, str]) -> DemoCommand:
    return DemoCommand("add", _without(_NOISE, _IT.sub("", found["target"])))


def _aimed(kind: Kind, found: Mapping[str, str]) -> list[DemoCommand]:
    name, role, nth = _element(found.get("target", ""))
    is_named = kind in ("click", "hover")
    return [DemoCommand(kind, name, found.get("text", ""), role=role if is_named else "", nth=nth)]


def _told(kind: Kind, found: Mapping[str, str]) -> list[DemoCommand]:
    return [DemoCommand(kind, found.get("target", ""), found.get("text", ""))]


_IT = regex("^(?:it|this|es|ihn|sie|das|его|е[её]|это)$")
_UPWARDS = regex(r"\b(?:up|top|oben|hoch|anfang|вверх|наверх|начал)")
_MAKERS: dict[str, Callable[[Mapping[str, str]], list[DemoCommand]]] = {
    "open": lambda found: [DemoCommand("open", _address(found["url"]))],
    "search": lambda found: [DemoCommand("type", "search", found["text"], submit=True)],
    "press": lambda found: [DemoCommand("press", KEY_WORDS[found["target"].lower()])],
    "scroll": lambda found: [DemoCommand("scroll", "up" if _UPWARDS.search(found["target"]) else "down")],
    "add": lambda found: [_added(found)],
    "buy": lambda found: [_added(found), DemoCommand("order")],
    "wait": lambda found: [DemoCommand("wait", found["target"].replace(",", ".") or "1")],
    **{kind: partial(_told, kind) for kind in ("reply", "table")},
    **{kind: partial(_aimed, kind) for kind in ("type", "select", "upload", "click", "hover")},
}
"""The commands of each pattern's kind, from what it has found."""


def _question(text: str) -> DemoCommand:
    if part := part_asked(text):
        return DemoCommand("count" if is_count(text) and part != "title" else "list", part)
    words = asked_words(text)
    return DemoCommand("ask", text=" ".join(words)) if words else DemoCommand("read")


def _address(text: str) -> str:
    text = text.rstrip(".,;!?)»”")
    if "://" in text or text.startswith(("about:", "/", ".")):
        return text
    if _PAGE_FILE.fullmatch(text) and not _HOST_AND_MORE.match(text):
        return f"./{text}"
    is_local = re.match(r"(?:[\w-]+\.)*localhost\b|\d+\.\d+\.\d+\.\d+", text)
    return f"http://{text}" if is_local else f"https://{text}"


_ROLES = [
    (
        role,
        regex(rf"(?:the |a |any |den |die |das |ein |eine )?(?:{words})"),
        regex(rf"(?:the |den |die |das )?(?:{words})\s+.*|.*\s(?:{words})"),
    )
    for role, words in GRAMMAR["roles"].items()
]


def _element(text: str) -> tuple[str, str, int]:
    """Name, role and number of the element that is meant; "" and 0 for what is not said."""
    nth, rest = ordinal(re.sub(r"^(?:on|на)\s+", "", text.strip(), flags=re.IGNORECASE))
    for role, alone, named in _ROLES:
        if alone.fullmatch(rest):
            return "", role, nth
        if named.fullmatch(rest):
            return _without(_NOISE, rest), role, nth
    return _without(_NOISE, rest), "", nth
