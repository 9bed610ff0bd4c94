"""How a run is continued in another process, from its last checkpoint. Pure.

A checkpoint is saved before each step. So it shows which step was next, but not how far that has come: an act that
may have begun is never repeated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from server.agent.actions import StopAction, aim
from server.agent.operator.act import acting
from server.agent.operator.memory import records
from server.agent.operator.memory.state import State
from server.ops.json_types import JsonObject

ACTING = "execute_action"
BEFORE_PLANNING = frozenset({"ingest_user_input", "maybe_observe", "plan_action"})
RESTARTS_AFTER = "ingest_user_input"
"""The node after which the graph looks at the page, then plans."""
UNKNOWN = (
    "another process took over during this step: it may or may not have happened, an approval for it is void. Look at "
    "the page first, and never do it again unless the page shows that it has not happened"
)
NEW_BROWSER = "another process goes on with this run: the browser may have been started anew, what was typed may be lost"


def restart(saved: Mapping[str, Any], next_nodes: Collection[str]) -> JsonObject | None:
    """The change of the saved state with which the graph looks and plans again; None if it only has to go on.

    `next_nodes` are the nodes that were to run next; none if it had ended, and its answer was not stored.
    """
    if next_nodes and BEFORE_PLANNING.issuperset(next_nodes):
        return None
    before = State.read(saved)
    turn = replace(
        before.turn, planned_action=None, batch=None, is_further=False, approval=None, held=(), pending=None,
        spoken="", route="",
    )  # fmt: skip
    page = replace(before.page, reading=None, needs_observe=True, is_pictured=False, focused=None)
    state = records.step(replace(before, turn=turn, page=page), NEW_BROWSER)
    doing = before.turn.planned_action
    if ACTING in next_nodes and doing and not isinstance(doing, StopAction):
        what = records.line(acting.describe(aim(doing, before.observation)), 60)
        state = records.failed(state, f"{what}: {UNKNOWN}")
    return state.to_saved(before, saved)
