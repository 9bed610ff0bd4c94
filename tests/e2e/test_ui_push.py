"""Web Push: this device is added, its worker shows what comes, and a tap leads to the card. Nothing approves from there."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenPhone, OpenScreen
from tests.e2e.phone import PHONE, Phone
from tests.support.push_service import PushService, push_service_in_thread

pytestmark = pytest.mark.usefixtures("leaves_no_question")


@pytest.fixture(scope="module")
def service() -> Iterator[PushService]:
    with push_service_in_thread() as service:
        yield service


@pytest.fixture(autouse=True)
def no_channels(api: httpx.Client) -> Iterator[None]:
    yield
    for channel in api.get("/channels").json()["items"]:
        api.delete(f"/channels/{channel['id']}").raise_for_status()


@pytest.fixture
def phone(open_phone: OpenPhone, service: PushService) -> Phone:
    return open_phone(service)


def test_a_device_is_added_and_a_tap_on_its_notification_opens_the_card(phone: Phone) -> None:
    screen, page = phone.screen, phone.screen.page
    phone.add()
    screen.button("Send a test to Chrome, Linux").click()
    expect(page.get_by_text("The message was taken.")).to_be_visible()
    assert phone.deliver()["type"] == "test"
    session = screen.new_session(title="Kettle")
    screen.tell(session, "shop for a kettle")
    told = phone.deliver()
    shown = next(one for one in phone.notifications() if one["tag"] == told["reference"])
    assert shown == {
        "title": "Approval needed", "body": "Kettle\nClick “Place order” · shop.example · €43.90",
        "tag": told["reference"], "actions": ["deny", "stop"],
        "data": {"path": f"/s/{session}", "session": session, "reference": told["reference"]},
    }  # fmt: skip
    phone.tap(told["reference"])
    page.wait_for_url(f"**/s/{session}")
    card = page.get_by_role("region", name="Allow this action?")
    expect(card.get_by_role("button", name="Approve")).to_be_enabled()
    assert screen.stored(session)["pending"]  # opening it has decided nothing


@pytest.mark.parametrize(("action", "status"), [("deny", "completed"), ("stop", "cancelled")])
def test_deny_and_stop_need_no_page(phone: Phone, action: str, status: str) -> None:
    screen = phone.screen
    phone.add()
    session = screen.new_session(title="Kettle")
    screen.tell(session, "shop for a kettle")
    told = phone.deliver()
    phone.tap(told["reference"], action)
    screen.wait_until(
        lambda: screen.stored(session), lambda it: it["run"]["status"] == status, f"the run is {status}"
    )
    assert not any(one["tag"] == told["reference"] for one in phone.notifications())
    assert screen.page.url.endswith("/settings/notifications")


def test_a_deny_that_comes_too_late_leads_to_the_card(phone: Phone) -> None:
    screen = phone.screen
    phone.add()
    session = screen.new_session(title="Kettle")
    screen.tell(session, "shop for a kettle")
    told = phone.deliver()
    decision = {"reference": told["reference"], "confirmed": True}
    screen.api.post(f"/sessions/{session}/decision", json=decision).raise_for_status()
    screen.expect_errors("409")
    phone.tap(told["reference"], "deny")
    screen.page.wait_for_url(f"**/s/{session}")
    assert screen.stored(session)["interrupts"][0]["confirmed"] is True


@pytest.mark.parametrize(
    ("scheme", "lang", "add"), [("light", "en-US", "Add a channel"), ("dark", "ru-RU", "Добавить канал")]
)
def test_the_form_of_a_device_is_accessible_and_fits(
    open_screen: OpenScreen, service: PushService, scheme: str, lang: str, add: str
) -> None:
    screen = open_screen(color_scheme=scheme, locale=lang, viewport=PHONE)
    device = service.subscribe()
    body = {"kind": "push", "address": device.endpoint, "keys": device.keys, "name": "Phone"}
    screen.api.post("/channels", json=body).raise_for_status()
    screen.page.goto("/settings/notifications")
    screen.button(add).click()
    expect(screen.page.get_by_role("heading", name="Phone")).to_be_visible()
    assert violations(screen.page) == []
    assert fits(screen.page)


def test_the_page_can_be_installed(api: httpx.Client) -> None:
    url = str(api.base_url).removesuffix("/api/")
    with httpx.Client(base_url=url, trust_env=False) as stranger:
        manifest = stranger.get("/manifest.webmanifest")
        assert manifest.headers["content-type"] == "application/manifest+json"
        for icon in manifest.json()["icons"]:
            assert stranger.get(icon["src"]).headers["content-type"] == icon["type"]
        assert stranger.get("/sw.js").headers["cache-control"] == "no-cache"
        assert 'rel="manifest"' in stranger.get("/", headers={"accept": "text/html"}).text
