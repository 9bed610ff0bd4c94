"""The demo model's texts, in the languages of `texts/`. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from server.agent.language import language_of
from server.extras.demo.commands import DemoCommand
from server.extras.demo.findings import sentences
from server.extras.demo.page import DEMO_FIELDS, DemoPage, Thing
from server.text import cut
from wording.element_words import role_words

_TEXT_SHOWN = 600
_THINGS_SHOWN = 12
_OPTIONS_SHOWN = 8

_TEXTS: dict[str, dict[str, str]] = {
    file.stem: json.loads(file.read_text("utf-8")) for file in (Path(__file__).parent / "texts").iterdir()
}
"""By language and name. `to X` is a command that can be parsed again, `not X` the same as a part of a sentence about
what was not done, `n X` the name of parts after their number."""
_FEMININE = frozenset({"button", "link", "tab", "checkbox"})
_AIMED = frozenset({"click", "hover", "type", "select", "upload"})
DEMO_CONTROLS = DEMO_FIELDS | {"file", "checkbox", "radio", "switch", "slider", "listbox"}
"""Roles of what a form asks for."""


class Words:
    """The texts in the language of `like`, the user's message."""

    def __init__(self, like: str) -> None:
        self._language = language_of(like)
        self._words = _TEXTS[self._language]

    def say(self, sentence: str, /, **values: object) -> str:
        return self._words[sentence].format(**values)

    def did(self, command: DemoCommand) -> str:
        return self.say(self._kind(command), target=self.target(command), text=self._text(command))

    def _kind(self, command: DemoCommand) -> str:
        is_aimed = command.kind == "upload" and bool(command.target or command.nth)
        return "upload to" if is_aimed else command.kind

    def _text(self, command: DemoCommand) -> str:
        return command.text or (self.say("the file") if command.kind == "upload" else "")

    def to_do(self, command: DemoCommand) -> str:
        """The command in the imperative, so that an edited plan can be parsed as a request."""
        return self.say(
            f"to {self._kind_to_do(command)}", target=self.target(command), text=self._text(command)
        )

    def undone(self, command: DemoCommand) -> str:
        """The command as a part of a sentence about what was not done."""
        name = f"not {self._kind_to_do(command)}"
        return self.say(name, target=self.target(command), text=self._text(command))

    def _kind_to_do(self, command: DemoCommand) -> str:
        is_aimed = command.target if command.kind == "select" else command.kind == "table" and command.text
        return f"{command.kind} in" if is_aimed else self._kind(command)

    def target(self, command: DemoCommand) -> str:
        """What the command is about, as a part of a sentence."""
        kind, name = command.kind, command.target
        if kind in ("list", "count", "scroll"):
            return self.say(name)
        if kind == "add":
            return self.say("named", name=name) if name else self.say("it")
        if kind == "reply":
            return name or self.say("the mail")
        return self._element(command) if kind in _AIMED else name

    def _element(self, command: DemoCommand) -> str:
        name, nth, is_field = command.target, self._nth(command), command.kind in ("type", "select", "upload")
        role = self.say(command.role or ("field" if is_field else "element"))
        if nth:
            said = "by number and name" if name else "by number"
            return self.say(said, nth=nth, name=name, role=role).strip()
        if command.role:
            return self.say("of role" if name else "the only", name=name, role=role)
        return self.say("named", name=name) if name else self.say("focused")

    def _nth(self, command: DemoCommand) -> str:
        nth = command.nth
        if nth <= 0:
            return self.say("last") if nth else ""
        if self._language == "ru":
            return f"{nth}-ю" if command.role in _FEMININE else f"{nth}-е"
        if self._language == "de":
            return f"{nth}."
        ending = "th" if nth % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(nth % 10, "th")
        return f"{nth}{ending}"

    def thing(self, thing: Thing) -> str:
        """An element by its role and name, with the place that distinguishes it from others."""
        role = role_words(thing.role).to(self._language)
        named = self.say("unnamed", role=role)
        named = f"{role} {self.say('named', name=thing.name)}" if thing.name else named
        return f"{named} ({thing.place})" if thing.place else named

    def part(self, part: str) -> str:
        """The word for parts of a page after a number of them."""
        return self.say(f"n {part}")

    def key(self, command: DemoCommand) -> str:
        """What the note of a question's answer contains."""
        if command.kind == "ask":
            return self.say("named", name=command.text)
        if command.kind == "read":
            return self.say("page", title="", url="").partition("*")[0]
        if command.kind == "table":
            return self.say("table of", page="\0", n=0).partition("\0")[0]
        if command.target == "title":
            return self.say("title of", page="").partition(self.say("named", name="")[0])[0]
        return self.part(command.target) if command.kind == "count" else self.say(command.target)

    def where(self, page: DemoPage) -> str:
        return self.say("page" if page.title else "untitled", title=page.title, url=page.url)

    def page(self, page: DemoPage, said: Sequence[str] | None = None) -> str:
        """Title, address, what the page shows of its text or what is said of it, its form, and whether it is drawn."""
        if said is None:
            text = _main_text(page)
            said = [self.say("says"), text] if text else []
        parts = [self.where(page), *said, *self.form(page), *([self.say("drawn")] if page.is_drawn else [])]
        return "\n\n".join(parts) if parts[1:] else f"{parts[0]} {self.say('nothing')}"

    def form(self, page: DemoPage) -> list[str]:
        """A sentence with the fields of the page's form and its buttons; none if it has no field."""
        fields = [thing for thing in page.things if thing.role in DEMO_CONTROLS]
        if not fields:
            return []
        named = ", ".join(self.field(field) for field in fields[:_THINGS_SHOWN])
        said = self.say("form" if len(fields) > 1 else "form of one", n=len(fields), fields=named)
        after = page.things[page.things.index(fields[-1]) + 1 :]
        sends = [self.thing(thing) for thing in after if thing.role == "button" and thing.name]
        return [f"{said} {self.say('sends', buttons=sends[0])}" if sends and len(fields) > 1 else said]

    def field(self, thing: Thing) -> str:
        name = thing.name or self.thing(thing)
        shown = ", ".join(thing.options[:_OPTIONS_SHOWN])
        return f"{name} ({shown})" if shown else name

    def missing(self, command: DemoCommand, page: DemoPage) -> str:
        is_aimed = command.target or command.role
        what = self.target(command) if is_aimed else self.say("named", name=command.text)
        missing = self.say("missing", what=what)
        seen = list(dict.fromkeys(self.thing(thing) for thing in page.things))
        more = [self.say("more", n=len(seen) - _THINGS_SHOWN)] if len(seen) > _THINGS_SHOWN else []
        shown = ", ".join([*seen[:_THINGS_SHOWN], *more])
        return f"{missing} {self.say('see', things=shown)}" if shown else missing

    def joined(self, commands: Sequence[DemoCommand]) -> str:
        return "; ".join(self.undone(command) for command in commands)


def _main_text(page: DemoPage) -> str:
    """The page's text as quoted lines without repeats, whole sentences of about `_TEXT_SHOWN` characters."""
    lines: list[str] = []
    room = _TEXT_SHOWN
    for text in dict.fromkeys(text for text in page.texts if len(text) > 1):
        kept: list[str] = []
        for sentence in sentences(text):
            if room <= 0:
                break
            kept.append(cut(sentence, _TEXT_SHOWN))
            room -= len(sentence)
        if kept:
            lines.append(f"> {' '.join(kept)}")
        if room <= 0:
            lines.append("> …")
            break
    return "\n>\n".join(lines)
