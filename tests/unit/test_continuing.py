"""What of a former execution is dropped when another process continues its run."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.actions import ClickAction, StopAction
from server.agent.operator.continuing import restart
from server.agent.operator.memory.batch import Batch, PlannedAct
from server.browser.observation import observe_snapshot
from tests.unit.test_held_acts_of_agents import ORDER

PAGE = observe_snapshot(
    '- button "Place order" [ref=e2] [box=40,40,100,20]', url="https://shop.example/checkout"
)


BATCH = Batch(
    url=PAGE.page.url, document="", overlays=(), acts=(PlannedAct(action={"kind": "back"}, targets=()),)
)
APPROVAL = {"reference": "a", "digest": "x", "expires_at": "2026-11-28T10:00:00Z"}


def state(action: Any) -> dict[str, Any]:
    return {
        "planned_action": action.to_json(), "last_observation": PAGE.model_dump(mode="json"), "approval": APPROVAL, "held": [ORDER.model_dump()],
        "batch": BATCH.to_json(), "steps": ["opened the shop"], "failures": [], "spoken": "I will",
    }  # fmt: skip


CLICK = ClickAction(eid="e1")


@pytest.mark.parametrize("node", ["ingest_user_input", "maybe_observe", "plan_action"])
def test_before_an_act_is_planned_the_graph_only_goes_on(node: str) -> None:
    assert restart(state(CLICK), [node]) is None


def test_an_act_that_may_have_begun_is_dropped_with_its_approval_and_reported() -> None:
    update = restart(state(CLICK), ["execute_action"])
    assert update is not None
    assert (update["planned_action"], update["approval"], update["batch"]) == (None, None, None)
    assert update["spoken"] == ""
    assert update["needs_observe"]
    assert update["held"] == []  # a yes to it is void, too
    assert "Place order" in update["steps"][-1]
    assert "may or may not have happened" in update["steps"][-1]
    assert "may or may not have happened" in update["failures"][-1]
    assert update["steps"][0] == "opened the shop"


@pytest.mark.parametrize("node", ["validate_action", "policy_gate", "maybe_stop_or_continue"])
def test_an_act_that_has_not_begun_is_planned_again_and_is_no_failure(node: str) -> None:
    update = restart(state(CLICK), [node])
    assert update is not None
    assert update["planned_action"] is None
    assert "failures" not in update


def test_an_answer_is_no_act() -> None:
    update = restart(state(StopAction(final_response="Done.")), ["execute_action"])
    assert update is not None
    assert "failures" not in update
