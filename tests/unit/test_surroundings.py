"""What a session's browser has of its own: zone, language and proxy, changed over the API."""

from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.reach import Reach
from server.browser.surroundings import OwnSurroundings
from server.runtime import Runtime
from tests.support.chat import new_session

PASSWORD = "kanarie-5512-Qx"
PROXY = {"address": "socks5://proxy.example:1080", "user": "ann", "password": PASSWORD}
NOTHING = {"time_zone": None, "locale": None, "proxy": None}


async def change(client: httpx.AsyncClient, session_id: str, **values: Any) -> httpx.Response:
    return await client.patch(f"/api/sessions/{session_id}/surroundings", json=values)


async def found(app: FastAPI, session_id: str) -> OwnSurroundings:
    world: Runtime = await app.state.starting.runtime()
    return await world.surroundings.find(session_id)


async def test_a_session_has_a_zone_a_language_and_a_proxy_of_its_own(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    session_id, other = await new_session(client), await new_session(client)
    path = f"/api/sessions/{session_id}/surroundings"
    assert (await client.get(path)).json() == NOTHING
    answer = await change(client, session_id, time_zone="Asia/Tokyo", locale="pt-BR", proxy=PROXY)
    shown = {"address": PROXY["address"], "user": "ann", "has_password": True}
    assert (answer.status_code, answer.json()) == (
        200,
        {"time_zone": "Asia/Tokyo", "locale": "pt-BR", "proxy": shown},
    )
    assert (await change(client, session_id, locale=None)).json() == {
        "time_zone": "Asia/Tokyo", "locale": None, "proxy": shown,
    }  # fmt: skip
    assert (await client.get(f"/api/sessions/{other}/surroundings")).json() == NOTHING
    own = await found(app, session_id)
    assert own.upstream
    assert (own.time_zone, own.upstream.host, own.upstream.password) == (
        "Asia/Tokyo",
        "proxy.example",
        PASSWORD,
    )
    assert own.reach(Reach("never")).upstream == own.upstream
    assert (await change(client, session_id, time_zone=None, proxy=None)).json() == NOTHING
    assert await found(app, session_id) == OwnSurroundings()


async def test_a_password_is_kept_for_its_address_and_user_only(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    session_id = await new_session(client)
    await change(client, session_id, proxy=PROXY)
    again = {**PROXY, "password": None}
    assert (await change(client, session_id, proxy=again)).json()["proxy"]["has_password"] is True
    elsewhere = {**again, "address": "http://other.example:80"}
    assert (await change(client, session_id, proxy=elsewhere)).json()["proxy"]["has_password"] is False
    own = await found(app, session_id)
    assert own.upstream
    assert own.upstream.password == ""


@pytest.mark.parametrize(
    "values",
    [
        {"time_zone": "Mars/Base"}, {"time_zone": "localtime"}, {"time_zone": ""}, {"locale": "no language"}, {"locale": "de; q=1"},
        {"proxy": {"address": "ftp://proxy.example:1"}}, {"proxy": {"address": ""}}, {"proxy": {"address": "http://proxy.example:0"}},
        {"proxy": {"address": f"http://ann:{PASSWORD}@proxy.example:1"}}, {"proxy": {"address": "http://proxy.example", "password": PASSWORD}},
        {"proxy": {"address": "http://proxy.example", "user": "a:b", "password": PASSWORD}}, {"proxy": "http://proxy.example"},
        {"proxy": {"address": "http://proxy.example", "user": "a", "password": PASSWORD * 20}}, {"phone": 7, "proxy": {}},
    ],
)  # fmt: skip
async def test_what_cannot_be_used_is_refused_and_nothing_changes(
    client: httpx.AsyncClient, app: FastAPI, values: dict[str, Any]
) -> None:
    session_id = await new_session(client)
    await change(client, session_id, time_zone="Asia/Tokyo")
    answer = await change(client, session_id, **{"locale": "fr", **values})
    assert answer.status_code == 422
    assert PASSWORD not in answer.text
    assert await found(app, session_id) == OwnSurroundings(time_zone="Asia/Tokyo")


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"time_zone": "Mars/Base"}, "time_zone"), ({"locale": "no language"}, "locale"),
        ({"proxy": {**PROXY, "address": "ftp://proxy.example:1"}}, "proxy.address"),
        ({"proxy": {**PROXY, "user": ""}}, "proxy.user"),
    ],
)  # fmt: skip
async def test_a_refusal_names_its_field(
    client: httpx.AsyncClient, values: dict[str, Any], field: str
) -> None:
    answer = await change(client, await new_session(client), **values)
    assert answer.json()["detail"].startswith(f"{field}: ")


async def test_a_proxys_password_is_in_no_answer_export_log_or_row(
    client: httpx.AsyncClient, app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    session_id = await new_session(client)
    answers = [await change(client, session_id, proxy=PROXY)]
    paths = ["", "/surroundings", "/export?format=json", "/export?format=md", "/export?format=html"]
    answers += [await client.get(f"/api/sessions/{session_id}{path}") for path in paths]
    answers.append(await client.get("/api/sessions"))
    assert all(answer.status_code == 200 for answer in answers)
    world: Runtime = await app.state.starting.runtime()
    row = await world.store.session(session_id)
    texts = [answer.text for answer in answers] + [
        caplog.text,
        repr(await found(app, session_id)),
        str(vars(row)),
    ]
    assert [text for text in texts if PASSWORD in text] == []


async def test_a_proxy_whose_password_is_lost_is_not_left_out(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    session_id = await new_session(client)
    await change(client, session_id, proxy=PROXY)
    world: Runtime = await app.state.starting.runtime()
    await world.store.change_session(session_id, proxy_password=b"of another key")
    with pytest.raises(BrowserUnavailable):
        await found(app, session_id)


async def test_an_unknown_session_has_none(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/sessions/none/surroundings")).status_code == 404
    assert (await change(client, "none", locale="de")).status_code == 404
