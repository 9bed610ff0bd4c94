"""A link that needs no login: two taps from the message to a decision, on a phone that knows nothing of the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.phone import PHONE
from tests.e2e.screen import Screen
from tests.support.push_service import Device, PushService, push_service_in_thread

pytestmark = pytest.mark.usefixtures("leaves_no_question")


@pytest.fixture(scope="module")
def service() -> Iterator[PushService]:
    with push_service_in_thread() as service:
        yield service


@pytest.fixture
def device(api: httpx.Client, service: PushService) -> Iterator[Device]:
    """Gets messages with links that need no login."""
    device = service.subscribe()
    body = {"kind": "push", "address": device.endpoint, "keys": device.keys, "links": True}
    channel = api.post("/channels", json=body).raise_for_status().json()
    yield device
    api.delete(f"/channels/{channel['id']}").raise_for_status()


def asked(screen: Screen, device: Device, text: str = "shop for a kettle") -> tuple[str, str]:
    """A session with an open question, and the link to it."""
    session, count = screen.new_session(title="Kettle"), len(device.received) + 1
    screen.tell(session, text)
    screen.wait_until(lambda: device.received, lambda it: len(it) == count, "the message has come")
    return session, str(device.received[-1].body["link"])


def card(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Allow this action?")


def test_two_taps_decide_and_the_link_is_used_up(open_screen: OpenScreen, device: Device) -> None:
    phone, other = (open_screen(logged_in=False, viewport=PHONE) for _ in range(2))
    session, link = asked(phone, device)
    for screen in (phone, other):
        screen.page.goto(link)
        expect(card(screen).get_by_role("img")).to_have_js_property("complete", True)
        expect(card(screen).get_by_text("€43.90").last).to_be_visible()
        expect(screen.page.get_by_role("checkbox")).to_have_count(
            0
        )  # a grant would be more than this question
    assert phone.stored(session)["pending"]
    card(phone).get_by_role("button", name="Approve").click()
    expect(phone.page.get_by_text("Your answer was taken.")).to_be_visible()
    other.expect_errors("401")
    card(other).get_by_role("button", name="Deny", exact=True).click()
    expect(card(other).get_by_role("alert")).to_contain_text("not valid")
    other.page.reload()
    expect(other.page.get_by_text("This link is not valid any more.")).to_be_visible()
    run: dict[str, Any] = phone.stored(session)
    assert run["interrupts"][0]["confirmed"] is True
    other.page.get_by_role("link", name="Log in").click()
    expect(other.page.get_by_label("Password", exact=True)).to_be_visible()


@pytest.mark.parametrize(("scheme", "lang"), [("light", "en-US"), ("dark", "ru-RU")])
def test_the_page_of_a_link_is_accessible_and_fits(
    open_screen: OpenScreen, device: Device, scheme: str, lang: str
) -> None:
    screen = open_screen(logged_in=False, color_scheme=scheme, locale=lang, viewport=PHONE)
    _, link = asked(screen, device)
    screen.page.goto(link)
    expect(screen.page.get_by_role("heading", name="Kettle")).to_be_visible()
    assert violations(screen.page) == []
    assert fits(screen.page)
