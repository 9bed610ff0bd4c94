"""Web Push: what reaches a device, who signed it, and what becomes of a device that is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.browser.chromium.reach import Reach
from server.channels.delivery import Delivery
from server.channels.destination import SendFailed
from server.channels.presence import Presence
from server.channels.push import PushKeys, send_push, subject_of
from server.runtime import Runtime
from server.settings import Settings
from tests.support.chat import new_session, send, wait_for_status
from tests.support.eventually import eventually
from tests.support.push_service import Device, Pushed, PushService, encode, push_service
from wording.catalogue import parts_of, sentence


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as service:
        yield service


async def subscribe(client: httpx.AsyncClient, service: PushService) -> Device:
    return service.subscribe((await client.get("/api/push/key")).json()["public_key"])


async def add(client: httpx.AsyncClient, device: Device, **body: Any) -> dict[str, Any]:
    body = {"kind": "push", "address": device.endpoint, "keys": device.keys, "name": "Phone", **body}
    answer = await client.post("/api/channels", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def asked(client: httpx.AsyncClient) -> tuple[str, str]:
    session_id = await new_session(client, title="Kettle")
    await send(client, session_id, "shop for a kettle")
    session = await wait_for_status(client, session_id, "waiting_user")
    return session_id, str(session["pending"]["reference"])


async def received(device: Device, count: int) -> list[Pushed]:
    return await eventually(
        lambda: device.received, lambda it: len(it) >= count, message=f"{count} messages have come"
    )


async def listed(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return list((await client.get("/api/channels")).json()["items"])


async def test_a_question_reaches_a_device_encrypted_and_signed(
    client: httpx.AsyncClient, service: PushService
) -> None:
    device = await subscribe(client, service)
    await add(client, device)
    session_id, reference = await asked(client)
    (pushed,) = await received(device, 1)
    body = pushed.body
    assert {key: body[key] for key in body if key not in ("at", "id")} == {
        "type": "question", "session_id": session_id, "session_title": "Kettle", "reference": reference,
        "kind": "order", "action": "Click “Place order”", "site": "shop.example", "amount": "€43.90",
        "action_de": "Klick auf „Place order“", "action_ru": "Нажать «Place order»",
        "link": f"http://127.0.0.1:8000/s/{session_id}", "open": 1,
    }  # fmt: skip
    assert pushed.headers["urgency"] == "high"
    assert pushed.headers["topic"] == body["id"]
    (shown,) = await eventually(
        lambda: listed(client), lambda it: it[0]["last_delivery"], message="it is told"
    )
    assert shown["address"] == "Phone"


async def test_what_is_about_to_be_sent_reaches_a_device_in_each_language(
    app: FastAPI, client: httpx.AsyncClient, service: PushService
) -> None:
    world: Runtime = await app.state.starting.runtime()
    device = await subscribe(client, service)
    key = await world.channels.push_keys.private_key()
    subscription = {"endpoint": device.endpoint, "keys": device.keys}
    words = sentence("held.request", act=sentence("held_act.order", word="orders"), host="shop.example")
    body = {"type": "question", "id": "1", "would_send": words, "would_send_parts": parts_of(words)}
    await send_push(subscription, body, key, subject_of(None, ""), Reach("always"))
    (pushed,) = await received(device, 1)
    assert pushed.body["would_send_ru"] == "заказ на shop.example"
    assert pushed.body["would_send_de"] == "Bestellung an shop.example"
    assert "would_send_parts" not in pushed.body


async def test_the_start_of_a_run_reaches_a_device(client: httpx.AsyncClient, service: PushService) -> None:
    device = await subscribe(client, service)
    await add(client, device)
    session_id = await new_session(client, ask_first=True)
    await send(client, session_id, "shop for a kettle")
    pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    (pushed,) = await received(device, 1)
    told = {key: pushed.body[key] for key in ("type", "kind", "action", "site", "reference", "link")}
    assert told == {
        "type": "question", "kind": "start", "action": "Start", "site": "shop.example",
        "reference": pending["reference"], "link": f"http://127.0.0.1:8000/s/{session_id}",
    }  # fmt: skip


async def test_a_device_added_again_keeps_its_place_and_its_keys_are_not_shown(
    client: httpx.AsyncClient, service: PushService, settings: Settings
) -> None:
    device = await subscribe(client, service)
    first = await add(client, device)
    second = await add(client, device, events=["question"], name="Same phone")
    assert first["id"] == second["id"]
    (shown,) = await listed(client)
    assert (shown["events"], shown["address"]) == (["question"], "Same phone")
    stored = b"".join(file.read_bytes() for file in settings.data_dir.glob("pilothouse.db*"))
    told = (await client.get("/api/channels")).text
    for secret in (device.endpoint, device.keys["p256dh"], device.keys["auth"]):
        assert secret not in told
        assert secret.encode() not in stored


async def test_a_device_gets_nothing_in_its_quiet_hours_and_then_it_does(
    app: FastAPI, client: httpx.AsyncClient, service: PushService
) -> None:
    world: Runtime = await app.state.starting.runtime()
    device, other = await subscribe(client, service), await subscribe(client, service)
    local = datetime.now(UTC)
    begin, end = (f"{local + timedelta(hours=hours):%H:%M}" for hours in (-1, 1))
    await add(client, device, quiet={"from": begin, "to": end, "zone": "UTC"})
    await add(client, other, name="Tablet")
    await asked(client)
    await received(other, 1)
    due = await eventually(
        world.store.next_delivery, lambda it: it and it > local + timedelta(minutes=50), message="it waits"
    )
    assert device.received == []
    assert f"{due:%H:%M}" == end
    later = Delivery(world.store, world.channels, Presence(), lambda: "http://a.example", clock=lambda: due)
    await later.deliver_due()
    (pushed,) = await received(device, 1)
    assert pushed.body["type"] == "question"


async def test_a_device_in_away_mode_gets_nothing_while_a_page_is_visible(
    app: FastAPI, client: httpx.AsyncClient, service: PushService
) -> None:
    world: Runtime = await app.state.starting.runtime()
    device, other = await subscribe(client, service), await subscribe(client, service)
    await add(client, device, mode="away", events=["question", "done"])
    await add(client, other, name="Tablet", events=["question", "done"])
    world.presence.report("page", is_visible=True)
    _, reference = await asked(client)
    await received(other, 1)
    (session,) = (await client.get("/api/sessions")).json()["items"]
    path = f"/api/sessions/{session['id']}/decision"
    await client.post(path, json={"reference": reference, "confirmed": True})
    await received(other, 2)
    assert device.received == []  # it was answered, and the end was seen
    world.presence.report("page", is_visible=False)
    await asked(client)
    (pushed,) = await received(device, 1)
    assert pushed.body["type"] == "question"


@pytest.mark.parametrize("status", [404, 410])
async def test_a_device_that_is_gone_is_removed(
    client: httpx.AsyncClient, service: PushService, status: int
) -> None:
    gone, other = await subscribe(client, service), await subscribe(client, service)
    await add(client, gone)
    service.answers = [status]
    await asked(client)
    await eventually(lambda: listed(client), lambda it: it == [], message="the device is removed")
    channel = await add(client, other)
    service.devices.clear()
    tested = (await client.post(f"/api/channels/{channel['id']}/test")).json()
    assert tested == {"ok": False, "detail": "the device does not take messages any more"}
    assert await listed(client) == []


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('{"reason":"BadJwtToken"}', ": BadJwtToken"),
        ("the key does not match\n", ": the key does not match"),
        ("<html>Forbidden</html>", ""),
        ("[1]", ""),
        ("", ""),
        ("x" * 5000, ": " + "x" * 119 + "…"),
    ],
)
async def test_the_reason_of_a_refused_push_is_shown(
    client: httpx.AsyncClient, service: PushService, said: str, why: str
) -> None:
    channel = await add(client, await subscribe(client, service))
    service.answers, service.reason = [403], said
    tested = (await client.post(f"/api/channels/{channel['id']}/test")).json()
    assert tested == {"ok": False, "detail": f"it answered 403{why}"}


@pytest.mark.parametrize(
    ("contact", "public_url", "subject"),
    [
        (None, "https://pilot.example", "https://pilot.example"),
        (None, "https://host.example/pilot", "https://host.example/pilot"),
        (None, "https://nas.lan", "mailto:pilothouse@example.com"),
        (None, "https://192.168.1.2:8443", "mailto:pilothouse@example.com"),
        (None, "http://pilot.example", "mailto:pilothouse@example.com"),
        ("mailto:me@host.example", "https://nas.lan", "mailto:me@host.example"),
    ],
)
def test_a_push_names_a_contact_that_the_service_can_reach(
    contact: str | None, public_url: str, subject: str
) -> None:
    assert subject_of(contact, public_url) == subject


async def test_a_service_that_is_down_is_tried_again_and_the_device_stays(
    client: httpx.AsyncClient, service: PushService
) -> None:
    device = await subscribe(client, service)
    channel = await add(client, device)
    service.answers = [503]
    tested = (await client.post(f"/api/channels/{channel['id']}/test")).json()
    assert tested == {"ok": False, "detail": "it answered 503"}
    assert (await client.post(f"/api/channels/{channel['id']}/test")).json()["ok"]
    assert (await received(device, 1))[0].body["type"] == "test"


async def test_a_device_that_got_a_new_address_keeps_its_settings(
    client: httpx.AsyncClient, service: PushService
) -> None:
    former, device = await subscribe(client, service), await subscribe(client, service)
    channel = await add(client, former, events=["question"])
    path = f"/api/channels/{channel['id']}"
    body = {"address": device.endpoint, "keys": device.keys, "name": "Phone"}
    assert (await client.patch(path, json=body)).json()["events"] == ["question"]
    await client.post(f"{path}/test")
    assert len(await received(device, 1)) == 1
    assert former.received == []


@pytest.mark.parametrize(
    "change",
    [
        {"keys": None},
        {"keys": {"p256dh": "BBBB", "auth": encode(b"0" * 16)}},
        {"keys": {"p256dh": encode(b"\x04" + b"1" * 64), "auth": encode(b"0" * 16)}},
        {"keys": {"p256dh": "", "auth": "short"}},
        {"address": "http://169.254.169.254/latest"},
        {"address": "http://127.0.0.1:8000/api/purge"},
        {"kind": "webhook"},
    ],
)
async def test_what_cannot_be_a_device_is_refused(
    client: httpx.AsyncClient, service: PushService, change: dict[str, Any]
) -> None:
    device = service.subscribe()
    body = {"kind": "push", "address": device.endpoint, "keys": device.keys} | change
    assert (await client.post("/api/channels", json=body)).status_code == 422
    assert await listed(client) == []


async def test_private_addresses_are_refused_when_the_connection_is_made(
    app: FastAPI, client: httpx.AsyncClient, service: PushService
) -> None:
    world: Runtime = await app.state.starting.runtime()
    device = await subscribe(client, service)
    key = await world.channels.push_keys.private_key()
    subscription = {"endpoint": device.endpoint.replace("127.0.0.1", "localhost"), "keys": device.keys}
    with pytest.raises(SendFailed, match="may not be reached"):
        await send_push(subscription, {"type": "test", "id": "1"}, key, subject_of(None, ""), Reach("never"))
    assert device.received == []


async def test_the_key_is_made_once_and_kept_encrypted(app: FastAPI, client: httpx.AsyncClient) -> None:
    world: Runtime = await app.state.starting.runtime()
    told = (await client.get("/api/push/key")).json()["public_key"]
    again = PushKeys(world.store, world.preferences)
    assert await again.public_key() == told
    stored = await world.store.secret("vapid")
    assert stored is not None
    number = (await again.private_key()).private_numbers().private_value
    assert f"{number:064x}".encode() not in stored
    await world.store.put_secret("vapid", b"another process was slower", None)
    assert await world.store.secret("vapid") == stored
