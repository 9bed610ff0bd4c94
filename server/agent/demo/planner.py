"""Decide the demo model's next step. Pure, the same for both agents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from server.agent.demo.commands import DemoCommand, DemoRequest, read_request
from server.agent.demo.page import FIELDS, LISTS, DemoPage, Thing
from server.agent.demo.words import Words


@dataclass(frozen=True)
class DemoProgress:
    """Number of actions done, and why the last one failed."""

    done: int = 0
    failure: str | None = None


@dataclass(frozen=True)
class Act:
    """Execute `command`, on `thing` if it needs one."""

    command: DemoCommand
    thing: Thing | None = None


@dataclass(frozen=True)
class LookFirst:
    """Observe the page first."""


@dataclass(frozen=True)
class FinalAnswer:
    text: str


Next = Act | LookFirst | FinalAnswer

_NEEDS_THING = frozenset({"click", "type", "select", "hover"})
_NEEDS_NO_PAGE = frozenset({"open", "back", "press", "wait"})
"""Actions before which the page need not be observed, such as leaving it."""
_ROLES = {"type": FIELDS, "select": LISTS}
_PING = re.compile(r"\bping\b", re.IGNORECASE)


def plan_next(task: str, progress: DemoProgress, page: DemoPage | None) -> Next:
    """The next step for the user's request. `page` is None if it was not observed since the last action."""
    request, words = read_request(task), Words(task)
    if _PING.search(task) and not request.actions:
        return FinalAnswer("Lighthouse")
    if not request.commands:
        return FinalAnswer(words.say("help"))
    actions = request.actions
    if progress.failure is not None and actions:
        at = min(progress.done, len(actions) - 1)
        why = words.say("failed", what=words.did(actions[at]), why=progress.failure)
        return FinalAnswer(_answer(words, request, at, page, trouble=why))
    can_begin = progress.done < len(actions) and actions[progress.done].kind in _NEEDS_NO_PAGE
    if page is None and not can_begin:
        return LookFirst()
    if progress.done >= len(actions):
        return FinalAnswer(_answer(words, request, len(actions), page))
    return _act(words, request, progress.done, page)


def _act(words: Words, request: DemoRequest, at: int, page: DemoPage | None) -> Next:
    command = request.actions[at]
    if command.kind not in _NEEDS_THING or page is None:
        return Act(command)
    thing = page.find(command.target, _ROLES.get(command.kind, frozenset()))
    if thing is None and command.kind == "select":
        thing = page.find(command.text)
        command = DemoCommand("click", command.text) if thing else command
    if thing is None:
        trouble = words.missing(command.target or command.text, page)
        return FinalAnswer(_answer(words, request, at, page, trouble=trouble))
    return Act(command, thing)


def _answer(words: Words, request: DemoRequest, done: int, page: DemoPage | None, trouble: str = "") -> str:
    """The answer: what was done, what was not, and the page's text."""
    actions = request.actions
    parts = ["\n".join(f"- {words.did(command)}" for command in actions[:done])] if done else []
    if trouble:
        parts.append(trouble)
    if len(actions) > done + 1 and trouble:
        parts.append(words.say("left", what=words.joined(actions[done + 1 :])))
    if request.not_understood:
        parts.append(words.say("strange", what="; ".join(request.not_understood)))
    if page is not None and (not trouble or request.commands[-1].kind == "read"):
        parts.append(words.page(page))
    return "\n\n".join([*parts, words.say("footer")])
