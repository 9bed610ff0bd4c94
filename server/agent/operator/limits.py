"""When a run must pause: limits of steps, tokens, cost and time, and repeated attempts. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from server.agent.actions import AimedAction
from server.agent.gate.approval import arguments_of
from server.agent.operator.acting import describe
from server.agent.operator.phrases import phrase
from server.agent.operator.state import State
from server.ops.json_types import Json

TRIES_BEFORE_NEW_PLAN = 2
"""Attempts of one action on an unchanged page before the model must change its plan."""
TRIES_BEFORE_ASKING = 4
"""Attempts after which the user is asked how to continue."""
SILENT_SITE = 2
"""Consecutive timeouts on one site before the model is advised to leave it."""


@dataclass(frozen=True, slots=True)
class OperatorLimits:
    """Budgets of one run except steps. `seconds` excludes waiting for the user or a free browser."""

    tokens: int
    seconds: float
    dollars: float | None = None
    """None for no cost limit."""

    def reached(self, state: State, max_steps: int, now: float) -> str | None:
        """The reached limit as a sentence for the user; None if none is reached."""
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


def before_timeout(run_timeout: float) -> float:
    """A run's time budget in seconds: leaves time for the summary before `run_timeout` ends the run."""
    return run_timeout - min(60.0, run_timeout / 10)


def attempt_key(aimed: AimedAction) -> str:
    """Hash that is equal for the same action on a page that looks the same."""
    observation = aimed.observation
    seen: list[Json] = [
        observation.page.url,
        observation.digest(),
        describe(aimed),
        arguments_of(aimed.action),
    ]
    return hashlib.sha256(json.dumps(seen, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def count_attempt(state: State, aimed: AimedAction) -> tuple[dict[str, int], int]:
    """Return all counts including this attempt, and this attempt's own count."""
    key = attempt_key(aimed)
    count = state.get("tried", {}).get(key, 0) + 1
    return {**state.get("tried", {}), key: count}, count
