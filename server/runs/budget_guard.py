"""Hard limit on tokens and cost. An agent normally summarises and asks the user before it is reached."""

from __future__ import annotations

from server.errors import RunFailed
from server.events import UsageChanged
from server.settings import Settings

LAST_CALLS = 4
"""Model calls allowed after a budget is reached, to finish the step and summarise."""


def check_budget(event: UsageChanged, settings: Settings) -> None:
    """Raises RunFailed `budget` if the run's tokens or cost are clearly beyond the budget."""
    call, total = event.call, event.total
    tokens = call.input_tokens + call.output_tokens
    if is_beyond(total.input_tokens + total.output_tokens, tokens, settings.token_budget):
        raise RunFailed("The token budget of this run is used up.", code="budget")
    if is_beyond(total.cost or 0, call.cost or 0, settings.cost_budget):
        raise RunFailed("The cost budget of this run is used up.", code="budget")


def is_beyond(total: float, call: float, budget: float | None) -> bool:
    """Whether `total` exceeds the budget by more than 20 % and by more than LAST_CALLS times `call`.

    `call` is the usage of the last model call, included in `total`.
    """
    return budget is not None and total - budget > max(0.2 * budget, LAST_CALLS * call)
