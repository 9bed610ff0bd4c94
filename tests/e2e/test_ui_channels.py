"""Channels in the settings: added, tested, changed, removed; a question reaches a local receiver."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen


@dataclass
class Hook:
    """A webhook on loopback."""

    url: str = ""
    received: list[tuple[str, bytes]] = field(default_factory=list)
    """The signature and the body of each message."""


@pytest.fixture
def hook() -> Iterator[Hook]:
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            hook.received.append((self.headers["pilothouse-signature"], body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hook.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield hook
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_channels(api: httpx.Client) -> Iterator[None]:
    yield
    for channel in api.get("/channels").json()["items"]:
        api.delete(f"/channels/{channel['id']}").raise_for_status()


def test_a_webhook_is_added_and_told_of_a_question(screen: Screen, hook: Hook) -> None:
    page = screen.page
    page.goto("/settings/notifications")
    expect(page.get_by_text("No channels yet.")).to_be_visible()
    screen.button("Add a channel").click()
    page.get_by_text("Webhook", exact=True).click()
    page.get_by_label("Address", exact=True).fill(f"{hook.url}/secret-path")
    page.get_by_label("Tasks that are done", exact=True).uncheck()
    screen.button("Add a channel").click()
    dialog = page.get_by_role("dialog", name="Secret of the webhook")
    secret = str(dialog.locator("code").text_content())
    assert len(secret) > 30
    dialog.get_by_role("button", name="Close").last.click()
    expect(page.get_by_role("heading", name=f"{hook.url}/…")).to_be_visible()
    expect(page.get_by_text("secret-path")).to_have_count(0)
    screen.button(f"Send a test to {hook.url}/…").click()
    expect(page.get_by_text("The message was taken.")).to_be_visible()
    session = screen.new_session(title="Kettle")
    screen.tell(session, "shop for a kettle")
    screen.wait_until(lambda: hook.received, lambda it: len(it) == 2, "the question is told")
    (_, test), (signature, body) = hook.received
    assert json.loads(test)["type"] == "test"
    told = json.loads(body)
    assert (told["type"], told["amount"], told["link"]) == (
        "question", "€43.90", f"{screen.server.url}/s/{session}",
    )  # fmt: skip
    moment, digest = (part.split("=")[1] for part in signature.split(","))
    assert hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest() == digest
    page.goto(told["link"])
    card = page.get_by_role("region", name="Allow this action?")
    expect(card.get_by_role("button", name="Approve")).to_be_enabled()
    assert screen.stored(session)["pending"]  # opening the link has decided nothing
    card.get_by_role("button", name="Deny", exact=True).click()
    expect(card).to_have_count(0)


def test_a_channel_is_changed_and_removed_and_what_is_refused_is_said(screen: Screen, hook: Hook) -> None:
    page = screen.page
    screen.expect_errors("422")
    page.goto("/settings/notifications")
    screen.button("Add a channel").click()
    page.get_by_text("Service", exact=True).click()
    page.get_by_label("Address", exact=True).fill("nonsense://x")
    screen.button("Add a channel").click()
    expect(page.get_by_role("alert")).to_contain_text("not an address that Apprise knows")
    page.get_by_label("Address", exact=True).fill(f"ntfy://{hook.url.removeprefix('http://')}/boats")
    screen.button("Add a channel").click()
    screen.button("Edit ntfy (ntfy://…)").click()
    page.get_by_text("When I am away", exact=True).click()
    page.get_by_role("switch", name="Quiet hours").click()
    page.get_by_label("From", exact=True).fill("23:00")
    page.get_by_label("Time zone", exact=True).fill("Europe/Berlin")
    screen.button("Save").click()
    expect(screen.button("Edit ntfy (ntfy://…)")).to_be_visible()
    (channel,) = screen.api.get("/channels").json()["items"]
    assert channel["mode"] == "away"
    assert channel["quiet"] == {"from": "23:00", "to": "07:00", "zone": "Europe/Berlin"}
    screen.button("Delete ntfy (ntfy://…)").click()
    expect(page.get_by_text("No channels yet.")).to_be_visible()


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru-RU", 360), ("dark", "en-US", 1440)])
def test_the_form_is_accessible_and_fits(
    open_screen: OpenScreen, scheme: str, lang: str, width: int, hook: Hook
) -> None:
    screen = open_screen(color_scheme=scheme, locale=lang, viewport={"width": width, "height": 800})
    body = {"kind": "webhook", "address": f"{hook.url}/a"}
    screen.api.post("/channels", json=body).raise_for_status()
    screen.page.goto("/settings/notifications")
    expect(screen.page.get_by_role("heading", name=f"{hook.url}/…")).to_be_visible()
    screen.button({"en-US": "Add a channel", "ru-RU": "Добавить канал"}[lang]).click()
    screen.page.get_by_role("switch").first.click()
    assert violations(screen.page) == []
    assert fits(screen.page)
