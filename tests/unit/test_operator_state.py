"""The operator's state: read from what is saved, and saved as the fields that changed."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from server.agent.operator.memory.state import PlanProgress, Saved, State
from tests.support.saved_runs import read_saved

CASES = ["confirm", "manual", "held", "acting", "ended"]


def saved_of(case: str) -> dict[str, object]:
    """The fields that the version before has saved, without the channels of LangGraph's own."""
    values = read_saved(case).checkpoint["channel_values"]
    return {name: value for name, value in values.items() if ":" not in name}


@pytest.mark.parametrize("case", CASES)
def test_each_field_that_the_version_before_has_saved_is_read_and_stays(case: str) -> None:
    saved = saved_of(case)
    assert saved.keys() <= Saved.__annotations__.keys()
    state = State.read(saved)
    again = State.read(saved | state.to_saved(State(), {}))
    assert again == state
    assert state.to_saved(state, saved).keys().isdisjoint(saved)


def test_only_the_fields_that_a_node_changed_are_saved() -> None:
    saved = saved_of("confirm")
    before = State.read(saved)
    work = replace(before.work, steps=(*before.work.steps, "waited"), plan=tuple(before.work.plan))
    after = replace(before, work=work, turn=replace(before.turn, pending=None, approval=None))
    assert after.to_saved(before, Saved.__annotations__) == {
        "steps": [*before.work.steps, "waited"], "pending": None,
    }  # fmt: skip


def test_a_new_run_saves_each_field() -> None:
    assert State().to_saved(State()).keys() == Saved.__annotations__.keys() - {"messages"}


def test_a_page_is_made_from_its_json_once_in_a_process() -> None:
    saved = saved_of("confirm")
    page = State.read(saved).observation
    assert State.read(saved).observation is page
    copied = State.read(copy.deepcopy(saved)).observation
    assert copied is not page
    assert copied == page


def test_a_page_that_a_node_saves_is_the_one_that_the_next_node_reads() -> None:
    before = State.read(saved_of("confirm"))
    page = before.observation.model_copy(update={"notes": ("a new tab",)})
    after = replace(before, page=replace(before.page, last_observation=page))
    assert State.read(after.to_saved(before, Saved.__annotations__)).observation is page


def test_no_progress_is_an_empty_object_in_what_is_saved() -> None:
    made = State()
    before = replace(made, work=replace(made.work, progress=PlanProgress(current=1)))
    assert made.to_saved(before, Saved.__annotations__) == {"progress": {}}
    assert State.read({"progress": {}}).work.progress is None
