"""Plays the model for both agents: the same moves, each in the form that the request asks for."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.task.tasks import Move, Task
from tests.support.model_reply import Asked, Reply, call, fail, say

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Faults:
    """Shares of calls that fail with a 500, and of moves that name an element that does not exist."""

    failing: float = 0.0
    wrong: float = 0.0


class Player:
    """A step for `ModelServer`: makes the next move of the task, counts what it was asked with."""

    def __init__(self, task: Task, count: Count, faults: Faults = Faults(), seed: int = 0) -> None:
        self._faults = faults
        self._chance = random.Random(f"{task.name} {seed}").random
        self.tokens: list[int] = []
        self._task = task
        self._count = count
        self._done = 0

    @property
    def moves_made(self) -> int:
        return self._done

    def __call__(self, asked: Asked) -> Reply:
        if self._chance() < self._faults.failing:
            return fail(500)
        body = {
            name: asked.body.get(name) for name in ("messages", "tools", "system") if asked.body.get(name)
        }
        self.tokens.append(self._count(json.dumps(body, ensure_ascii=False)))
        return self._as_operator(asked) if asked.tools == ["act"] else self._as_stock(asked)

    def _next(self) -> Move | None:
        move = self._task.moves[self._done] if self._done < len(self._task.moves) else None
        self._done += move is not None
        return move

    def _as_operator(self, asked: Asked) -> Reply:
        if self._chance() < self._faults.wrong:
            return call("act", {"reason": "mistaken", "action": "click", "eid": "e999"})
        move = self._next()
        if move is None:
            return call("act", {"reason": "done", "action": "stop", "final_response": self._task.answer})
        first = {"plan": ["Open the page", "Do it", "Answer"], "step": 1} if self._done == 1 else {}
        return call("act", {"reason": move.verb, **first, **_arguments(move, asked.text)})

    def _as_stock(self, asked: Asked) -> Reply:
        """The page must be looked at after each step: no snapshot comes back with an action."""
        has_page = "[ref=" in asked.last_text
        nothing_left = self._done == len(self._task.moves)
        move = None if nothing_left else self._task.moves[self._done]
        if not has_page and self._done and (move is None or move.verb != "open"):
            return call("browser_snapshot", {})
        if move is None:
            return say(self._task.answer)
        self._done += 1
        return call(*_tool_call(move, asked.last_text))


def _arguments(move: Move, prompt: str) -> dict[str, Any]:
    match move.verb:
        case "open":
            return {"action": "navigate", "url": move.texts[0]}
        case "click":
            return {"action": "click", "eid": _eid(move.names[0], prompt)}
        case "choose":
            return {"action": "select", "eid": _eid(move.names[0], prompt), "option": move.texts[0]}
    fields = [
        {"eid": _eid(name, prompt), "text": text} for name, text in zip(move.names, move.texts, strict=True)
    ]
    return {"action": "type", "fields": fields}


def _tool_call(move: Move, page: str) -> tuple[str, dict[str, Any]]:
    match move.verb:
        case "open":
            return "browser_navigate", {"url": move.texts[0]}
        case "click":
            return "browser_click", {"element": move.names[0], "target": _ref(move.names[0], page)}
        case "choose":
            target = {"element": move.names[0], "target": _ref(move.names[0], page)}
            return "browser_select_option", {**target, "values": [move.texts[0]]}
    fields = [
        {"name": name, "element": name, "type": "textbox", "target": _ref(name, page), "value": text}
        for name, text in zip(move.names, move.texts, strict=True)
    ]
    return "browser_fill_form", {"fields": fields}


def _eid(name: str, prompt: str) -> str:
    return re.findall(rf'^\[(e\d+)\] \S+ "{re.escape(name)}"', prompt, re.MULTILINE)[-1]


def _ref(name: str, page: str) -> str:
    return re.findall(rf'"{re.escape(name)}"[^\n]*?\[ref=(\w+)\]', page)[-1]
