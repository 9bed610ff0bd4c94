"""How an answer finds the question that it belongs to."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from server.checkpoints import Checkpoints, MemoryTables
from server.events import Answer
from server.runs.agents import PreparedAgent, RunTaken
from tests.support.walks import build_walk, walk
from tests.unit.test_assistant import new_context


class Answers(TypedDict):
    given: Annotated[list[str], operator.add]


def asking(reference: str) -> Any:
    def ask(state: Answers) -> dict[str, Any]:
        answer = interrupt({"reference": reference})
        return {"given": [f"{reference}: {answer['confirmed']}"]}

    return ask


async def test_of_several_questions_on_one_checkpoint_the_one_that_was_answered_goes_on() -> None:
    """Runs of earlier versions may have left such a checkpoint."""
    checkpoints = Checkpoints(MemoryTables())
    graph = StateGraph(Answers)
    for name in ("a", "b"):
        graph.add_node(name, asking(name))
        graph.add_edge(START, name)
    compiled: Any = graph.compile(checkpointer=checkpoints)
    thread = await checkpoints.open("t", 1, "sync")
    await compiled.ainvoke({"given": []}, thread.config)
    agent = PreparedAgent(compiled, None, thread, 10, new_context(), checkpoints)
    resume = await agent.addressed(Answer(reference="b", confirmed=True))
    result = await compiled.ainvoke(Command(resume=resume), thread.config)
    assert result["given"] == ["b: True"]
    assert [one.value["reference"] for one in result["__interrupt__"]] == ["a"]
    other = Answer(reference="of no open question", confirmed=True)
    assert await agent.addressed(other) == other.model_dump()
    agent.release()


async def test_a_question_that_was_not_kept_because_the_run_was_taken_ends_the_run_as_interrupted() -> None:
    tables = MemoryTables()
    mine, others = Checkpoints(tables), Checkpoints(tables)
    await walk(others, await others.open("t", 2, "sync"))
    thread = await mine.open("t", 1, "async")
    await walk(mine, thread, asks=True)
    agent = PreparedAgent(build_walk(mine), None, thread, 10, new_context(), mine)
    with pytest.raises(RunTaken) as caught:
        await agent.question()
    assert caught.value.code == "interrupted"
    agent.release()
    await mine.aclose()
