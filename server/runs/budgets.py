"""The hard limits of what a run may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server.errors import RunFailed
from server.events import Event, Usage, UsageChanged
from server.settings import Settings
from wording.catalogue import sentence

LAST_CALLS = 4
"""Model calls allowed after a budget is reached, to finish the step and summarise."""


def check_budget(events: Iterable[Event], settings: Settings) -> None:
    """Raises RunFailed `budget` if the run's tokens or cost are clearly beyond the budget.

    A hard limit: an agent normally summarises and asks the user before it is reached.
    """
    for event in events:
        if isinstance(event, UsageChanged):
            call, total = event.call, event.total
            tokens = call.input_tokens + call.output_tokens
            if is_beyond(total.input_tokens + total.output_tokens, tokens, settings.token_budget):
                raise RunFailed(sentence("run.tokens_used_up"), code="budget")
            if is_beyond(total.cost or 0, call.cost or 0, settings.cost_budget):
                raise RunFailed(sentence("run.cost_used_up"), code="budget")


def check_own_budget(usage: Usage, budget: Mapping[str, float] | None) -> None:
    """Raises RunFailed `automation_budget` if a run of an automation has used more than it may."""
    tokens, cost = usage.input_tokens + usage.output_tokens, usage.cost or 0
    limits = budget or {}
    if tokens > limits.get("run_tokens", tokens) or cost > limits.get("run_cost", cost):
        raise RunFailed(sentence("run.automation_budget"), code="automation_budget")


def is_beyond(total: float, call: float, budget: float | None) -> bool:
    """Whether `total` exceeds the budget by more than 20 % and by more than LAST_CALLS times `call`.

    `call` is the usage of the last model call, included in `total`.
    """
    return budget is not None and total - budget > max(0.2 * budget, LAST_CALLS * call)
