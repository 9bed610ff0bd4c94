"""Digests: ends of runs are sent in one message, questions never wait for it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.runtime import Runtime
from server.store.digests import end_of_window
from tests.support.chat import ask, new_session, send, wait_for_status
from tests.support.eventually import eventually
from tests.support.receivers import Receiver, receiving
from tests.unit.test_channels import add_webhook, quick, received


async def due(world: Runtime) -> datetime:
    moment = await eventually(
        world.store.next_delivery, lambda it: it and it > datetime.now(UTC) + timedelta(minutes=1),
        message="the digest waits",
    )  # fmt: skip
    assert moment
    return moment


async def test_what_has_ended_is_told_in_one_message_and_a_question_at_once(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    world: Runtime = await app.state.starting.runtime()
    async with receiving() as receiver, receiving() as ntfy:
        await add_webhook(client, receiver, digest={"minutes": 30})
        body = {"kind": "apprise", "address": f"ntfy://{ntfy.url.removeprefix('http://')}/boats"}
        await client.post(
            "/api/channels", json=body | {"digest": {"minutes": 30}, "events": ["done", "failed"]}
        )
        for text in ("ping test", "error please", "ping test"):
            await ask(client, text)
        session_id = await new_session(client)
        await send(client, session_id, "shop for a kettle")
        await wait_for_status(client, session_id, "waiting_user")
        (question,) = await received(receiver, 1)
        assert question["type"] == "question"
        moment = await due(world)
        assert ntfy.received == []
        later = quick(world, clock=lambda: moment + timedelta(minutes=1), zone=lambda: "Asia/Kathmandu")
        await later.deliver_due()
        _, digest = await received(receiver, 2)
        assert (digest["type"], digest["count"], digest["link"]) == (
            "digest", {"done": 2, "failed": 1}, "http://127.0.0.1:8000",
        )  # fmt: skip
        assert sorted(item["type"] for item in digest["items"]) == ["done", "done", "failed"]
        assert all(item["link"].endswith(item["session_id"]) for item in digest["items"])
        (words,) = await received(ntfy, 1)
        assert words["title"] == "Pilothouse: 2 done, 1 failed"
        times = [datetime.fromisoformat(item["at"]) for item in digest["items"]]
        assert {time.utcoffset() for time in times} == {timedelta(hours=5, minutes=45)}
        starts = [line[:16] for line in words["message"].splitlines()]
        assert starts == [*(f"{time:%Y-%m-%d %H:%M}" for time in times), "http://127.0.0.1"]


async def test_it_is_told_again_as_a_whole_under_one_id_and_what_comes_later_waits_for_the_next(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    world: Runtime = await app.state.starting.runtime()
    async with receiving([500]) as receiver:
        await add_webhook(client, receiver, digest={"minutes": 30})
        await ask(client, "ping test")
        await ask(client, "ping test")
        moment = await due(world)
        await quick(world, clock=lambda: moment).deliver_due()
        (first,) = await received(receiver, 1)
        await eventually(
            world.store.next_delivery,
            lambda it: it and it < moment + timedelta(seconds=30),
            message="it is put off",
        )
        await ask(client, "ping test")
        await quick(world, clock=lambda: moment).deliver_due()
        _, second = await received(receiver, 2)
        assert (second["id"], len(second["items"])) == (first["id"], 2)
        await eventually(
            world.store.next_delivery,
            lambda it: it and it != moment,
            message="the third waits for its own time",
        )


async def test_one_end_alone_is_told_as_itself(app: FastAPI, client: httpx.AsyncClient) -> None:
    world: Runtime = await app.state.starting.runtime()
    async with receiving() as receiver:
        await add_webhook(client, receiver, digest={"at": "18:00", "zone": "Europe/Berlin"})
        await ask(client, "ping test")
        moment = await due(world)
        assert moment == end_of_window({"at": "18:00", "zone": "Europe/Berlin"}, datetime.now(UTC))
        await quick(world, clock=lambda: moment).deliver_due()
        assert (await received(receiver, 1))[0]["type"] == "done"


async def test_two_processes_send_one_digest(app: FastAPI, client: httpx.AsyncClient) -> None:
    world: Runtime = await app.state.starting.runtime()
    async with receiving() as receiver:
        await add_webhook(client, receiver, digest={"minutes": 30})
        for _ in range(3):
            await ask(client, "ping test")
        moment = await due(world)
        for process in (quick(world, clock=lambda: moment), quick(world, clock=lambda: moment)):
            await process.deliver_due()
        await received(receiver, 1)
        await eventually(world.store.next_delivery, lambda it: it is None, message="all of it is settled")
        assert [len(json.loads(one.body)["items"]) for one in receiver.received] == [3]


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        ("2026-07-01T15:59:00+00:00", "2026-07-01T16:00:00+00:00"),
        ("2026-07-01T16:00:00+00:00", "2026-07-02T16:00:00+00:00"),
        ("2026-10-24T17:00:00+00:00", "2026-10-25T17:00:00+00:00"),  # the night in which clocks are set back
    ],
)
def test_the_time_of_a_day_is_local(moment: str, end: str) -> None:
    found = end_of_window({"at": "18:00", "zone": "Europe/Berlin"}, datetime.fromisoformat(moment))
    assert found == datetime.fromisoformat(end)


@pytest.mark.parametrize(
    "digest",
    [{}, {"minutes": 4}, {"minutes": 5, "at": "18:00", "zone": "UTC"}, {"at": "18:00"}, {"at": "25:00", "zone": "UTC"},
     {"at": "18:00", "zone": "Moon"}],
)  # fmt: skip
async def test_what_is_no_digest_is_refused(client: httpx.AsyncClient, digest: dict[str, Any]) -> None:
    async with receiving() as receiver:
        channel = await add_webhook(client, Receiver(url=receiver.url), digest={"minutes": 60})
        path = f"/api/channels/{channel['id']}"
        assert (await client.patch(path, json={"digest": digest})).status_code == 422
        assert (await client.patch(path, json={"mode": "away"})).json()["digest"]["minutes"] == 60
        assert (await client.patch(path, json={"digest": None})).json()["digest"] is None
