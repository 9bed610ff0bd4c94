"""When a run has to pause: steps, tokens, money and time, and the same thing tried again and again. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from server.agent.gate.approval import Action, arguments_of, targets_of
from server.agent.operator.acting import describe
from server.agent.operator.phrases import phrase
from server.agent.operator.state import State
from server.browser.observation import Observation

VAIN_TRIES = 2
"""How often one action is taken on the very same page before the model is told to change its plan."""
HOPELESS_TRIES = 4
"""After so many the person is asked how to go on."""
SILENT_SITE = 2
"""Time-outs in a row on one site before the model is told to leave it."""


@dataclass(frozen=True, slots=True)
class OperatorLimits:
    """Budgets of one run beside its steps; `seconds` without the time spent waiting for a person or for a free browser."""

    tokens: int
    seconds: float
    dollars: float | None = None
    """None when money does not matter."""

    def reached(self, state: State, max_steps: int, now: float) -> str | None:
        """Which limit is reached, as a sentence for the person; None when there is room."""
        task = state.get("task", "")
        if state.get("tool_steps", 0) >= max_steps:
            return phrase("steps", task, n=max_steps)
        if state.get("tokens", 0) >= self.tokens:
            return phrase("tokens", task)
        if self.dollars is not None and state.get("cost", 0.0) >= self.dollars:
            return phrase("cost", task)
        if now >= state.get("deadline", now + 1):
            return phrase("time", task)
        return None


def attempt_key(action: Action, observation: Observation) -> str:
    """The same for the same action on a page that looks the same."""
    targets = targets_of(action, observation)
    seen: list[Any] = [
        observation.page.url,
        observation.digest(),
        describe(action, targets),
        arguments_of(action),
    ]
    return hashlib.sha256(json.dumps(seen, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def count_attempt(state: State, action: Action, observation: Observation) -> tuple[dict[str, int], int]:
    """All counts with this attempt in them, and its own."""
    key = attempt_key(action, observation)
    count = state.get("tried", {}).get(key, 0) + 1
    return {**state.get("tried", {}), key: count}, count
