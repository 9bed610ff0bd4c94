"""One story in two browsers: an automation asks while no browser is open, the phone approves, the desktop shows it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.conftest import DESKTOP, PATIENCE
from tests.e2e.phone import PHONE, Phone
from tests.e2e.screen import Screen, keep_still
from tests.e2e.studio import sign_in
from tests.support.push_service import push_service_in_thread
from tests.support.server import serving
from tests.support.shop_site import open_shop
from tests.support.sites import Site

NAME, ZONE = "Order a kettle", "Europe/Berlin"
STEPS = "click Blue kettle, click Add to cart, click Go to checkout, type Ada into Name, click Place order"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        open_shop(site)
        yield site


@pytest.fixture
def pair(chromium: Browser, whole_chromium: Browser, tmp_path: Path) -> Iterator[tuple[Screen, Phone]]:
    """A desktop and a phone, both logged in to a server whose browser is a real one."""
    with (
        serving(tmp_path / "data", agent_mode="real", agent_model="demo", browser_headless="true") as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        push_service_in_thread() as service,
    ):
        options = {
            "base_url": server.url, "locale": "en-US", "timezone_id": ZONE, "storage_state": sign_in(server, chromium)
        }  # fmt: skip
        at_desk = chromium.new_context(viewport=DESKTOP, **options)  # type: ignore[arg-type]
        in_hand = whole_chromium.new_context(  # type: ignore[call-overload]
            viewport=PHONE, has_touch=True, permissions=["notifications"], **options
        )
        for context in (at_desk, in_hand):
            context.set_default_timeout(PATIENCE)
            keep_still(context)
        desktop = Screen(at_desk.new_page(), server, api)
        phone = Phone(Screen(in_hand.new_page(), server, api), service)
        yield desktop, phone
        at_desk.close()
        in_hand.close()
        assert desktop.errors + phone.screen.errors == []


@pytest.mark.timeout(240)
def test_an_automation_is_approved_from_the_phone_and_paused_there(
    pair: tuple[Screen, Phone], site: Site
) -> None:
    desktop, phone = pair
    phone.add()
    make(desktop, f"open {site.url('/shop')}, {STEPS} and read the page")
    move_the_clock(desktop)
    approve(phone, site)
    expect(item(desktop)).to_contain_text("Done")
    item(desktop).get_by_role("button", name="Log").click()
    item(desktop).get_by_role("link", name="Open the session").click()
    expect(desktop.feed.get_by_text("Order number 1001").last).to_be_visible()
    pause(phone)
    nothing_more_is_ordered(desktop, site)


def item(screen: Screen) -> Locator:
    return screen.page.get_by_role("article", name=NAME)


def make(desktop: Screen, task: str) -> None:
    """For tomorrow at 8:00, and each day after."""
    page = desktop.page
    page.goto("/automations")
    desktop.button("New automation").click()
    form = page.get_by_role("dialog", name="New automation")
    form.get_by_label("Name").fill(NAME)
    form.get_by_label("Task").fill(task)
    form.get_by_label("Repeats").select_option("Daily")
    form.get_by_label("Time", exact=True).fill("08:00")
    expect(form.get_by_role("listitem").first).to_contain_text("08:00")
    form.get_by_role("button", name="Save").click()
    expect(item(desktop)).to_contain_text("Daily, 08:00")
    (made,) = desktop.api.get("/automations").json()["items"]
    due, now = (
        datetime.fromisoformat(made["next_at"]).astimezone(ZoneInfo(ZONE)),
        datetime.now(ZoneInfo(ZONE)),
    )
    assert (due.hour, due.minute) == (8, 0)
    assert now < due <= now + timedelta(days=1)


def move_the_clock(desktop: Screen, name: str = NAME) -> None:
    """To when it is due: the database has what it would have then."""
    database = desktop.server.log.with_name("pilothouse.db")
    with closing(sqlite3.connect(database, timeout=30)) as db:
        moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
        db.execute("UPDATE automations SET next_at = ? WHERE name = ? AND enabled", (moment, name))
        db.commit()


def approve(phone: Phone, site: Site) -> None:
    """Two taps: on the notification, and on the card."""
    told = phone.deliver()
    assert (told["type"], told["amount"]) == ("question", "€39.50")
    phone.tap(told["reference"])
    card = phone.screen.page.get_by_role("region", name="Allow this action?")
    expect(card).to_contain_text("Place order")
    assert "order" not in [effect.name for effect in site.effects]
    card.get_by_role("button", name="Approve").tap()
    assert phone.deliver()["type"] == "done"
    assert [effect.name for effect in site.effects].count("order") == 1


def pause(phone: Phone) -> None:
    page = phone.screen.page
    page.goto("/automations")
    item(phone.screen).get_by_role("button", name=f"More about {NAME}").tap()
    page.get_by_role("menuitem", name="Pause").tap()
    expect(item(phone.screen)).to_contain_text("Paused")


def nothing_more_is_ordered(desktop: Screen, site: Site) -> None:
    """The next day another automation runs at the same time; the paused one is not due."""
    body = {
        "name": "Look", "task": f"open {site.url('/shop')} and read the page", "zone": ZONE,
        "rule": "DTSTART:20260101T080000\nRRULE:FREQ=DAILY",
    }  # fmt: skip
    other = desktop.api.post("/automations", json=body).raise_for_status().json()["id"]
    desktop.page.goto("/automations")
    expect(item(desktop)).to_contain_text("Paused")
    upcoming = desktop.api.get("/automations/upcoming").json()["items"]
    assert {one["name"] for one in upcoming} == {"Look"}
    for name in (NAME, "Look"):
        move_the_clock(desktop, name)

    def outcomes(id: str) -> list[str]:
        firings = desktop.api.get(f"/automations/{id}/firings").json()["items"]
        return [str(one["outcome"]) for one in firings]

    desktop.wait_until(lambda: outcomes(other), lambda it: it == ["completed"], "the other one has run")
    paused = next(one for one in desktop.api.get("/automations").json()["items"] if one["name"] == NAME)
    assert (paused["paused_by"], paused["next_at"], outcomes(paused["id"])) == ("person", None, ["completed"])
    assert [effect.name for effect in site.effects].count("order") == 1
