"""Decide the demo model's next step. Pure, the same for both agents."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from server.extras.demo.answers import Found, look_up
from server.extras.demo.commands import ERRANDS, READING_COMMANDS, DemoCommand, DemoRequest, read_request
from server.extras.demo.errands import CONFIRMED, next_things, number_of_order
from server.extras.demo.grammar import pattern, regex
from server.extras.demo.page import DEMO_FIELDS, DEMO_LISTS, DemoPage, Thing, numbered
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
    if not request.commands:
        return _without_command(task, request, words, is_first=progress.is_first)
    work = _Decision(request, words, progress, page or DemoPage())
    if progress.failure is not None:
        return work.failed(progress.failure)
    left = request.commands[progress.done :]
    if page is None and not (left and left[0].kind in _NEEDS_NO_PAGE):
        return LookFirst()
    return work.act(left[0], is_seen=page is not None) if left else work.answer()


def _without_command(task: str, request: DemoRequest, words: Words, *, is_first: bool) -> FinalAnswer:
    if _PING.search(task):
        return FinalAnswer("Lighthouse")
    if kind := courtesy(task):
        return FinalAnswer(words.say(kind if is_first or kind != "hello" else "hello again"))
    return _beyond(words) if request.not_understood else FinalAnswer(words.say("help"))


@dataclass(frozen=True)
class _Decision:
    request: DemoRequest
    words: Words
    progress: DemoProgress
    page: DemoPage

    def failed(self, why: str) -> FinalAnswer:
        """The answer to the failure of the command that is next."""
        at, progress = min(self.progress.done, len(self.request.commands) - 1), self.progress
        said = "refused" if progress.is_refused else "failed"
        trouble = self.words.say(said, what=self.words.undone(self.request.commands[at]), why=why)
        is_wished = progress.is_refused and progress.wish
        return self.unmet(at, trouble, self.words.say("wish", text=progress.wish) if is_wished else "")

    def act(self, command: DemoCommand, *, is_seen: bool) -> Next:
        """The step that begins a command. `is_seen`: whether the page was observed since the last one."""
        last, at = self._found(), self.progress.done
        note = last.note if last else ""
        if is_seen and self.page.is_blank and command.kind in _NEEDS_THING | READING_COMMANDS:
            is_beyond = _is_search(command) or command.kind in ERRANDS
            return _beyond(self.words) if is_beyond else self.unmet(at, self.words.say("no page"))
        if command.kind not in _NEEDS_THING or not is_seen:
            return Act(command, note=note)
        if command.kind == "reply" and not command.text:
            return self.unmet(at, self.words.say("what to write"))
        command, found = self._fitting(command)
        if command.kind == "ask":
            return Act(command, note=note)
        if not found:
            return self.unmet(at, self._missing(command))
        if len(found) > 1:
            found = _chosen(found, self.progress.choice) or found
        return Which(self._which(command, found), note) if found[1:] else self._on(command, found[0], note)

    def _on(self, command: DemoCommand, thing: Thing, note: str) -> Next:
        if command.kind in ERRANDS:
            is_field = command.kind == "reply" and thing.role in DEMO_FIELDS
            return Act(
                DemoCommand("type" if is_field else "click", thing.name, command.text * is_field), thing, note
            )
        if thing.role == "file" and command.kind in ("click", "select", "upload"):
            return self._upload(command, thing, note)
        return Act(command, thing, note)

    def _fitting(self, command: DemoCommand) -> tuple[DemoCommand, list[Thing]]:
        """The elements that the command can be done on, and the command as it is done on them."""
        if command.kind in ERRANDS:
            return command, next_things(command, self.page, self.progress.on_way)
        is_option = command.kind == "select" and command.text not in self.progress.files
        found = self.page.find(command.target, self._roles(command), role=command.role, nth=command.nth)
        if _is_search(command) and not any(map(_is_for_search, found)):
            return _as_question(command), []
        if not found and is_option and (found := self.page.find(command.text)):
            command = replace(command, kind="click", target=command.text, text="")
        return command, found

    def _roles(self, command: DemoCommand) -> frozenset[str]:
        is_file = command.kind == "select" and command.text in self.progress.files
        return _ROLES_OF_ACTIONS.get("upload" if is_file else command.kind, frozenset())

    def _missing(self, command: DemoCommand) -> str:
        """That the page has no such element, or not so many of them."""
        roles = self._roles(command)
        if command.nth and (same := self.page.find(command.target, roles, role=command.role)):
            return self.words.say("too few", what=self.words.target(command), n=len(same))
        return self.words.missing(command, self.page)

    def _upload(self, command: DemoCommand, thing: Thing, note: str) -> Next:
        files, wanted, at = self.progress.files, command.text.casefold(), self.progress.done
        named = [name for name in files if name.casefold() == wanted]
        named = named or [name for name in files if name.casefold().startswith(wanted)]
        chosen = named if wanted else files
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
        words, last, parts = self.words, self._found(), list(self.progress.notes)
        if strange := self.request.not_understood:
            missing = words.say("strange", what=strange[0])
            left = [words.say("left", what="; ".join(strange[1:]))] if strange[1:] else []
            shown = last.text if last else words.where(self.page)
            return FinalAnswer("\n\n".join([*parts, shown, missing, *left, words.say("connect")]), missing)
        if any(one.kind == "order" for one in self.request.commands):
            lines = [*(self.progress.reading or "").split("\n"), *self.page.texts]
            if not CONFIRMED.search(" ".join((self.page.title, *lines, *parts))):
                unsure = words.say("not confirmed")
                return FinalAnswer(f"{unsure}\n\n{words.page(self.page)}", unsure)
            parts.insert(0, f"{words.say('order')}. {number_of_order(lines)}".strip())
        parts = self._with_last(parts, last)
        return FinalAnswer("\n\n".join(parts), "" if last is None or last.is_found else last.note)

    def _with_last(self, parts: list[str], last: Found | None) -> list[str]:
        """The parts of the answer with what the last command has found or done."""
        if last and last.is_short and parts:
            return ["\n".join(f"- {note}" for note in (*parts, last.note))]
        if last:
            return [*parts, last.text]
        command = self.request.commands[-1]
        done = f"{self.words.did(command)}."
        if command.kind in ERRANDS:
            return [*(parts or [done]), self.words.where(self.page)]
        return [*parts, done, self.words.page(self.page)]

    def unmet(self, at: int, trouble: str, wish: str = "") -> FinalAnswer:
        """The answer if command number `at` could not be done. `wish`: what is said about the user's own words."""
        last, left = self._found(), self.words.joined(self.request.commands[at + 1 :])
        strange = "; ".join(self.request.not_understood)
        parts = [*self.progress.notes, last.text if last else "", trouble]
        parts += [self.words.say("left", what=left) if left else "", wish]
        parts += [self.words.say("strange", what=strange)] if strange else []
        return FinalAnswer("\n\n".join(filter(None, parts)), trouble)


def _beyond(words: Words) -> FinalAnswer:
    """The answer to a wish that names neither a page nor a command."""
    return FinalAnswer(f"{words.say('beyond')} {words.say('connect')}", words.say("beyond"))


def _is_search(command: DemoCommand) -> bool:
    return command.kind == "type" and command.target == "search" and command.submit


def _is_for_search(thing: Thing) -> bool:
    return thing.role == "searchbox" or bool(_SEARCHES.search(thing.name))


def _as_question(command: DemoCommand) -> DemoCommand:
    """On a page without a search field, a search is a question about its text."""
    return DemoCommand("ask", text=" ".join(asked_words(command.text)) or command.text)


_CLICKING, _SEARCHES = pattern("clicking"), regex("search|поиск|искать|найти")


def is_choice(words: str) -> bool:
    """Whether words of the user can be an answer to the question which element is meant."""
    return bool(ordinal(_CLICKING.sub("", words).strip())[0]) or not read_request(words).commands


def _chosen(things: list[Thing], choice: str) -> list[Thing]:
    """The element that the user chose; none if that is not clear."""
    nth, _ = ordinal(_CLICKING.sub("", choice).strip())
    if nth:
        return numbered(things, nth)
    asked = stems_of(choice)
    fitting = [len(asked & stems_of(f"{thing.role} {thing.name} {thing.place}")) for thing in things]
    best = max(fitting, default=0)
    return [things[fitting.index(best)]] if best and fitting.count(best) == 1 else []
