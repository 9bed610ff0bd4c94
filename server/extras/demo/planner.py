"""Decide the demo model's next step. Pure, the same for both agents."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from server.extras.demo.answers import Found, look_up
from server.extras.demo.commands import ERRANDS, READING_COMMANDS, DemoCommand, DemoRequest, read_request
from server.extras.demo.errands import CONFIRMED, next_things, number_of_order
from server.extras.demo.page import DEMO_FIELDS, DEMO_LISTS, DemoPage, Thing
from server.extras.demo.questions import courtesy, ordinal
from server.extras.demo.stems import asked_words, stems_of
from server.extras.demo.words import Words


@dataclass(frozen=True)
class DemoProgress:
    """Number of commands done, and what is known from doing them."""

    done: int = 0
    failure: str | None = None
    """Why the last command failed."""
    is_asked: bool = False
    """Whether the last command is a question that is still to be answered."""
    reading: str | None = None
    """The page's text for that question; None if it could not be read."""
    notes: tuple[str, ...] = ()
    """What was found for earlier questions, one line each."""
    choice: str = ""
    """The user's answer to the question which element is meant."""
    files: tuple[str, ...] = ()
    """The names of the user's files: those of the message, else those of the session."""
    is_first: bool = True
    """Whether nothing was answered in this session before."""
    is_refused: bool = False
    """Whether the last command failed because the user refused it."""
    wish: str = ""
    """What the user said with the refusal, if it is no command."""
    on_way: tuple[str, ...] = ()
    """The acts on the way to the end of the next command."""


@dataclass(frozen=True)
class Act:
    """Execute `command`, on `thing` if it needs one. `note`: what the command before it has found."""

    command: DemoCommand
    thing: Thing | None = None
    note: str = ""


@dataclass(frozen=True)
class LookFirst:
    """Observe the page first."""


@dataclass(frozen=True)
class Which:
    """Ask the user which of several elements is meant."""

    question: str
    note: str = ""


@dataclass(frozen=True)
class FinalAnswer:
    text: str
    unmet: str = ""
    """What could not be done, in one sentence; "" if all was done."""


Next = Act | LookFirst | Which | FinalAnswer

_NEEDS_THING = frozenset({"click", "type", "select", "hover", "upload"}) | ERRANDS
_NEEDS_NO_PAGE = frozenset({"open", "back", "press", "wait"})
"""Commands before which the page need not be observed, such as leaving it."""
_ROLES_OF_ACTIONS = {"type": DEMO_FIELDS, "select": DEMO_LISTS, "upload": frozenset({"file"})}
_PING = re.compile(r"\bping\b", re.IGNORECASE)


def plan_next(task: str, progress: DemoProgress, page: DemoPage | None) -> Next:
    """The next step for the user's request. `page` is None if it was not observed since the last command."""
    request, words = read_request(task), Words(task)
    if _PING.search(task) and not request.commands:
        return FinalAnswer("Lighthouse")
    if kind := courtesy(task):
        return FinalAnswer(words.say(kind if progress.is_first or kind != "hello" else "hello again"))
    if not request.commands:
        return _beyond(words) if request.not_understood else FinalAnswer(words.say("help"))
    commands = request.commands
    work = _Decision(request, words, progress, page or DemoPage())
    if progress.failure is not None:
        at = min(progress.done, len(commands) - 1)
        said = "refused" if progress.is_refused else "failed"
        trouble = words.say(said, what=words.undone(commands[at]), why=progress.failure)
        wish = words.say("wish", text=progress.wish) if progress.is_refused and progress.wish else ""
        return work.unmet(at, trouble, wish)
    can_begin = progress.done < len(commands) and commands[progress.done].kind in _NEEDS_NO_PAGE
    if page is None and not can_begin:
        return LookFirst()
    if progress.done >= len(commands):
        return work.answer()
    return work.act(page)


@dataclass(frozen=True)
class _Decision:
    request: DemoRequest
    words: Words
    progress: DemoProgress
    page: DemoPage

    def act(self, page: DemoPage | None) -> Next:
        at = self.progress.done
        command = self.request.commands[at]
        last = self._found()
        note = last.note if last else ""
        if page is not None and page.is_blank and command.kind in _NEEDS_THING | READING_COMMANDS:
            return (
                _beyond(self.words)
                if _is_search(command) or command.kind in ERRANDS
                else self.unmet(at, self.words.say("no page"))
            )
        if command.kind not in _NEEDS_THING or page is None:
            return Act(command, note=note)
        if command.kind in ERRANDS:
            return self._errand(at, command, page, note)
        roles = _ROLES_OF_ACTIONS.get(command.kind, frozenset())
        if command.kind == "select" and command.text in self.progress.files:
            roles = _ROLES_OF_ACTIONS["upload"]
        found = page.find(command.target, roles, role=command.role, nth=command.nth)
        if _is_search(command) and not any(_is_for_search(thing) for thing in found):
            return Act(_as_question(command), note=note)
        if not found and command.kind == "select" and command.text not in self.progress.files:
            found = page.find(command.text)
            command = replace(command, kind="click", target=command.text, text="") if found else command
        if not found:
            same = page.find(command.target, roles, role=command.role) if command.nth else []
            what = self.words.target(command)
            missing = self.words.say("too few", what=what, n=len(same)) if same else ""
            return self.unmet(at, missing or self.words.missing(command, page))
        if len(found) > 1 and len(found := _chosen(found, self.progress.choice) or found) > 1:
            return Which(self._which(command, found), note)
        if found[0].role == "file" and command.kind in ("click", "select", "upload"):
            return self._upload(at, command, found[0], note)
        return Act(command, found[0], note)

    def _errand(self, at: int, command: DemoCommand, page: DemoPage, note: str) -> Next:
        if command.kind == "reply" and not command.text:
            return self.unmet(at, self.words.say("what to write"))
        found = next_things(command, page, self.progress.on_way)
        if not found:
            return self.unmet(at, self.words.missing(command, page))
        if len(found) > 1 and len(found := _chosen(found, self.progress.choice) or found) > 1:
            return Which(self._which(command, found), note)
        is_field = command.kind == "reply" and found[0].role in DEMO_FIELDS
        act = DemoCommand("type" if is_field else "click", found[0].name, command.text if is_field else "")
        return Act(act, found[0], note)

    def _upload(self, at: int, command: DemoCommand, thing: Thing, note: str) -> Next:
        files = self.progress.files
        named = [name for name in files if name.casefold() == command.text.casefold()]
        if command.text and not named:
            named = [name for name in files if name.casefold().startswith(command.text.casefold())]
        chosen = named or (() if command.text else files)
        if not chosen:
            return self.unmet(at, self.words.say("no file", what=self.words.thing(thing)))
        if len(chosen) > 1:
            return self.unmet(at, self.words.say("which file", names=", ".join(chosen)))
        return Act(DemoCommand("upload", command.target, chosen[0]), thing, note)

    def _which(self, command: DemoCommand, found: list[Thing]) -> str:
        things = "\n".join(f"{at}. {self.words.thing(thing)}" for at, thing in enumerate(found, 1))
        what = self.words.target(command)
        return self.words.say("which", n=len(found), what=what, things=things)

    def _found(self) -> Found | None:
        """What the last command has found, if it was a question."""
        done, commands = self.progress.done, self.request.commands
        if not self.progress.is_asked or not 0 < done <= len(commands):
            return None
        command = commands[done - 1]
        if _is_search(command):
            command = _as_question(command)
        if command.kind not in READING_COMMANDS:
            return None
        return look_up(command, self.page, self.progress.reading, self.words)

    def answer(self) -> FinalAnswer:
        """What was found, or what was done last and the page's text."""
        last = self._found()
        parts = list(self.progress.notes)
        if strange := self.request.not_understood:
            missing = self.words.say("strange", what=strange[0])
            left = [self.words.say("left", what="; ".join(strange[1:]))] if strange[1:] else []
            shown = [last.text] if last else [self.words.where(self.page)]
            return FinalAnswer(
                "\n\n".join([*parts, *shown, missing, *left, self.words.say("connect")]), missing
            )
        lines = [*(self.progress.reading or "").split("\n"), *self.page.texts]
        if any(one.kind == "order" for one in self.request.commands):
            if not CONFIRMED.search(" ".join((self.page.title, *lines, *parts))):
                unsure = self.words.say("not confirmed")
                return FinalAnswer("\n\n".join([unsure, self.words.page(self.page)]), unsure)
            parts.insert(0, f"{self.words.say('order')}. {number_of_order(lines)}".strip())
        if last and last.is_short and parts:
            parts = ["\n".join(f"- {note}" for note in (*parts, last.note))]
        elif last:
            parts.append(last.text)
        elif self.request.commands[-1].kind in ERRANDS:
            parts += [f"{self.words.did(self.request.commands[-1])}."] if not parts else []
            parts.append(self.words.where(self.page))
        else:
            done = self.words.did(self.request.commands[-1])
            parts += [f"{done}.", self.words.page(self.page)]
        return FinalAnswer("\n\n".join(parts), "" if last is None or last.is_found else last.note)

    def unmet(self, at: int, trouble: str, wish: str = "") -> FinalAnswer:
        """The answer if command number `at` could not be done. `wish`: what is said about the user's own words."""
        last = self._found()
        parts = [*self.progress.notes, *([last.text] if last else []), trouble]
        if left := self.request.commands[at + 1 :]:
            parts.append(self.words.say("left", what=self.words.joined(left)))
        parts += [wish] if wish else []
        parts += (
            [self.words.say("strange", what="; ".join(strange))]
            if (strange := self.request.not_understood)
            else []
        )
        return FinalAnswer("\n\n".join(parts), trouble)


def _beyond(words: Words) -> FinalAnswer:
    """The answer to a wish that names neither a page nor a command."""
    return FinalAnswer(f"{words.say('beyond')} {words.say('connect')}", words.say("beyond"))


def _is_search(command: DemoCommand) -> bool:
    return command.kind == "type" and command.target == "search" and command.submit


def _is_for_search(thing: Thing) -> bool:
    return thing.role == "searchbox" or bool(
        re.search("search|поиск|искать|найти", thing.name, re.IGNORECASE)
    )


def _as_question(command: DemoCommand) -> DemoCommand:
    """On a page without a search field, a search is a question about its text."""
    return DemoCommand("ask", text=" ".join(asked_words(command.text)) or command.text)


_CLICKING = re.compile(
    r"^\s*(?:click|choose|take|the one|нажми(?:те)?|выбери(?:те)?|та|тот)\b(?:\s+(?:on|на|in|в)\b)?",
    re.IGNORECASE,
)


def is_choice(words: str) -> bool:
    """Whether words of the user can be an answer to the question which element is meant."""
    return bool(ordinal(_CLICKING.sub("", words).strip())[0]) or not read_request(words).commands


def _chosen(things: list[Thing], choice: str) -> list[Thing]:
    """The element that the user chose; none if that is not clear."""
    nth, _ = ordinal(_CLICKING.sub("", choice).strip())
    if nth:
        return things[nth - 1 : nth] if nth > 0 else things[-1:]
    asked = stems_of(choice)
    fitting = [len(asked & stems_of(f"{thing.role} {thing.name} {thing.place}")) for thing in things]
    best = max(fitting, default=0)
    return [things[fitting.index(best)]] if best and fitting.count(best) == 1 else []
