"""The assistant's own layers around real create_agent: its limits, and what a person says meanwhile."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.errors import GraphRecursionError

from server.agent.assistant import OUT_OF_STEPS, build_assistant, recursion_limit
from server.agent.context import Notes, RunContext
from server.browser.browser import Picture, ToolSpec
from tests.support.operator_world import Granted, Post
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel
from tests.unit.test_operator_graph import CART, LEADS, PAGES

LOOK = {"tool": "browser_snapshot", "raw": json.dumps({})}
SPECS = [ToolSpec("browser_snapshot", "look", {"type": "object", "properties": {}}, acts=False)]


async def run(model: ScriptedModel, post: Post | None = None, *, max_tool_steps: int = 2) -> list[AnyMessage]:
    """The messages that the graph ends with."""
    browser = ScriptedBrowser(dict(PAGES), dict(LEADS), CART)

    async def the_browser() -> ScriptedBrowser:
        return browser

    async def keep(picture: Picture) -> None:
        return None

    context = RunContext(
        run_id="r", session_id="s", browser=the_browser, keep=keep, inbox=post or Post(), grants=Granted(),
        max_tool_steps=max_tool_steps,
    )  # fmt: skip
    graph = build_assistant(model, SPECS)
    result = await graph.ainvoke(
        {"messages": [HumanMessage("What do you see?")]},
        {"recursion_limit": recursion_limit(max_tool_steps)},
        context=context,
    )
    messages: list[AnyMessage] = result["messages"]
    return messages


async def test_a_tool_call_beyond_the_limit_is_not_made_and_the_model_is_told() -> None:
    messages = await run(ScriptedModel(turns=[LOOK, LOOK, LOOK, "A cart."], prompts=[]))
    results = [message.text for message in messages if isinstance(message, ToolMessage)]
    assert [result == OUT_OF_STEPS for result in results] == [False, False, True]
    assert messages[-1].text == "A cart."


async def test_a_model_that_never_ends_is_stopped() -> None:
    model = ScriptedModel(turns=[], again=LOOK, prompts=[])
    with pytest.raises(GraphRecursionError):
        await run(model, max_tool_steps=2)
    assert len(model.prompts) == 5, "three more than it may call tools"


async def test_what_a_person_says_meanwhile_is_read_with_the_next_step_and_stays() -> None:
    post = Post([Notes(), Notes(messages=("in French, please",)), Notes()])
    model = ScriptedModel(turns=[LOOK, LOOK, "Un panier."], prompts=[])
    messages = await run(model, post)
    assert ["in French" in prompt for prompt in model.prompts] == [False, True, True]
    kinds: list[Any] = [type(message) for message in messages]
    assert kinds == [HumanMessage, AIMessage, ToolMessage, HumanMessage, AIMessage, ToolMessage, AIMessage]
