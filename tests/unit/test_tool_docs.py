"""docs/tools.md against the code; tests/real/test_tool_lists.py holds it against the servers."""

from __future__ import annotations

import re

import pytest

from scripts.shell import ROOT
from server.browser.mcp import playwright_server
from server.extras.tools import browser_use_server

DOC = (ROOT / "docs/tools.md").read_text()
SETTING = "with `BROWSER_AGENT_TOOL`"


def rows(server: str) -> dict[str, tuple[str, str]]:
    """Tool -> (offered, passes the gate)."""
    table = DOC.partition(f"## {server}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*)\|$", table, re.MULTILINE)
    return {name: (offered.strip(), acts.strip()) for name, offered, acts in found}


@pytest.mark.parametrize(
    ("server", "offered", "agents"),
    [
        ("Playwright MCP", playwright_server.OFFERED_TOOLS, ()),
        ("browser-use MCP", browser_use_server.OFFERED_BROWSER_USE_TOOLS, browser_use_server.AGENT_TOOLS),
    ],
)
def test_the_tables_say_what_is_offered(
    server: str, offered: dict[str, bool], agents: tuple[str, ...]
) -> None:
    told = rows(server)
    assert {
        name: acts == "yes" for name, (is_offered, acts) in told.items() if is_offered == "yes"
    } == offered
    assert {name for name, (is_offered, _) in told.items() if is_offered == SETTING} == set(agents)
    assert all(is_offered in ("yes", "no", SETTING) for is_offered, _ in told.values())
