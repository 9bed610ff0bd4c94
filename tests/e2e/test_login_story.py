"""A login is typed once by the person and saved, and from then on the agent logs in with it: real server and browsers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from server.agent.operator.plan.move import TOOL_NAME
from tests.e2e.axe import fits, violations
from tests.e2e.conftest import DESKTOP
from tests.e2e.played_model import screen_of
from tests.e2e.screen import Screen
from tests.support.model_reply import Reply, call
from tests.support.sites import Site

USER, PASSWORD = "ann-of-the-test", "kanarie-8417-Zwx"
PHONE = {"width": 360, "height": 800}


def act(action: str, **more: Any) -> Reply:
    return call(TOOL_NAME, {"reason": "next", "action": action, **more})


def script(site: Site) -> list[Reply]:
    go = act("navigate", url=site.url("/login"), goal="get in", plan=["Open the page", "Log in"])
    return [
        go, act("need_user", text="Please log in."), act("stop", final_response="You are in."),
        go, act("login", eid="e2", login="L1"), act("click", eid="e3"), act("stop", final_response="I am in."),
    ]  # fmt: skip


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.mark.timeout(300)
def test_a_login_that_a_person_has_saved_logs_the_agent_in(
    chromium: Browser, tmp_path: Path, site: Site
) -> None:
    with screen_of(chromium, tmp_path / "data", script(site)) as screen:
        screen.begin("Get into the private page")
        sign_in_and_save(screen, site)
        screen.wait_idle()
        screen.send("Get in once more")
        allow_it_this_time(screen, site)
        expect(screen.feed.get_by_text("I am in.")).to_be_visible()
        screen.wait_idle()
        assert [effect.fields for effect in site.effects] == [{"user": USER, "password": PASSWORD}] * 2
        answers = [
            screen.stored(screen.session_id), screen.api.get("/logins").json(), screen.api.get("/vault/log").json()
        ]  # fmt: skip
        for value in (USER, PASSWORD):
            assert value not in str(answers)
            assert value not in screen.page.content()
            assert value not in screen.server.log.read_text()


def sign_in_and_save(screen: Screen, site: Site) -> None:
    page = screen.page
    screen.feed.get_by_role("button", name="Take over").click()
    screen.button("Elements").click()
    for field, text in (("User", USER), ("Password", PASSWORD)):
        box = page.get_by_label(f"Text for {field}")
        box.fill(text)
        box.press("Enter")
    page.get_by_role("button", name=re.compile("Click.*Log in")).click()
    expect(page.get_by_role("textbox", name="Address")).to_have_value(site.url("/private"))
    screen.button("I’m done").click()
    offer = page.get_by_role("region", name=f"Save this login for {host_of(site)}?")
    looks_right(screen, offer)
    offer.get_by_role("button", name="Save").click()
    expect(offer).to_have_count(0)
    screen.button("Continue").click()
    expect(screen.feed.get_by_text("You are in.")).to_be_visible()


def allow_it_this_time(screen: Screen, site: Site) -> None:
    card = screen.feed.get_by_role("region", name="Log in?")
    expect(card).to_contain_text(f"Log in at {host_of(site)}")
    expect(card).to_contain_text(f"as {USER[0]}...")
    expect(card.get_by_role("combobox", name="Allow")).to_contain_text("this time")
    looks_right(screen, card)
    card.get_by_role("button", name="Log in", exact=True).click()


def host_of(site: Site) -> str:
    return site.url("/").split("/")[2]


def looks_right(screen: Screen, part: Locator) -> None:
    """In a wide window and on a phone, in both themes."""
    page = screen.page
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            part.scroll_into_view_if_needed()
            assert fits(page)
            assert violations(page) == []
