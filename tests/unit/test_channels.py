"""Messages outside of the web UI: what is sent, to whom, when, and what leaves the server."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, select

from server.auth.gate import allowed_hosts
from server.browser.chromium.reach import Reach
from server.channels.checked_connection import checked_connections
from server.channels.delivery import CLAIM, Delivery
from server.channels.destination import SendFailed
from server.channels.messages import MAX_DIGEST_ITEMS, body_of, digest_of, in_words
from server.channels.presence import VISIBLE_SECONDS, Presence
from server.channels.quiet import end_of_quiet
from server.channels.services import send_by_service
from server.channels.webhook import send_webhook
from server.database.models import DeliveryRow
from server.events import ConfirmQuestion, Target
from server.main import create_app
from server.runtime import Runtime
from server.settings import Settings
from server.store.channels import facts_of
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session, send, wait_for_status
from tests.support.eventually import eventually
from tests.support.receivers import Receiver, receiving
from wording.catalogue import joined, parts_of, sentence
from wording.step_words import act_words

ANYWHERE = Reach("always")


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


async def add_webhook(client: httpx.AsyncClient, receiver: Receiver, **body: Any) -> dict[str, Any]:
    answer = await client.post(
        "/api/channels", json={"kind": "webhook", "address": f"{receiver.url}/hook", **body}
    )
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def listed(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return list((await client.get("/api/channels")).json()["items"])


async def received(receiver: Receiver, count: int, *, timeout: float = 60) -> list[dict[str, Any]]:
    found = await eventually(
        lambda: receiver.received,
        lambda it: len(it) >= count,
        message=f"{count} messages have come",
        timeout=timeout,
    )
    return [json.loads(one.body) for one in found]


async def asked(client: httpx.AsyncClient, title: str = "Kettle") -> tuple[str, dict[str, Any]]:
    session_id = await new_session(client, title=title)
    await send(client, session_id, "shop for a kettle")
    session = await wait_for_status(client, session_id, "waiting_user")
    return session_id, session["pending"]


async def test_a_question_reaches_the_webhook_signed_and_says_no_more_than_it_may(
    client: httpx.AsyncClient, receiver: Receiver
) -> None:
    channel = await add_webhook(client, receiver)
    session_id, pending = await asked(client)
    (body,) = await received(receiver, 1)
    assert body["at"]
    assert body["id"]
    assert {key: body[key] for key in body if key not in ("at", "id")} == {
        "type": "question", "session_id": session_id, "session_title": "Kettle", "reference": pending["reference"],
        "kind": "order", "action": "Click “Place order”", "site": "shop.example", "amount": "€43.90",
        "action_parts": parts_of(joined((act_words("click"), sentence("quoted", text="Place order")))),
        "link": f"http://127.0.0.1:8000/s/{session_id}",
    }  # fmt: skip
    (one,) = receiver.received
    moment, signature = (part.split("=")[1] for part in one.headers["pilothouse-signature"].split(","))
    signed = moment.encode() + b"." + one.body
    assert hmac.new(channel["secret"].encode(), signed, hashlib.sha256).hexdigest() == signature
    await eventually(lambda: listed(client), lambda it: it[0]["last_delivery"], message="it is told")


def test_the_name_of_a_control_forges_no_other_part_of_a_message() -> None:
    name = "Send” · bank.example · €1\u2028· bank.example \u202eevil\u2066 · €2\n· bank.example"
    question = ConfirmQuestion(
        reference="1", reason="r", risk="order", action={"kind": "click"}, target=Target(role="button", name=name),
        url="https://evil.example/bank.example", amount="€900", digest="d", asked_at=0.0,
        expires_at=datetime.now(UTC),
    )  # fmt: skip
    _, text = in_words({"type": "question", "session_title": "t", "link": "l"} | facts_of(question))
    assert text.split("\n") == [
        "t", "Click “Send bank.example €1 bank.example evil €2 bank.example” · evil.example · €900", "l",
    ]  # fmt: skip


def test_a_message_is_in_the_language_of_the_person() -> None:
    question = ConfirmQuestion(
        reference="1", reason="r", risk="order", action={"kind": "click"}, target=Target(role="button", name="Bestellen"),
        url="https://shop.example/", amount="43,90 EUR", digest="d", asked_at=0.0, expires_at=datetime.now(UTC),
    )  # fmt: skip
    body = {"type": "question", "session_title": "Kessel", "link": "l"} | facts_of(question)
    assert in_words(body, "de") == (
        "Pilothouse: Erlaubnis nötig", "Kessel\nKlick auf „Bestellen“ · shop.example · 43,90 EUR\nl",
    )  # fmt: skip
    at = datetime(2026, 11, 5, 9, 7, tzinfo=UTC)
    ended = body_of(
        type="done",
        id="1",
        session_id="s",
        session_title="Kessel",
        about="r",
        facts={},
        public_url="http://p",
        at=at,
    )
    digest = digest_of([ended] * (MAX_DIGEST_ITEMS + 1), "http://p", at)
    title, text = in_words(digest, "ru")
    assert title == "Pilothouse: выполнено: 21, не выполнено: 0"
    assert text.split("\n")[0] == "2026-11-05 09:07 Задача выполнена: Kessel"
    assert text.split("\n")[-2:] == ["и ещё 1", "http://p"]


async def test_the_end_of_a_run_is_told_once_to_those_who_want_it(client: httpx.AsyncClient) -> None:
    async with receiving() as ends, receiving() as questions:
        await add_webhook(client, ends, events=["done", "failed"])
        await add_webhook(client, questions, events=["question", "manual"])
        session_id, _ = await ask(client, "ping test")
        failed, _ = await ask(client, "error please")
        manual = await new_session(client)
        await send(client, manual, "log in to my mail")
        told = await received(ends, 2)
        assert [(one["type"], one["session_id"]) for one in told] == [
            ("done", session_id),
            ("failed", failed),
        ]
        (one,) = await received(questions, 1)
        assert (one["type"], one["session_id"], one["site"]) == ("manual", manual, "mail.example")
        assert "log in" not in json.dumps({**one, "session_title": ""})
        await client.post(f"/api/sessions/{manual}/cancel")
        assert len(ends.received) == 2


async def test_secret_and_address_are_told_once_and_stored_encrypted(
    client: httpx.AsyncClient, settings: Settings, receiver: Receiver
) -> None:
    address = f"{receiver.url}/token-of-mine"
    channel = await add_webhook(client, receiver, address=address)
    assert channel["secret"]
    (shown,) = await listed(client)
    assert shown["address"] == f"{receiver.url}/…"
    assert "secret" not in shown
    stored = b"".join(file.read_bytes() for file in settings.data_dir.glob("pilothouse.db*"))
    assert shown["address"].encode() in stored
    assert b"token-of-mine" not in stored
    assert channel["secret"].encode() not in stored


async def test_a_channel_is_changed_tested_and_removed(client: httpx.AsyncClient, receiver: Receiver) -> None:
    channel = await add_webhook(client, receiver)
    path = f"/api/channels/{channel['id']}"
    quiet = {"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"}
    changed = await client.patch(path, json={"events": ["failed"], "mode": "away", "quiet": quiet})
    assert {"events": ["failed"], "mode": "away", "quiet": quiet}.items() <= changed.json().items()
    assert (await client.patch(path, json={"quiet": None})).json()["quiet"] is None
    assert (await client.post(f"{path}/test")).json()["ok"]
    (body,) = await received(receiver, 1)
    assert body["type"] == "test"
    receiver.answers = [500]
    assert (await client.post(f"{path}/test")).json() == {"ok": False, "detail": "it answered 500"}
    assert (await client.delete(path)).status_code == 204
    assert await listed(client) == []
    assert (await client.delete(path)).status_code == 404
    assert (await client.post(f"{path}/test")).status_code == 404
    assert (await client.patch(path, json={"mode": "away"})).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "webhook", "address": "ftp://files.example/x"},
        {"kind": "webhook", "address": "http://169.254.169.254/latest"},
        {"kind": "webhook", "address": "http://127.0.0.1:8000/api/purge"},
        {"kind": "apprise", "address": "nonsense://x"},
        {"kind": "apprise", "address": "dbus://anything"},
        {"kind": "webhook", "address": "https://a.example/x", "events": []},
        {"kind": "webhook", "address": "https://a.example/x", "quiet": {"from": "22:00", "to": "07:00", "zone": "Moon"}},
        {"kind": "webhook", "address": "https://a.example/x", "quiet": {"from": "27:00", "to": "07:00", "zone": "UTC"}},
    ],
)  # fmt: skip
async def test_what_cannot_be_a_channel_is_refused(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await client.post("/api/channels", json=body)).status_code == 422
    assert await listed(client) == []


async def test_private_addresses_are_refused_when_the_connection_is_made(receiver: Receiver) -> None:
    never = Reach("never")
    port = receiver.url.rpartition(":")[2]
    for host in (
        "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:7f00:1]", "[::1%25lo]",
        "１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1",
    ):  # fmt: skip
        with pytest.raises(SendFailed, match=r"(may not|cannot) be reached"):
            await send_webhook(f"http://{host}:{port}/", "s", {}, never)
    assert receiver.received == []
    await send_webhook(f"http://localhost:{port}/", "s", {}, ANYWHERE)
    assert len(receiver.received) == 1


async def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.answers = [307]
    with pytest.raises(SendFailed, match="it answered 307"):
        await send_webhook(receiver.url, "s", {}, ANYWHERE)
    assert len(receiver.received) == 1


async def test_a_service_does_not_follow_a_redirect_even_if_its_address_says_so(receiver: Receiver) -> None:
    receiver.answers = [307]
    address = f"ntfy://{receiver.url.removeprefix('http://')}/boats?redirect=yes"
    body = {"type": "test", "id": "1", "session_title": "t", "link": "http://a.example/"}
    with pytest.raises(SendFailed, match="did not take"):
        await send_by_service(address, body, ANYWHERE)
    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    "service",
    [
        "ntfy://127.0.0.1:{}/boats",
        "json://127.0.0.1:{}/",
        "mailto://a:b@c.example:{}?smtp=127.0.0.1&mode=insecure",
    ],
)
async def test_a_service_connects_to_no_private_address(receiver: Receiver, service: str) -> None:
    body = {"type": "test", "id": "1", "session_title": "t", "link": "http://a.example/"}
    address = service.format(receiver.url.rpartition(":")[2])
    with pytest.raises(SendFailed, match="private addresses are not opened under this name"):
        await send_by_service(address, body, Reach("never"))
    assert receiver.received == []


async def test_a_name_that_changes_its_address_leads_a_service_nowhere(receiver: Receiver) -> None:
    """What counts is the address of the connection, under the name that was resolved last."""
    place = ("127.0.0.1", int(receiver.url.rpartition(":")[2]))

    def connect_as(name: str) -> None:
        sys.audit("socket.getaddrinfo", name, place[1], 0, 0, 0)  # as the resolver reports it
        with socket.socket() as one:
            one.connect(place)

    with checked_connections(Reach("by name")) as connections:
        connect_as("nas")
        with pytest.raises(PermissionError):
            connect_as("shop.example")
        assert "shop.example" in str(connections.refused)
        await asyncio.to_thread(connect_as, "shop.example")  # another thread, which is not checked
    connect_as("shop.example")


async def test_a_message_reaches_a_service_by_its_own_protocol(client: httpx.AsyncClient) -> None:
    async with receiving() as ntfy:
        address = f"ntfy://{ntfy.url.removeprefix('http://')}/boats"
        answer = await client.post("/api/channels", json={"kind": "apprise", "address": address})
        assert answer.status_code == 201, answer.text
        assert answer.json()["secret"] is None
        assert (await listed(client))[0]["address"] == "ntfy (ntfy://…)"
        session_id, _ = await asked(client)
        (body,) = await received(ntfy, 1)
        assert body["topic"] == "boats"
        assert body["title"] == "Pilothouse: Approval needed"
        assert body["message"].splitlines() == [
            "Kettle", "Click “Place order” · shop.example · €43.90", f"http://127.0.0.1:8000/s/{session_id}",
        ]  # fmt: skip


def quick(world: Runtime, **options: Any) -> Delivery:
    """A delivery besides the server's own, with pauses that take no time."""
    url = world.settings.public_address
    return Delivery(
        world.store, world.channels, world.presence, lambda: url, **({"back_off": (0.0,) * 4} | options)
    )


async def test_five_tries_with_one_id_then_the_channel_is_failing(
    app: FastAPI, client: httpx.AsyncClient, receiver: Receiver
) -> None:
    world: Runtime = await app.state.starting.runtime()
    await add_webhook(client, receiver)
    receiver.answers = [500] * 5
    await asked(client)
    await received(receiver, 1)
    later = quick(world, clock=lambda: datetime.now(UTC) + timedelta(seconds=50))
    task = asyncio.create_task(later.run())
    bodies = await received(receiver, 5)
    (channel,) = await eventually(lambda: listed(client), lambda it: it[0]["failing"], message="it is told")
    assert channel["failing"] == "it answered 500"
    assert len({body["id"] for body in bodies}) == 1
    assert len(receiver.received) == 5
    await asked(client, "Another")
    await eventually(lambda: listed(client), lambda it: not it[0]["failing"], message="it works again")
    task.cancel()


async def test_a_silent_channel_holds_up_neither_runs_nor_other_channels(client: httpx.AsyncClient) -> None:
    async with receiving() as silent, receiving() as other:
        silent.is_silent = asyncio.Event()
        await add_webhook(client, silent)
        await add_webhook(client, other)
        session_id, pending = await asked(client)
        await received(silent, 1)
        await received(other, 1)
        decision = {"reference": pending["reference"], "confirmed": True}
        await client.post(f"/api/sessions/{session_id}/decision", json=decision)
        await wait_for_status(client, session_id, "completed")
        await received(other, 2)
        silent.is_silent.set()


async def test_what_a_server_did_not_deliver_the_next_one_does(settings: Settings) -> None:
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with receiving([500]) as receiver:
        app = create_app(settings)
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            await add_webhook(client, receiver)
            await asked(client)
            await received(receiver, 1)
        app = create_app(settings)
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            first, second = await received(receiver, 2)
            assert first == second


async def test_what_is_being_sent_when_a_server_ends_is_sent_by_the_next_one_at_once(
    settings: Settings,
) -> None:
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with receiving() as receiver:
        receiver.is_silent = silence = asyncio.Event()
        app = create_app(settings)
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            await add_webhook(client, receiver)
            await asked(client)
            await received(receiver, 1)
        receiver.is_silent = None
        silence.set()
        app = create_app(settings)
        async with app.router.lifespan_context(app):
            first, second = await received(receiver, 2, timeout=CLAIM.total_seconds() / 2)
            assert first == second


async def test_a_question_that_was_answered_meanwhile_is_not_told(
    app: FastAPI, client: httpx.AsyncClient, receiver: Receiver
) -> None:
    world: Runtime = await app.state.starting.runtime()
    await add_webhook(client, receiver, events=["question"])
    receiver.answers = [500]
    session_id, pending = await asked(client)
    await received(receiver, 1)
    body = {"reference": pending["reference"], "confirmed": False}
    await client.post(f"/api/sessions/{session_id}/decision", json=body)
    due = await eventually(world.store.next_delivery, message="it is to be tried again")
    assert due
    await quick(world, clock=lambda: due).deliver_due()
    await eventually(world.store.next_delivery, lambda it: it is None, message="it is dropped")
    assert len(receiver.received) == 1


async def test_an_away_channel_waits_while_a_page_is_visible(
    app: FastAPI, client: httpx.AsyncClient, receiver: Receiver
) -> None:
    world: Runtime = await app.state.starting.runtime()
    await add_webhook(client, receiver, mode="away")
    await client.post("/api/presence", json={"page": "a", "visible": True})
    await ask(client, "ping test")
    await asked(client)
    due = await eventually(lambda: world.database.read(put_off), message="the question waits")
    assert due
    assert receiver.received == []
    await client.post("/api/presence", json={"page": "a", "visible": False})
    await quick(world, clock=lambda: due).deliver_due()
    (body,) = await received(receiver, 1)
    assert body["type"] == "question"


def put_off(db: Connection) -> datetime | None:
    """When a question is due that was put off. One that is being delivered counts a try, and is due later, too."""
    row = DeliveryRow
    found = select(row.next_at).where(row.type == "question", row.status == "pending", row.tries == 0)
    return db.scalar(found.where(row.next_at > row.created_at))


def test_a_page_that_says_nothing_more_is_not_visible_any_more() -> None:
    clock = 0.0
    presence = Presence(lambda: clock)
    assert presence.is_away
    presence.report("a", is_visible=True)
    presence.report("b", is_visible=True)
    presence.report("a", is_visible=False)
    assert not presence.is_away
    clock += VISIBLE_SECONDS + 1
    assert presence.is_away


def test_a_page_that_is_visible_at_another_process_counts() -> None:
    one, two = Presence(lambda: 0.0), Presence(lambda: 0.0)
    one.share(two.share(lambda _: None))
    one.report("a", is_visible=True)
    assert not two.is_away
    one.report("a", is_visible=False)
    assert two.is_away
    two.share(lambda _: None)(b"of another version")


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        ("2026-07-01T19:59:59+00:00", None),
        ("2026-07-01T20:00:00+00:00", "2026-07-02T05:00:00+00:00"),
        ("2026-07-02T04:59:59+00:00", "2026-07-02T05:00:00+00:00"),
        ("2026-07-02T05:00:00+00:00", None),
        ("2026-10-24T21:00:00+00:00", "2026-10-25T06:00:00+00:00"),  # the night in which clocks are set back
    ],
)
def test_quiet_hours_hold_in_local_time(moment: str, end: str | None) -> None:
    quiet = {"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"}
    found = end_of_quiet(quiet, datetime.fromisoformat(moment))
    assert found == (datetime.fromisoformat(end) if end else None)


async def test_nothing_is_sent_in_quiet_hours_and_then_it_is(
    app: FastAPI, client: httpx.AsyncClient, receiver: Receiver
) -> None:
    world: Runtime = await app.state.starting.runtime()
    now = datetime.now(UTC)
    quiet = {
        "from": f"{now - timedelta(hours=1):%H:%M}", "to": f"{now + timedelta(hours=1):%H:%M}", "zone": "UTC"
    }  # fmt: skip
    await add_webhook(client, receiver, quiet=quiet)
    await asked(client)
    due = await eventually(
        world.store.next_delivery, lambda it: it and it > now + timedelta(minutes=50), message="it waits"
    )
    assert due
    assert receiver.received == []
    await quick(world, clock=lambda: due).deliver_due()
    assert len(await received(receiver, 1)) == 1


async def test_what_is_purged_is_not_told(app: FastAPI, client: httpx.AsyncClient) -> None:
    world: Runtime = await app.state.starting.runtime()
    async with receiving([500]) as receiver:
        await add_webhook(client, receiver)
        session_id, _ = await asked(client)
        await received(receiver, 1)
        await client.delete(f"/api/sessions/{session_id}", params={"purge": True})
        assert await world.store.next_delivery() is None


async def test_links_lead_to_the_public_url_whose_host_is_trusted(settings: Settings) -> None:
    public = Settings.model_validate(settings.model_dump() | {"public_url": "https://pilot.example/"})
    assert public.public_address == "https://pilot.example"
    assert "pilot.example" in allowed_hosts(public)
    assert "pilot.example" not in allowed_hosts(settings)
    below = Settings.model_validate(
        settings.model_dump() | {"public_url": "https://host.example/apps/pilot/"}
    )
    assert (below.public_address, below.base_path) == ("https://host.example/apps/pilot", "/apps/pilot")
    for odd in (
        "https://pilot.example/?a",
        "https://pilot.example/a b",
        "https://pilot.example//x",
        "pilot.example",
    ):
        with pytest.raises(ValueError, match="use an address such as"):
            Settings.model_validate(settings.model_dump() | {"public_url": odd})
