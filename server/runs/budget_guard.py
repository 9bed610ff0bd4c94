"""The last guard over tokens and money; an agent sums up and asks before it comes to this."""

from __future__ import annotations

from server.errors import RunFailed
from server.events import UsageChanged
from server.settings import Settings

LAST_CALLS = 4
"""So many calls of the model may end a step and sum up when a budget is reached."""


def check_budget(event: UsageChanged, settings: Settings) -> None:
    """Raises RunFailed `budget`."""
    call, total = event.call, event.total
    tokens = call.input_tokens + call.output_tokens
    if is_beyond(total.input_tokens + total.output_tokens, tokens, settings.token_budget):
        raise RunFailed("The token budget of this run is used up.", code="budget")
    if is_beyond(total.cost or 0, call.cost or 0, settings.cost_budget):
        raise RunFailed("The cost budget of this run is used up.", code="budget")


def is_beyond(total: float, call: float, budget: float | None) -> bool:
    """Is so much more used than the budget that the agent does not keep to it? `call` is the newest part of `total`."""
    return budget is not None and total - budget > max(0.2 * budget, LAST_CALLS * call)
