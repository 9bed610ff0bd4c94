from typing import Any

import pytest
from mcp.types import CallToolResult, ImageContent, ResourceLink, TextContent, Tool, ToolAnnotations
from pydantic import AnyUrl

from server.browser.mcp.client import Http, Stdio
from server.errors import Conflict
from server.extras.tools.listing import Mode, allowed_by_name, allowing, listed
from server.extras.tools.other_mcp import MAX_TEXT, ResultText, read_place, read_server


@pytest.mark.parametrize(
    ("text", "name", "server"),
    [
        ("http://localhost:9000/mcp", "other", Http("http://localhost:9000/mcp")),
        ("mail=https://mail.example/mcp?key=a", "mail", Http("https://mail.example/mcp?key=a")),
        (
            "npx -y some-server --flag 'two words'",
            "npx",
            Stdio(("npx", "-y", "some-server", "--flag", "two words")),
        ),
        ("/usr/bin/tool.sh", "tool", Stdio(("/usr/bin/tool.sh",))),
        (
            "github=TOKEN=abc MODE=x /opt/gh mcp",
            "github",
            Stdio(("/opt/gh", "mcp"), {"TOKEN": "abc", "MODE": "x"}),
        ),
        ("TOKEN=abc server", "server", Stdio(("server",), {"TOKEN": "abc"})),
    ],
)
def test_a_server_is_read_from_one_line(text: str, name: str, server: Stdio | Http):
    assert read_server(text) == (name, server)


def test_a_variable_of_our_own_environment_is_handed_on_by_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    assert read_server("TOKEN=$MY_TOKEN server")[1] == Stdio(("server",), {"TOKEN": "secret"})


def test_a_line_without_a_command_is_refused():
    with pytest.raises(ValueError, match="no command"):
        read_server("name=TOKEN=x")


def test_a_variable_is_not_taken_from_our_environment_for_what_is_typed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    assert read_place("TOKEN=$MY_TOKEN server") == Stdio(("server",), {"TOKEN": "$MY_TOKEN"})


def result(*parts: Any, **more: Any) -> CallToolResult:
    return CallToolResult(content=list(parts), **more)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (result(TextContent(type="text", text="x" * (MAX_TEXT + 5))), "5 more characters"),
        (result(TextContent(type="text", text="  ")), "Done."),
        (result(TextContent(type="text", text="key=s3cret-key.")), "key=•••."),
        (result(ImageContent(type="image", data="A" * 400, mimeType="image/png")), "[image, image/png, 300 bytes: not shown]"),
        (result(ResourceLink(type="resource_link", uri=AnyUrl("file:///a"), name="a")), "[link to file:///a: a]"),
        (result(structuredContent={"n": 1}), "{'n': 1}"),
    ],
)  # fmt: skip
def test_a_result_is_text_that_is_cut_and_masked(given: CallToolResult, shown: str):
    text = ResultText(("s3cret-key", "abc")).of(given)
    assert shown in text
    assert len(text) < MAX_TEXT + 100


def tool(name: str, **more: Any) -> Tool:
    return Tool(name=name, inputSchema={"type": "object"}, **more)


@pytest.mark.parametrize(
    ("hints", "claim"),
    [
        (None, "unknown"), (ToolAnnotations(), "unknown"), (ToolAnnotations(readOnlyHint=True), "reads"),
        (ToolAnnotations(destructiveHint=True), "destroys"), (ToolAnnotations(destructiveHint=False), "changes"),
        (ToolAnnotations(readOnlyHint=True, destructiveHint=True), "reads"),
    ],
)  # fmt: skip
def test_what_a_server_says_of_a_tool_is_shown_and_every_tool_asks(hints: Any, claim: str):
    (found,) = listed([tool("find", annotations=hints)], ())
    assert (found.claim, found.mode, found.spec("notes").acts) == (claim, "asks", True)
    assert found.spec("notes").each_time is (claim == "destroys")


def test_only_tools_that_the_environment_names_are_used_without_a_question():
    found = allowed_by_name(listed([tool("find"), tool("read")], ()), "notes", ["notes_read"])
    assert {one.name: one.mode for one in found} == {"find": "asks", "read": "reads"}


@pytest.mark.parametrize(
    ("mode", "after", "is_same"),
    [
        ("reads", "reads", True), ("off", "off", True), ("reads", "asks", False), ("asks", "asks", False),
        ("off", "off", False),
    ],
)  # fmt: skip
def test_a_decision_holds_for_a_tool_that_has_not_changed(mode: Mode, after: str, is_same: bool):
    first = listed([tool("find", description="Finds.")], ())
    decided = allowing(first, {"find": (first[0].pin, mode)})
    (again,) = listed([tool("find", description="Finds." if is_same else "Sends.")], decided)
    assert (again.mode, again.has_changed) == (after, not is_same)


def test_a_decision_about_a_tool_that_has_changed_since_is_refused():
    tools = listed([tool("find")], ())
    with pytest.raises(Conflict, match="has changed"):
        allowing(tools, {"find": ("another", "reads")})


def test_no_further_server_passes_for_the_browsers_own():
    with pytest.raises(ValueError, match="is taken"):
        read_server("browser=server")
