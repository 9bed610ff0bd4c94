"""The main job on real parts: the server as a process, a provider's wire, an MCP server, Chromium, a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.agent.operator.move import TOOL_NAME
from tests.support.chat import follow, of_type
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.model_server import ModelServer
from tests.support.server import serving
from tests.support.sites import Site

WIRES = {
    "anthropic": {"agent_model": "anthropic:claude-haiku-4-5"},
    "chat": {"agent_model": "openai:gpt-5-mini", "openai_api": "chat"},
    "responses": {"agent_model": "openai:gpt-5-mini", "openai_api": "responses"},
}
PAGE = """<!doctype html><title>Counter</title><h1>Counter</h1><label>Name <input name=n></label>
<button onclick="fetch('/effect/shown', {method: 'POST'}); document.querySelector('h1').textContent = 'Shown'">
Show more</button>"""
ANSWER = "The page now says Shown. " + "Every word of this arrives on its own. " * 6


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.add("/counter", PAGE)
        yield site


def found(asked: Asked, pattern: str) -> str:
    """What the newest page in the prompt calls the button."""
    match = re.findall(pattern, asked.last_text)
    assert match, asked.last_text
    return str(match[-1])


def assistant_script(url: str, browser_mcp: str) -> list[Any]:
    def click(asked: Asked) -> Reply:
        if browser_mcp == "browser-use":
            return call("browser_click", {"index": int(found(asked, r'\[(\d+)\] button "Show more"'))})
        ref = found(asked, r'\[(\w+)\] button "Show more"')
        return call("browser_click", {"element": "Show more", "target": ref})

    return [call("browser_navigate", {"url": url}), click, say(ANSWER, delay=0.01)]


def operator_script(url: str) -> list[Any]:
    def click(asked: Asked) -> Reply:
        eid = found(asked, r'\[(e\d+)\] button "Show more"')
        return call(TOOL_NAME, {"reason": "show more", "action": "click", "eid": eid})

    plan = ["Open the page", "Show more", "Tell what it says"]
    return [
        call(
            TOOL_NAME, {"goal": "see", "plan": plan, "reason": "go there", "action": "navigate", "url": url}
        ),
        click,
        call(TOOL_NAME, {"reason": "done", "action": "stop", "final_response": ANSWER}, delay=0.01),
    ]


@pytest.mark.parametrize(
    ("wire", "browser_mcp"), [(wire, mcp) for mcp in ("playwright", "browser-use") for wire in WIRES]
)
async def test_the_assistant_clicks_in_the_page_and_streams_its_answer(
    tmp_path: Path, site: Site, wire: str, browser_mcp: str
) -> None:
    script = assistant_script(site.url("/counter"), browser_mcp)
    await do_the_job(tmp_path, site, script, wire, agent="assistant", browser_mcp=browser_mcp)


@pytest.mark.parametrize("wire", WIRES)
async def test_the_operator_clicks_in_the_page_and_streams_its_answer(
    tmp_path: Path, site: Site, wire: str
) -> None:
    await do_the_job(tmp_path, site, operator_script(site.url("/counter")), wire, agent="operator")


async def do_the_job(
    tmp_path: Path, site: Site, script: list[Any], wire: str, *, agent: str, browser_mcp: str = "playwright"
) -> None:
    async with ModelServer(script) as provider:
        settings = {"agent_mode": "real", "browser_mcp": browser_mcp, "browser_headless": "true"}
        environment = {name.lower(): value for name, value in provider.env.items()}
        with serving(tmp_path / "data", **settings, **environment, **WIRES[wire]) as server:
            async with httpx.AsyncClient(
                base_url=server.api, headers=server.headers, timeout=90, trust_env=False
            ) as client:
                session_id = (await client.post("/sessions", json={"agent": agent})).json()["id"]
                body = {"content": "Show more on the page and tell me what it says"}
                assert (await client.post(f"/sessions/{session_id}/messages", json=body)).status_code == 202
                events = [event async for event in follow(client, f"/sessions/{session_id}/stream")]
                session = (await client.get(f"/sessions/{session_id}")).json()
                await check_the_pictures(client, session)
        assert provider.refusals == []
    check_the_stream(events, session)
    assert [effect.name for effect in site.effects] == ["shown"]


def check_the_stream(events: list[dict[str, Any]], session: dict[str, Any]) -> None:
    """Tokens came before the end, and a reload shows exactly what was streamed."""
    assert events[-1]["type"] == "done", events[-1]
    tokens = of_type(events, "token")
    assert len(tokens) > 2
    answer = session["messages"][-1]
    assert "".join(token["text"] for token in tokens) == answer["content"] == ANSWER
    assert events[-1]["message"]["id"] == answer["id"]
    assert [event["message"] for event in of_type(events, "message")] == session["messages"]


async def check_the_pictures(client: httpx.AsyncClient, session: dict[str, Any]) -> None:
    tools = [message for message in session["messages"] if message["role"] == "tool"]
    assert len(tools) >= 2
    for tool in tools:
        picture = await client.get(tool["meta_json"]["screenshot"].removeprefix("/api"))
        assert picture.status_code == 200
        assert picture.headers["content-type"].startswith("image/")
