"""Whole runs: once a page that asks for a secret was seen, its words go to no other site unasked. Later runs, the other
agent and a restarted server know it; the page itself is gone by then.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
import pytest

from server.browser.takeover.live_view import LiveView
from server.browser.takeover.user_input import Go
from server.browser.takeover.viewer import Viewer
from server.main import create_app
from server.runtime import Runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import new_session, send, wait_for_rest
from tests.support.eventually import eventually
from tests.support.scripted_model import ScriptedModel, navigate, stop, type_into

LOGIN, SHOP, WORD = "https://mail.example/login", "https://shop.example/", "ZX81-CANARY"


def call(tool: str, **args: str) -> dict[str, Any]:
    return {"tool": tool, "raw": json.dumps(args)}


LOOKS: dict[str, list[Any]] = {
    "operator": [navigate(LOGIN), stop("Seen.")],
    "assistant": [call("browser_navigate", url=LOGIN), "Seen."],
}
TYPES: dict[str, list[Any]] = {
    "operator": [navigate(SHOP), type_into({"Search": WORD}), stop("Done.")],
    "assistant": [
        call("browser_navigate", url=SHOP),
        call("browser_type", element="Search", target="e2", text=WORD),
        "Done.",
    ],
}


@asynccontextmanager
async def server(settings: Settings) -> AsyncIterator[tuple[Runtime, httpx.AsyncClient]]:
    app = create_app(settings)
    async with (
        app.router.lifespan_context(app),
        open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client,
    ):
        yield await app.state.starting.runtime(), client


async def run(
    world: Runtime, client: httpx.AsyncClient, session_id: str, agent: str, turns: list[Any]
) -> dict[str, Any]:
    """One message that this agent answers with these turns; returns the session at its question or its end."""
    model = ScriptedModel(turns=list(turns))
    world.agents.model = lambda name: model
    world.agents.rebuild()
    changed = await client.patch(f"/api/sessions/{session_id}", json={"agent": agent})
    assert changed.status_code == 200, changed.text
    await send(client, session_id, "go on")
    return await wait_for_rest(client, session_id)


async def typed(world: Runtime, session_id: str) -> dict[str, str]:
    browser: Any = await world.browsers.get(session_id)
    return dict(browser.typed)


@pytest.mark.parametrize("is_restarted", [False, True], ids=["same server", "restarted"])
@pytest.mark.parametrize("second", ["assistant", "operator"])
@pytest.mark.parametrize("first", ["assistant", "operator"])
async def test_a_later_run_that_types_into_another_site_asks(
    settings: Settings, first: str, second: str, is_restarted: bool
) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent=first)
        seen = await run(world, client, session_id, first, LOOKS[first])
        assert seen["run"]["status"] == "completed"
        if not is_restarted:
            await world.browsers.close(session_id)  # as when it is parked: the page is gone
            session = await run(world, client, session_id, second, TYPES[second])
            written = await typed(world, session_id)
    if is_restarted:
        async with server(settings) as (world, client):
            session = await run(world, client, session_id, second, TYPES[second])
            written = await typed(world, session_id)
    assert session["run"]["status"] == "waiting_user"
    assert session["pending"]["risk"] == "transfer"
    assert written == {}


async def test_a_branch_knows_them_and_a_purge_forgets_them(settings: Settings) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent="assistant")
        seen = await run(world, client, session_id, "assistant", LOOKS["assistant"])
        body = {"message_id": seen["messages"][-1]["id"]}
        branch = (await client.post(f"/api/sessions/{session_id}/branch", json=body)).json()["id"]
        await client.delete(f"/api/sessions/{session_id}?purge=true")
        session = await run(world, client, branch, "assistant", TYPES["assistant"])
        assert (session["run"]["status"], session["pending"]["risk"]) == ("waiting_user", "transfer")
        assert [folder.name for folder in settings.private_dir.iterdir()] == [branch]


@pytest.mark.parametrize("agent", ["assistant", "operator"])
async def test_without_such_a_page_the_same_words_are_typed(settings: Settings, agent: str) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent=agent)
        session = await run(world, client, session_id, agent, TYPES[agent])
        assert session["run"]["status"] == "completed"
        assert await typed(world, session_id) == {"Search": WORD}


ADDRESSES = {"login": LOGIN, "inbox": "https://mail.example/inbox", "shop": SHOP}


def shows(viewer: Viewer, address: str) -> bool:
    return (viewer.sent_state or {}).get("url") == address


async def drive(world: Runtime, session_id: str, *names: str) -> tuple[LiveView, Viewer]:
    """A person takes the browser and goes from page to page."""
    view = world.browsers.live(session_id)
    viewer = view.join()
    await view.take(viewer)
    await eventually(lambda: viewer.first_start, message="the browser is open")
    for name in names:
        view.act(viewer, Go(type="go", url=ADDRESSES[name]))
        await eventually(partial(shows, viewer, ADDRESSES[name]), message=f"{name} is open")
    return view, viewer


@pytest.mark.parametrize("driven", ["login inbox", "inbox", "inbox shop"])
@pytest.mark.parametrize("agent", ["assistant", "operator"])
async def test_what_a_person_opened_is_private_wherever_they_left_the_browser(
    settings: Settings, agent: str, driven: str
) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent=agent)
        view, viewer = await drive(world, session_id, *driven.split())
        await world.commands.release(session_id, await view.hand_back(viewer), None)
        view.leave(viewer)
        session = await run(world, client, session_id, agent, TYPES[agent])
        assert session["run"]["status"] == "waiting_user"
        assert session["pending"]["risk"] == "transfer"
        assert await typed(world, session_id) == {}


async def test_a_run_in_progress_learns_what_a_person_opened(settings: Settings) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent="operator")
        known = world.executor.private_sites(session_id)  # as its run has it
        known.add(["shop.example"])
        assert known.sites == ["shop.example"]
        await drive(world, session_id, "inbox")
        assert known.sites == ["shop.example", "mail.example"]


async def test_what_a_person_opened_is_private_although_the_server_ended_before_they_gave_it_back(
    settings: Settings,
) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent="operator")
        await drive(world, session_id, "inbox")
    async with server(settings) as (world, client):
        session = await run(world, client, session_id, "operator", TYPES["operator"])
    assert session["run"]["status"] == "waiting_user"
    assert session["pending"]["risk"] == "transfer"


async def test_a_login_by_commands_is_private(settings: Settings) -> None:
    async with server(settings) as (world, client):
        session_id = await new_session(client, agent="operator")
        path = f"/api/sessions/{session_id}/browser"
        (await client.post(f"{path}/launch", json={"url": LOGIN})).raise_for_status()
        (await client.post(f"{path}/observe")).raise_for_status()
        (await client.post(f"{path}/launch", json={"url": ADDRESSES["inbox"]})).raise_for_status()
        session = await run(world, client, session_id, "operator", TYPES["operator"])
        assert session["run"]["status"] == "waiting_user"
        assert session["pending"]["risk"] == "transfer"
