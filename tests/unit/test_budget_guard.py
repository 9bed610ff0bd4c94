"""The last guard over tokens and money, for agents that do not keep to their budget."""

import pytest

from server.agent_runner import LAST_CALLS, is_beyond


@pytest.mark.parametrize(
    ("total", "call", "budget", "is_over"),
    [
        (100, 1, 100, False),
        (120, 1, 100, False),
        (121, 1, 100, True),
        (100 + LAST_CALLS * 30, 30, 100, False),
        (101 + LAST_CALLS * 30, 30, 100, True),
        (10**9, 1, None, False),
    ],
)
def test_there_is_room_for_the_end_of_a_step_and_the_summary(
    total: float, call: float, budget: float | None, is_over: bool
) -> None:
    assert is_beyond(total, call, budget) is is_over
