"""Hand-off: a link for one session's browser, made at the desktop, opened on a phone that is not logged in."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.phone import PHONE
from tests.e2e.screen import Screen


def link_of(screen: Screen, session: str) -> str:
    answer = screen.api.post(f"/sessions/{session}/handoff", json={"minutes": 5})
    return str(answer.raise_for_status().json()["link"])


def test_the_browser_is_handed_off_taken_and_given_back(open_screen: OpenScreen) -> None:
    desktop, phone = open_screen(), open_screen(logged_in=False, viewport=PHONE, has_touch=True)
    session = desktop.finished("ping test")
    desktop.open(session)
    desktop.button("More about this session").click()
    desktop.page.get_by_role("menuitem", name="Hand the browser off…").click()
    dialog = desktop.page.get_by_role("dialog", name="Hand the browser off", exact=True)
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("img", name="QR code of the link")).to_be_visible()
    link = str(dialog.get_by_label("Link", exact=True).text_content())
    phone.page.goto(link)
    expect(phone.button("Open the browser")).to_be_visible()
    expect(dialog.get_by_text("Nobody has opened the link yet.")).to_be_visible()
    phone.button("Open the browser").click()
    phone.button("Take over").click()
    expect(phone.button("I’m done")).to_be_visible()
    expect(phone.button("Back to the conversation")).to_have_count(0)
    expect(dialog.get_by_text("Someone has the browser through the link.")).to_be_visible()
    phone.page.reload()
    phone.button("Take over").click()
    phone.expect_errors("401")
    phone.button("I’m done").click()
    phone.page.get_by_role("dialog", name="Give the browser back?").get_by_role(
        "button", name="Give back"
    ).click()
    expect(phone.page.get_by_role("heading", name="This hand-off has ended.")).to_be_visible()
    expect(dialog.get_by_text("Someone has the browser through the link.")).to_have_count(0)
    assert desktop.api.get(f"/sessions/{session}/handoff").json() == {"items": []}
    desktop.page.keyboard.press("Escape")
    expect(desktop.feed.get_by_text("Someone drove the browser for")).to_be_visible()


def test_its_owner_ends_it(open_screen: OpenScreen) -> None:
    desktop, phone = open_screen(), open_screen(logged_in=False, viewport=PHONE)
    session = desktop.finished("ping test")
    desktop.open(session)
    phone.page.goto(link_of(desktop, session))
    phone.button("Open the browser").click()
    phone.button("Take over").click()
    expect(phone.button("I’m done")).to_be_visible()
    phone.expect_errors("401")
    desktop.button("More about this session").click()
    desktop.page.get_by_role("menuitem", name="Hand the browser off…").click()
    desktop.button("End it").click()
    expect(phone.page.get_by_role("heading", name="This hand-off has ended.")).to_be_visible()


@pytest.mark.parametrize(("scheme", "lang"), [("light", "en-US"), ("dark", "ru-RU")])
def test_the_pages_of_a_hand_off_are_accessible_and_fit(
    open_screen: OpenScreen, scheme: str, lang: str
) -> None:
    options = {"color_scheme": scheme, "locale": lang, "viewport": PHONE}
    owner, guest = open_screen(**options), open_screen(logged_in=False, **options)
    session = owner.new_session(title="Kettle")
    owner.page.goto(f"/s/{session}")
    word = {"en-US": ("More about this session", "Hand the browser off…", "Make a link"), "ru-RU": ("Ещё об этой сессии", "Передать браузер…", "Создать ссылку")}  # fmt: skip
    menu, item, make = word[lang]
    owner.button(menu).click()
    owner.page.get_by_role("menuitem", name=item).click()
    owner.button(make).click()
    expect(owner.page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    guest.page.goto(link_of(owner, session))
    expect(guest.page.get_by_role("button")).to_be_visible()
    for screen in (owner, guest):
        assert violations(screen.page) == []
        assert fits(screen.page)
    guest.page.get_by_role("button").click()
    expect(guest.page.get_by_role("region").first).to_be_visible()
    assert violations(guest.page) == []
    assert fits(guest.page)
