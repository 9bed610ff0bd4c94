"""What waits to be saved of a thread: when it is saved, and what becomes of it when that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command

from server.checkpoints import Checkpoints, Durability, MemoryTables, Put, Writes
from server.errors import Conflict, Unavailable
from tests.support.eventually import eventually
from tests.support.walks import answer, build_pair, stored, walk


class Tables(MemoryTables):
    """Counts what is saved, and is unavailable as often as `faults` says."""

    def __init__(self) -> None:
        super().__init__()
        self.saves = 0
        self.faults = 0

    async def save(
        self,
        thread_id: str,
        epoch: int | None,
        puts: Sequence[Put],
        writes: Sequence[Writes],
        serde: SerializerProtocol,
    ) -> None:
        if self.faults:
            self.faults -= 1
            raise Unavailable("away")
        self.saves += 1
        await super().save(thread_id, epoch, puts, writes, serde)


async def test_the_steps_of_a_moment_are_saved_together() -> None:
    tables = Tables()
    saver = Checkpoints(tables)
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread)
    assert tables.saves == 0
    await eventually(lambda: tables.saves, message="the checkpoints are saved")
    assert await stored(Checkpoints(tables), "t") == (["a", "b", "c"], 0)
    assert tables.saves == 1


async def test_in_sync_nothing_is_done_before_the_step_before_it_is_saved() -> None:
    tables = Tables()
    saver = Checkpoints(tables)
    await walk(saver, await saver.open("t", 1, "sync"))
    assert tables.saves >= 4


async def test_what_could_not_be_saved_is_saved_later() -> None:
    tables = Tables()
    saver = Checkpoints(tables)
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread, asks=True)
    tables.faults = 1
    await thread.settle()
    assert tables.saves == 1
    assert await stored(Checkpoints(tables), "t") == (["a", "b"], 1)


async def test_a_run_that_was_given_up_saves_nothing_and_closes_nothing() -> None:
    tables = Tables()
    saver = Checkpoints(tables)
    stale = await saver.open("t", 1, "async")
    await walk(saver, stale)
    newer = await saver.open("t", 2, "async")
    await stale.settle()
    saver.release(stale)
    await walk(saver, stale)
    assert await walk(saver, newer, asks=True) == ["a", "b"]
    await newer.settle()
    assert newer.is_asking
    assert await answer(saver, newer, "yes") == ["a", "b", "yes"]
    saver.release(newer)
    await saver.aclose()
    assert await stored(Checkpoints(tables), "t") == (["a", "b", "yes"], 0)


async def test_the_next_run_waits_for_what_the_last_one_left_to_be_saved() -> None:
    tables = Tables()
    saver = Checkpoints(tables)
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread)
    saver.release(thread)
    following = await saver.open("t", 2, "async")
    assert await walk(saver, following) == ["a", "b", "c", "a", "b", "c"]


@dataclass
class Trap:
    """Records the names of the objects that are made."""

    made: ClassVar[list[str]] = []
    name: str

    def __post_init__(self) -> None:
        self.made.append(self.name)


def test_a_row_that_somebody_changed_makes_no_objects_but_values_and_messages() -> None:
    row = JsonPlusSerializer().dumps_typed({"step": Trap("written"), "said": HumanMessage("hello")})
    loaded = Checkpoints(MemoryTables()).serde.loads_typed(row)
    assert loaded["said"] == HumanMessage("hello")
    assert Trap.made == ["written"]


async def test_a_change_made_of_an_older_state_is_refused_in_memory_too() -> None:
    saver = Checkpoints(MemoryTables())
    thread = await saver.open("t", 1, "sync")
    await walk(saver, thread)
    read = await saver.aget_tuple({"configurable": {"thread_id": "t"}})
    assert read
    await walk(saver, thread)
    with pytest.raises(Conflict):
        await saver.aput(read.config, read.checkpoint, read.metadata, {})
    with pytest.raises(Conflict):
        await saver.aput_writes(read.config, [("steps", ["late"])], "task")
    assert await stored(saver, "t") == (["a", "b", "c"] * 2, 0)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_graphs_nested_side_by_side_keep_both_questions(durability: Durability) -> None:
    tables = MemoryTables()
    saver = Checkpoints(tables)
    thread = await saver.open("t", 1, durability)
    pair = build_pair(saver)
    await pair.ainvoke({"steps": []}, thread.config, durability=durability)
    saver.release(thread)
    later = Checkpoints(tables)  # as in another process
    await saver.aclose()
    graph = build_pair(later)
    asked = (await graph.aget_state({"configurable": {"thread_id": "t"}})).interrupts
    assert sorted(one.value for one in asked) == ["left?", "right?"]
    again = await later.open("t", 2, durability)
    given: Command[str] = Command(resume={one.id: f"{one.value[:-1]}!" for one in asked})
    ended = await graph.ainvoke(given, again.config, durability=durability)
    assert sorted(ended["steps"]) == ["left begun", "left!", "right begun", "right!"]
    assert not again.is_asking
