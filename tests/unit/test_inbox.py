"""The inbox: the open questions of all sessions over HTTP."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx

from server.events import now
from tests.support.chat import new_session, send, wait_for_status
from tests.support.eventually import eventually


async def inbox(client: httpx.AsyncClient, **params: Any) -> dict[str, Any]:
    response = await client.get("/api/questions", params=params)
    assert response.status_code == 200, response.text
    return dict(response.json())


async def test_questions_of_all_sessions_are_listed_and_leave_when_decided(client: httpx.AsyncClient) -> None:
    assert await inbox(client) == {"items": [], "next_cursor": None, "total": 0}
    mail = await new_session(client, title="Mail")
    await send(client, mail, "log in to my mail")
    await wait_for_status(client, mail, "waiting_user")
    shops = []
    for number in range(2):
        session_id = await new_session(client, title=f"Kettle {number}")
        await send(client, session_id, "shop for a kettle")
        await wait_for_status(client, session_id, "waiting_user")
        shops.append(session_id)
    found = await inbox(client, status="open")
    assert [item["session_title"] for item in found["items"]] == ["Kettle 0", "Kettle 1", "Mail"]
    assert [item["session_id"] for item in found["items"]] == [*shops, mail]
    assert found["total"] == 3
    first = found["items"][0]
    assert (first["kind"], first["amount"], first["status"]) == ("confirm", "€43.90", "open")
    assert first["expires_at"]
    assert found["items"][2]["expires_at"] is None
    body = {"reference": first["reference"], "confirmed": False}
    path = f"/api/sessions/{first['session_id']}/decision"
    assert (await client.post(path, json=body)).status_code == 202
    assert (await client.post(path, json=body | {"confirmed": True})).status_code == 409
    left = await inbox(client)
    assert [item["session_id"] for item in left["items"]] == [shops[1], mail]
    yesterday, tomorrow = (now() + timedelta(days=days) for days in (-1, 1))
    (decided,) = (await inbox(client, status="decided", since=yesterday.isoformat()))["items"]
    assert (decided["reference"], decided["outcome"]) == (first["reference"], "no")
    assert decided["session_title"] == "Kettle 0"
    assert (await inbox(client, status="decided", since=tomorrow.isoformat()))["items"] == []
    await client.delete(f"/api/sessions/{mail}")
    assert [item["session_id"] for item in (await inbox(client))["items"]] == [shops[1]]


async def test_pages_follow_one_another_without_gap_or_repeat(client: httpx.AsyncClient) -> None:
    for text in ("shop for a kettle", "log in to my mail", "shop for a kettle", "log in to my mail"):
        await send(client, await new_session(client), text)
    whole = await eventually(
        lambda: inbox(client), lambda it: it["total"] == 4, message="all four sessions ask"
    )
    wanted = [item["reference"] for item in whole["items"]]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = await inbox(client, limit=1, **({"cursor": cursor} if cursor else {}))
        seen += [item["reference"] for item in page["items"]]
        assert page["total"] == 4
        cursor = page["next_cursor"]
    assert seen == wanted


async def test_what_is_no_page_is_refused(client: httpx.AsyncClient, stranger: httpx.AsyncClient) -> None:
    for cursor in ("nonsense", "|x|y", "x|2026-01-01|y"):
        assert (await client.get("/api/questions", params={"cursor": cursor})).status_code == 404
    assert (await client.get("/api/questions", params={"status": "expired"})).status_code == 422
    assert (await client.get("/api/questions", params={"since": "yesterday"})).status_code == 422
    assert (await client.get("/api/questions", params={"limit": 0})).status_code == 422
    assert (await stranger.get("/api/questions")).status_code == 401
