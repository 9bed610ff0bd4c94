"""A graph of three steps that asks before the third if `asks` is set."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from server.checkpoints import Checkpoints, OpenThread


class Walk(TypedDict, total=False):
    steps: Annotated[list[str], operator.add]
    asks: bool


def first(state: Walk) -> Walk:
    return {"steps": ["a"]}


def second(state: Walk) -> Walk:
    return {"steps": ["b"]}


def third(state: Walk) -> Walk:
    answer = interrupt({"kind": "confirm"}) if state.get("asks") else "c"
    return {"steps": [answer]}


def build_walk(saver: Checkpoints) -> Any:
    graph = StateGraph(Walk)
    graph.add_sequence([first, second, third])
    graph.add_edge(START, "first")
    graph.add_edge("third", END)
    return graph.compile(checkpointer=saver)


async def walk(saver: Checkpoints, thread: OpenThread, *, asks: bool = False) -> list[str]:
    """The steps so far; the thread stays open."""
    state = await build_walk(saver).ainvoke(
        {"steps": [], "asks": asks}, thread.config, durability=thread.durability
    )
    return list(state["steps"])


async def answer(saver: Checkpoints, thread: OpenThread, word: str) -> list[str]:
    state = await build_walk(saver).ainvoke(Command(resume=word), thread.config, durability=thread.durability)
    return list(state["steps"])


async def stored(saver: Checkpoints, thread_id: str) -> tuple[list[str], int]:
    """The steps that another saver reads, and how many questions are open."""
    state = await build_walk(saver).aget_state({"configurable": {"thread_id": thread_id}})
    return list(state.values.get("steps", [])), len(state.interrupts)


def build_pair(saver: Checkpoints) -> Any:
    """Two nested graphs side by side; each does a step, then asks."""
    graph = StateGraph(Walk)
    for name in ("left", "right"):
        graph.add_node(name, _build_asking(name))
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return graph.compile(checkpointer=saver)


def _build_asking(name: str) -> Any:
    def begin(state: Walk) -> Walk:
        return {"steps": [f"{name} begun"]}

    def ask(state: Walk) -> Walk:
        return {"steps": [interrupt(f"{name}?")]}

    graph = StateGraph(Walk)
    graph.add_sequence([begin, ask])
    graph.add_edge(START, "begin")
    graph.add_edge("ask", END)
    return graph.compile()
