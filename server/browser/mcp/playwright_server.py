"""The Playwright MCP server: its command, the tools offered to the model, and their deadlines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from mcp.types import Tool

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.chromium import executables as parts
from server.browser.chromium.chromium import VIEWPORT
from server.browser.chromium.snapshots import SILENT_FRAME
from server.browser.mcp.client import Stdio
from server.browser.mcp.tool_schema import make_safe
from server.ops.json_types import JsonObject, JsonView

OFFERED_TOOLS = {
    "browser_navigate": True,
    "browser_navigate_back": True,
    "browser_click": True,
    "browser_type": True,
    "browser_fill_form": True,
    "browser_select_option": True,
    "browser_hover": True,
    "browser_drag": True,
    "browser_press_key": True,
    "browser_tabs": True,
    "browser_wait_for": True,
    "browser_handle_dialog": True,
    "browser_snapshot": False,
    "browser_find": False,
    "browser_take_screenshot": False,
}
"""The tools offered to the model, and whether each may change the page. No other tools are offered."""
REPEATABLE = frozenset(name for name, acts in OFFERED_TOOLS.items() if not acts)

NAVIGATION, ACTION, LOOK = 20.0, 10.0, 8.0
"""Deadlines in seconds."""
SETTLING = 20
"""Milliseconds in which the server itself looks for requests and navigations of an act, which it then waits for. The rest
is seen by `quiet.py`."""
LOADING = 15_000
"""Milliseconds after which the server itself stops waiting for a page to load."""
ACT_MILLISECONDS = 8_000
"""Milliseconds after which the server itself gives up an act, such as a click on what is covered. Below `ACTION`, so that
its answer comes first; well above the second that an act on a huge page takes, for machines that are busy."""

SERVER_WAITS = [
    ("setTimeout(resolve, 5e3)", "setTimeout(resolve, 0)"),
    ('waitForLoadState("load", { timeout: 1e4 })', 'waitForLoadState("domcontentloaded", { timeout: 1e4 })'),
    ('waitForLoadState("load", { timeout: 5e3 })', 'waitForLoadState("load", { timeout: 1500 })'),
    (
        "noStall ? frame.existingContext(world) : await frame.context(world)",
        "noStall || frame.isSilent ? frame.existingContext(world) : frame === this.frame ? await frame.context(world)"
        " : await Promise.race([frame.context(world), new Promise(done => setTimeout(done, 500))]);"
        " frame.isSilent = frame !== this.frame && !context",
    ),
    (
        "return await ariaSnapshotJSONForFrame(progress2, snapshot3.resolvedFrame, frameRootSelector, { ...options, depth: childDepth, strict: false })",
        "return await Promise.race([ariaSnapshotJSONForFrame(progress2, snapshot3.resolvedFrame, frameRootSelector,"
        " { ...options, depth: childDepth, strict: false, patience: (options.patience || 2000) * 0.8 }),"
        f" new Promise(done => setTimeout(done, options.patience || 2000, [{json.dumps(SILENT_FRAME)}]))])",
    ),
]
"""After an act, the server itself would wait up to 5 s for each request that the page sends, and 10 s for all pictures of
a new page. `quiet.py` waits for what shows in the page. Nor does a snapshot wait for a frame that never gets a document,
or does not answer: the rest of the page is read without it."""
_IMPORT = rf"""import Module from 'node:module';
const compile = Module.prototype._compile;
Module.prototype._compile = function (code, name, ...rest) {{
  const isIt = /coreBundle\.js$/.test(name);
  return compile.call(this, isIt ? {json.dumps(SERVER_WAITS)}.reduce((all, [from, to]) => all.replace(from, to), code) : code, name, ...rest);
}};"""

_TOOL_DEADLINES = {
    "browser_navigate": NAVIGATION,
    "browser_navigate_back": NAVIGATION,
    "browser_tabs": NAVIGATION,
    "browser_snapshot": LOOK,
    "browser_find": LOOK,
    "browser_take_screenshot": LOOK,
}
_SERVER_OPTIONS = (
    f"--viewport-size {VIEWPORT[0]}x{VIEWPORT[1]} --caps vision --no-webmcp --snapshot-mode none --codegen none "
    f"--timeout-settle {SETTLING} --timeout-action {ACT_MILLISECONDS} --output-max-size 20000000"
)
_FOCUS_TEXT = "Show only what is around this element, in more detail. Leave it out for the whole page."
_WITHHELD = ("filename",)
"""Arguments that make the server write files; they are removed from the schemas."""


def server_at(endpoint: str | None, scratch: Path, files: Path, *, loading: int = LOADING) -> Stdio:
    """Return the server, attached to the Chromium at `endpoint`.

    It waits `loading` milliseconds for a page to load.
    Raises BrowserUnavailable if Node or the server's script is missing.
    """
    node, script = parts.find_node(), parts.find_playwright_mcp()
    if node is None:
        raise BrowserUnavailable(parts.NO_NODE)
    if script is None:
        raise BrowserUnavailable(parts.NO_PLAYWRIGHT_MCP)
    env = {"PLAYWRIGHT_MCP_CDP_ENDPOINT": endpoint} if endpoint else {}
    more = ("--timeout-navigation", str(loading), "--output-dir", str(scratch))
    prompt = f"data:text/javascript,{quote(_IMPORT)}"
    return Stdio(
        (str(node), "--import", prompt, str(script), *_SERVER_OPTIONS.split(), *more), env, cwd=files
    )


def offered_of(tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
    return tuple(
        ToolSpec(tool.name, tool.description or tool.name, _schema_of(tool), acts=OFFERED_TOOLS[tool.name])
        for tool in tools
        if tool.name in OFFERED_TOOLS
    )


def _schema_of(tool: Tool) -> JsonObject:
    if tool.name == "browser_take_screenshot":
        return {"type": "object", "properties": {}}
    if tool.name == "browser_snapshot":
        return {"type": "object", "properties": {"target": {"type": "string", "description": _FOCUS_TEXT}}}
    schema = make_safe(tool.inputSchema, tool=tool.name)
    for name in _WITHHELD:
        schema["properties"].pop(name, None)
    return schema


def deadline_of(tool: str, args: JsonView) -> float | None:
    """In seconds; None for an unknown tool."""
    if tool == "browser_wait_for":
        return max(ACTION, min(float(args.get("time") or 0), 30) + 5)
    return _TOOL_DEADLINES.get(tool, ACTION if tool in OFFERED_TOOLS else None)
