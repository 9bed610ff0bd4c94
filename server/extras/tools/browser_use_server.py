"""The browser-use MCP server: its command, the tools offered to the model, and their deadlines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from mcp.types import Tool

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.chromium import executables as parts
from server.browser.chromium.chromium import VIEWPORT
from server.browser.mcp.client import Stdio
from server.browser.mcp.tool_schema import make_safe
from server.extras.tools.packages import IN_BROWSER_USE
from server.ops.json_types import JsonObject
from server.settings import Settings

OFFERED_BROWSER_USE_TOOLS = {
    "browser_navigate": True,
    "browser_click": True,
    "browser_type": True,
    "browser_scroll": True,
    "browser_go_back": True,
    "browser_switch_tab": True,
    "browser_close_tab": True,
    "browser_get_state": False,
    "browser_list_tabs": False,
    "browser_screenshot": False,
}
"""The tools offered to the model, and whether each may change the page."""

AGENT_TOOLS = ("retry_with_browser_use_agent", "browser_extract_content")
"""They call their own model and act without our gate: offered only if configured and with an OpenAI key."""

PATIENT_NAVIGATION, PATIENT_ACTION, PATIENT_LOOK, AGENT = 20.0, 10.0, 10.0, 600.0
"""Deadlines in seconds."""

_BROWSER_USE_DEADLINES = {
    "browser_navigate": PATIENT_NAVIGATION,
    "browser_go_back": PATIENT_NAVIGATION,
    **dict.fromkeys(AGENT_TOOLS, AGENT),
}
_QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_DISABLE_EXTENSIONS": "true",
    "BROWSER_USE_LOGGING_LEVEL": "error",
    "SKIP_LLM_API_KEY_VERIFICATION": "true",
}


def server_at(settings: Settings, endpoint: str | None, scratch: Path) -> Stdio:
    """Return the server, attached to the Chromium at `endpoint`. Raises BrowserUnavailable without `uvx`."""
    uvx = parts.find_uvx()
    if uvx is None:
        raise BrowserUnavailable(parts.NO_UVX)
    config = scratch / "browser-use.json"
    config.write_text(json.dumps(_config(settings, endpoint)))
    config.chmod(0o600)
    env = {**_QUIET, "BROWSER_USE_CONFIG_PATH": str(config), "BROWSER_USE_CONFIG_DIR": str(scratch)}
    command = (str(uvx), *IN_BROWSER_USE, "browser-use", "--mcp")
    return Stdio(command, env, cwd=scratch)


def _config(settings: Settings, endpoint: str | None) -> JsonObject:
    """Return browser-use's configuration file; it replaces values that it does not recognise by defaults."""
    profile = {
        "id": "pilothouse",
        "default": True,
        "headless": settings.headless,
        "keep_alive": True,
        "enable_default_extensions": False,
        "chromium_sandbox": False,
        "viewport": {"width": VIEWPORT[0], "height": VIEWPORT[1]},
        "cdp_url": endpoint or "http://127.0.0.1:9",
    }
    llm: JsonObject = {"id": "pilothouse", "default": True}
    if settings.browser_agent_tool and settings.openai_api_key is not None:
        llm["api_key"] = settings.openai_api_key.get_secret_value()
        if settings.openai_base_url:
            llm["base_url"] = settings.openai_base_url
    agent = {"id": "pilothouse", "default": True}
    return {
        "browser_profile": {"pilothouse": profile},
        "llm": {"pilothouse": llm},
        "agent": {"pilothouse": agent},
    }


def offered_of(settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
    has_model = settings.browser_agent_tool and settings.agent_tool_problem is None
    acting = {**OFFERED_BROWSER_USE_TOOLS, **(dict.fromkeys(AGENT_TOOLS, True) if has_model else {})}
    return tuple(
        ToolSpec(tool.name, tool.description or tool.name, _schema_of(tool), acts=acting[tool.name])
        for tool in tools
        if tool.name in acting
    )


def _schema_of(tool: Tool) -> JsonObject:
    if tool.name in ("browser_screenshot", "browser_get_state"):
        return {"type": "object", "properties": {}}
    return make_safe(tool.inputSchema, tool=tool.name)


def deadline_of(tool: str) -> float:
    """In seconds."""
    return _BROWSER_USE_DEADLINES.get(
        tool, PATIENT_ACTION if OFFERED_BROWSER_USE_TOOLS.get(tool) else PATIENT_LOOK
    )
