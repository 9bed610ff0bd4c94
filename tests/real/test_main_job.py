"""The main job on real parts: the server as a process, a provider's wire, an MCP server, Chromium, a page.

One server and one session with its browser for each pair of OpenAI's API and tool server: the session's model and agent
are changed between two tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from server.agent.operator.plan.move import TOOL_NAME
from tests.support.chat import follow, of_type
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.model_server import ModelServer, providing
from tests.support.server import Server, serving
from tests.support.sites import Site

WIRES = {
    "anthropic": ("anthropic:claude-haiku-4-5", "chat"),
    "chat": ("openai:gpt-5-mini", "chat"),
    "responses": ("openai:gpt-5-mini", "responses"),
}
"""The model, and which API of OpenAI's its server uses."""
PAGE = """<!doctype html><title>Counter</title><h1>Counter</h1><label>Name <input name=n></label>
<button onclick="fetch('/effect/list', {method: 'POST'}); document.querySelector('h1').textContent = 'Shown'">
Show more</button>"""
ANSWER = "The page now says Shown. " + "Every word of this arrives on its own. " * 6


@dataclass
class Place:
    """A server with one session, and the provider that its models are asked at."""

    server: Server
    provider: ModelServer
    session_id: str


OpenPlace = Callable[[str, str], Place]


@pytest.fixture(scope="module")
def counter() -> Iterator[Site]:
    with Site() as site:
        site.add("/counter", PAGE)
        yield site


@pytest.fixture
def site(counter: Site) -> Site:
    counter.effects.clear()
    return counter


@pytest.fixture(scope="module")
def open_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPlace]:
    """By OpenAI's API and tool server; opened once."""
    places: dict[tuple[str, str], Place] = {}
    with ExitStack() as stack:

        def open_once(openai_api: str, browser_mcp: str) -> Place:
            if (openai_api, browser_mcp) not in places:
                provider = stack.enter_context(providing([]))
                environment = {name.lower(): value for name, value in provider.env.items()}
                settings = {"agent_mode": "real", "browser_mcp": browser_mcp, "browser_headless": "true"}
                data = tmp_path_factory.mktemp("data")
                server = stack.enter_context(serving(data, openai_api=openai_api, **settings, **environment))
                made = httpx.post(f"{server.api}/sessions", headers=server.headers, json={}, trust_env=False)
                places[openai_api, browser_mcp] = Place(server, provider, made.json()["id"])
            return places[openai_api, browser_mcp]

        yield open_once


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
    open_place: OpenPlace, site: Site, wire: str, browser_mcp: str
) -> None:
    script = assistant_script(site.url("/counter"), browser_mcp)
    await do_the_job(open_place, site, script, wire, agent="assistant", browser_mcp=browser_mcp)


@pytest.mark.parametrize("wire", WIRES)
async def test_the_operator_clicks_in_the_page_and_streams_its_answer(
    open_place: OpenPlace, site: Site, wire: str
) -> None:
    await do_the_job(open_place, site, operator_script(site.url("/counter")), wire, agent="operator")


async def do_the_job(
    open_place: OpenPlace,
    site: Site,
    script: list[Any],
    wire: str,
    *,
    agent: str,
    browser_mcp: str = "playwright",
) -> None:
    model, openai_api = WIRES[wire]
    place = open_place(openai_api, browser_mcp)
    place.provider.follow(script)
    place.provider.requests.clear()
    path = f"/sessions/{place.session_id}"
    async with httpx.AsyncClient(
        base_url=place.server.api, headers=place.server.headers, timeout=90, trust_env=False
    ) as client:
        assert (await client.patch(path, json={"agent": agent, "model": model})).status_code == 200
        body = {"content": "Show more on the page and tell me what it says"}
        sent = await client.post(f"{path}/messages", json=body)
        assert sent.status_code == 202
        events = [event async for event in follow(client, f"{path}/stream")]
        said = (await client.get(path)).json()["messages"]
        messages = [message for message in said if message["run_id"] == sent.json()["run"]["id"]]
        await check_the_pictures(client, messages)
    assert {asked.wire for asked in place.provider.requests} == {wire}
    assert place.provider.refusals == []
    check_the_stream(events, messages)
    assert [effect.name for effect in site.effects] == ["list"]


def check_the_stream(events: list[dict[str, Any]], messages: list[dict[str, Any]]) -> None:
    """Tokens came before the end, and a reload shows exactly what was streamed."""
    assert events[-1]["type"] == "done", events[-1]
    tokens = of_type(events, "token")
    assert len(tokens) > 2
    answer = messages[-1]
    assert "".join(token["text"] for token in tokens) == answer["content"] == ANSWER
    assert events[-1]["message"]["id"] == answer["id"]
    assert [event["message"] for event in of_type(events, "message")] == messages


async def check_the_pictures(client: httpx.AsyncClient, messages: list[dict[str, Any]]) -> None:
    tools = [message for message in messages if message["role"] == "tool"]
    assert len(tools) >= 2
    for tool in tools:
        picture = await client.get(tool["meta_json"]["screenshot"].removeprefix("/api"))
        assert picture.status_code == 200
        assert picture.headers["content-type"].startswith("image/")
