"""browser-use's own agent is offered if the settings ask for it and it can work; otherwise a notice says why not."""

from typing import Any

import pytest
from mcp.types import Tool

from server.api.system import notices
from server.extras.tools.browser_use_server import AGENT_TOOLS, OFFERED_BROWSER_USE_TOOLS, offered_of
from server.runtime import open_runtime
from server.settings import Settings

TOOLS = [
    Tool(name=name, inputSchema={"type": "object"})
    for name in (*OFFERED_BROWSER_USE_TOOLS, *AGENT_TOOLS, "browser_close_all")
]
KEY = {"openai_api_key": "k"}
CASES = [
    ({}, False, None),
    (KEY, False, None),
    ({"browser_agent_tool": True, "browser_mcp": "browser-use"}, False, "OPENAI_API_KEY"),
    ({"browser_agent_tool": True, "browser_mcp": "playwright", **KEY}, False, "BROWSER_MCP"),
    ({"browser_agent_tool": True, "browser_mcp": "browser-use", **KEY}, True, None),
]


@pytest.mark.parametrize(("values", "is_offered", "missing"), CASES)
def test_the_agent_tools_are_offered_only_when_asked_for_and_with_a_key(
    settings: Settings, values: dict[str, Any], is_offered: bool, missing: str | None
) -> None:
    own = Settings.model_validate({**settings.model_dump(), **values})
    names = {spec.name for spec in offered_of(own, TOOLS)}
    assert names == {*OFFERED_BROWSER_USE_TOOLS, *(AGENT_TOOLS if is_offered else ())}
    problem = own.agent_tool_problem
    assert missing in (problem or "") if missing else problem is None


async def test_why_the_agent_tools_are_missing_is_a_notice(settings: Settings) -> None:
    values = {"agent_mode": "real", "browser_agent_tool": True, "browser_mcp": "browser-use"}
    async with open_runtime(Settings.model_validate({**settings.model_dump(), **values})) as world:
        assert "OPENAI_API_KEY" in {one.code: one.text for one in notices(world)}["no_agent_tool"]
    async with open_runtime(settings) as world:
        assert "no_agent_tool" not in {one.code for one in notices(world)}
