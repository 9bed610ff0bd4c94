"""Grants: given on a card with their limits, listed on one page, named where they were used, taken back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen


def item(screen: Screen, kind: str = "Place orders and bookings") -> Locator:
    return screen.page.get_by_role("listitem").filter(has_text=kind)


def test_a_grant_is_given_with_limits_used_and_taken_back(screen: Screen) -> None:
    screen.open(screen.asking())
    card = screen.page.get_by_role("region", name="Allow this action?")
    scope = card.get_by_label("Allow this kind of action on this site")
    expect(scope.get_by_role("option")).to_have_text(
        ["Only this once", "For this run", "In this session", "Always, in all sessions"]
    )
    scope.select_option("Always, in all sessions")
    limits = card.get_by_role("button", name="Limits")
    limits.focus()
    limits.press("Enter")
    card.get_by_label("At most this many times").fill("3")
    card.get_by_label("Until the end of").fill(f"{datetime.now(UTC) + timedelta(days=40):%Y-%m-%d}")
    card.get_by_label("At most per act (EUR)").fill("50")
    card.get_by_label("At most per month (EUR)").fill("120")
    assert violations(screen.page) == []
    card.get_by_role("button", name="Approve").click()
    screen.wait_idle()
    other = screen.finished("shop for a kettle")  # nothing is asked
    screen.open(other)
    expect(screen.feed.get_by_text("Not asked: you always allow it on this site")).to_be_visible()
    assert screen.stored(other)["interrupts"] == []
    screen.sidebar.get_by_role("link", name="Permissions").click()
    expect(screen.page).to_have_title("Permissions – Pilothouse")
    expect(item(screen)).to_contain_text("shop.example · all sessions")
    expect(item(screen)).to_contain_text(re.compile(r"1 of 3 times used · until .* · up to 50 EUR per act"))
    expect(item(screen)).to_contain_text("43.90 EUR of 120 EUR this month")
    assert violations(screen.page) == []
    screen.button("Revoke: Place orders and bookings on shop.example").click()
    expect(screen.page.get_by_text("Nothing is allowed without asking.")).to_be_visible()
    again = screen.asking()
    screen.cancel(again)


def test_an_automation_is_given_grants_in_its_form(screen: Screen) -> None:
    screen.page.goto("/automations")
    screen.button("New automation").click()
    form = screen.page.get_by_role("dialog")
    form.get_by_label("Name").fill("Kettles")
    form.get_by_label("Task").fill("shop for a kettle")
    form.get_by_role("button", name="More options").click()
    form.get_by_role("button", name="Add a permission").click()
    form.get_by_label("Site").fill("shop.example")
    form.get_by_label("At most per act (EUR)").fill("50")
    form.get_by_role("button", name="Add a permission").click()
    expect(form.get_by_text("Place orders and bookings · shop.example")).to_be_visible()
    assert violations(screen.page) == []
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    (made,) = (one for one in screen.api.get("/automations").json()["items"] if one["name"] == "Kettles")
    (grant,) = made["grants"]
    assert (grant["scope"], grant["site"], grant["kind"], grant["act_amount"], grant["currency"]) == (
        "automation", "shop.example", "order", 50, "EUR",
    )  # fmt: skip
    screen.api.delete(f"/automations/{made['id']}").raise_for_status()
    assert screen.api.get("/grants", params={"automation_id": made["id"]}).json()["items"] == []


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_page_and_the_card_fit_a_phone(open_screen: OpenScreen, lang: str) -> None:
    screen = open_screen(locale={"en": "en-US", "ru": "ru-RU"}[lang], viewport={"width": 360, "height": 740})
    body = {
        "scope": "always", "site": "a-long-name.of-a-shop.example", "kind": "account", "count": 5, "act_amount": 50,
        "month_amount": 1200, "currency": "EUR", "ends_at": f"{datetime.now(UTC) + timedelta(days=9):%Y-%m-%dT00:00:00Z}",
    }  # fmt: skip
    made = screen.api.post("/grants", json=body).json()
    screen.page.goto("/grants")
    expect(screen.page.get_by_text("a-long-name.of-a-shop.example")).to_be_visible()
    assert fits(screen.page)
    session = screen.asking()
    screen.page.goto(f"/s/{session}")
    scope = screen.page.get_by_role("combobox").last
    scope.select_option(index=2)
    screen.button({"en": "Limits", "ru": "Ограничения"}[lang]).click()
    assert fits(screen.page)
    screen.cancel(session)
    screen.api.delete(f"/grants/{made['id']}").raise_for_status()
