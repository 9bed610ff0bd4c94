"""What the assistant takes of LangChain, LangGraph and the MCP adapters: a new version that changes it fails here."""

from __future__ import annotations

import dataclasses
import inspect
import re
from importlib.metadata import version
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool
from mcp import ClientSession
from packaging.specifiers import SpecifierSet

from scripts.shell import ROOT
from server.agent.assistant.agent import RunSession, build_assistant
from server.runs.agents import ASSISTANT_LIBRARIES, AssistantUnavailable, load_assistant
from tests.support.scripted_model import ScriptedModel
from tests.unit.test_assistant import SPECS

ARGUMENTS = {
    create_agent: {
        "model",
        "tools",
        "system_prompt",
        "middleware",
        "context_schema",
        "checkpointer",
        "name",
    },
    convert_mcp_tool_to_langchain_tool: {"session", "tool"},
    AgentMiddleware.awrap_model_call: {"self", "request", "handler"},
    AgentMiddleware.awrap_tool_call: {"self", "request", "handler"},
}
FIELDS = {
    ModelRequest: {"messages", "runtime", "state"},
    ModelResponse: {"result"},
    ToolCallRequest: {"tool_call", "state", "runtime"},
}


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda function: function.__qualname__)
def test_what_is_called_takes_what_it_is_given(function: Any) -> None:
    assert ARGUMENTS[function] <= inspect.signature(function).parameters.keys()


@pytest.mark.parametrize("kind", FIELDS, ids=lambda kind: kind.__name__)
def test_what_is_read_is_there(kind: Any) -> None:
    assert FIELDS[kind] <= {field.name for field in dataclasses.fields(kind)}


def test_no_answer_reaches_a_parser_that_completes_json_by_guessing() -> None:
    code = "".join(
        path.read_text() for path in (ROOT / "server").rglob("*.py") if path.name != "answer_chunk.py"
    )
    assert not re.search(r"parse_partial_json|JsonOutputParser|JsonOutputToolsParser", code)


def test_the_graph_has_the_nodes_that_events_are_told_by() -> None:
    graph = build_assistant(ScriptedModel(turns=[], prompts=[]), SPECS)
    assert set(graph.nodes) == {"__start__", "model", "tools"}, (
        "each further node is a step, and steps are counted"
    )


def test_the_session_of_a_run_can_be_called_as_a_session_of_mcp() -> None:
    theirs = inspect.signature(ClientSession.call_tool).parameters
    assert list(theirs)[:3] == list(inspect.signature(RunSession.call_tool).parameters)[:3]


@pytest.mark.parametrize("name", ASSISTANT_LIBRARIES)
def test_the_installed_version_is_one_that_is_asked_for(name: str) -> None:
    wanted = re.search(rf"^{name}([<>=!~].*)?$", (ROOT / "requirements.in").read_text(), re.MULTILINE)
    assert wanted, name
    assert version(name) in SpecifierSet(wanted[1] or "")


@pytest.mark.parametrize(
    "module",
    [ImportError("cannot import name 'create_agent' from 'langchain.agents'"), object()],
    ids=["not to be imported", "without what is needed"],
)
def test_another_version_costs_the_assistant_and_says_which_one_it_is(module: Any) -> None:
    def load(name: str) -> Any:
        if isinstance(module, Exception):
            raise module
        return module

    with pytest.raises(AssistantUnavailable) as failed:
        load_assistant(load)
    assert f"langchain {version('langchain')}" in failed.value.detail
    assert "requirements.txt" in failed.value.detail
