"""The words that tasks are written in: what a person would do and look for on a page, for any agent."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tests.support.sites import Site

Verb = Literal[
    "open",
    "click",
    "fill",
    "choose",
    "check",
    "press",
    "hover",
    "scroll",
    "drag",
    "dialog",
    "point",
    "stroke",
    "read",
]
Kind = Literal["any", "field", "button"]
Place = tuple[int, int]
"""A point of the window in CSS pixels, as a person sees it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A control in words. `name` is a regular expression for what it says or is called; `near` are words of its row,
    card or section that distinguish it from others of that name; `kind` is `field` where text is typed."""

    name: str
    near: str = ""
    kind: Kind = "any"


@dataclass(frozen=True, slots=True)
class Act:
    """`texts`: the address, option or key; for `fill` a text for each target; yes or no for `dialog`."""

    verb: Verb
    targets: tuple[Target, ...] = ()
    texts: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    """Where on the picture of the page."""
    list_at: Place | None = None
    """Where on the picture the list is that must be scrolled for the target, when the window does not scroll."""
    list_item: str = ""
    """A regular expression for the names of what is in that list."""
    submit: bool = False

    @property
    def times(self) -> int:
        """As a person counts it: each field that is filled is an act."""
        return len(self.targets) if self.verb == "fill" else 1


@dataclass(frozen=True, slots=True)
class Look:
    """Look for a pattern in what is shown. The result is a list with the first match as `re.findall` gives it, or with
    all of them for `every` and `all`; empty if there is none.

    `how`: `here` takes what is shown now; `scroll` goes down the page; `page` reads what matches `query` when not all
    of the page is shown; `query` reads it in any case; `all` collects from the whole text. With `file`, the text is
    that of a downloaded file.
    """

    pattern: str
    how: Literal["here", "scroll", "page", "query", "all"] = "here"
    query: str = ""
    file: str = ""
    every: bool = False


Wish = Act | list[Act | Look] | Look
"""A list are acts that can be done in one move: all their targets are on the page, none waits for another's result. A
look at its end is at the page that is there then; its result is the list's."""
Script = Generator[Wish, Any, str]
"""Yields wishes, receives the results of looks, returns the answer."""


class Scripted(Protocol):
    """What a player follows."""

    @property
    def name(self) -> str: ...

    @property
    def script(self) -> Callable[[], Script]: ...


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    kind: str
    text: str
    """What the person asks for."""
    page: str
    """Path of the page that it begins with."""
    script: Callable[[], Script]
    expected: str
    """The right answer. The player does not know it."""
    holds: Callable[[Site], bool]
    """Whether the effects on the site are the right ones."""


def click(
    name: str, near: str = "", kind: Kind = "any", list_at: Place | None = None, list_item: str = ""
) -> Act:
    return Act("click", (Target(name, near, kind),), list_at=list_at, list_item=list_item)


def fill(fields: dict[str, str], *, near: str = "", submit: bool = False) -> Act:
    """Type into the fields with these names."""
    return Act(
        "fill", tuple(Target(name, near, "field") for name in fields), tuple(fields.values()), submit=submit
    )


def choose(name: str, option: str) -> Act:
    return Act("choose", (Target(name, kind="field"),), (option,))


def check(name: str, near: str = "") -> Act:
    return Act("check", (Target(name, near),))


def press(key: str) -> Act:
    return Act("press", texts=(key,))


def hover(name: str) -> Act:
    return Act("hover", (Target(name),))


def drag(name: str, to: str, places: tuple[Place, Place]) -> Act:
    """`places` are where both are on the picture, for an agent that does not know them by an id."""
    return Act("drag", (Target(name), Target(to)), places=places)


def answer_dialog(yes: bool) -> Act:
    return Act("dialog", texts=("yes" if yes else "no",))


def point(place: Place) -> Act:
    """Click at a point of the picture."""
    return Act("point", (Target("canvas"),), places=(place,))


def stroke(start: Place, end: Place) -> Act:
    """Draw a line with the mouse."""
    return Act("stroke", (Target("canvas"),), places=(start, end))


TASKS: list[Task] = []
NOT_FOUND = "I could not find it."


def task(
    kind: str, text: str, page: str, expected: str, *effects: tuple[str, dict[str, str]]
) -> Callable[[Callable[[], Script]], Callable[[], Script]]:
    """Adds a task; `effects` are all that the site must have recorded, with fields that must be among theirs."""

    def holds(site: Site) -> bool:
        return len(site.effects) == len(effects) and all(
            done.name == name and fields.items() <= done.fields.items()
            for done, (name, fields) in zip(site.effects, effects, strict=True)
        )

    def add(script: Callable[[], Script]) -> Callable[[], Script]:
        name = script.__name__.replace("_", " ")
        TASKS.append(Task(name, kind, text, page, script, expected, holds))
        return script

    return add


def first(found: list[str]) -> str:
    return found[0] if found else NOT_FOUND
