"""The first minutes of a person without a key and without the internet: the sample site and the demo model."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe import violations
from tests.e2e.conftest import DESKTOP
from tests.e2e.screen import Screen, keep_still
from tests.support.server import Server, serving

NO_KEYS = {f"{name}_api_key": "" for name in ("anthropic", "openai", "openrouter", "google")}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server as it is after its first start, with real browsers."""
    folder = tmp_path_factory.mktemp("fresh")
    with serving(folder, agent_mode="real", browser_headless="true", **NO_KEYS) as server:
        yield server


@pytest.fixture
def newcomer(fresh: Server, chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Screen]:
    locale = getattr(request, "param", "en-US")
    with (
        httpx.Client(base_url=fresh.api, headers=fresh.headers, trust_env=False, timeout=30) as api,
        chromium.new_context(base_url=fresh.url, viewport=DESKTOP, locale=locale) as context,
    ):
        context.request.post("/api/auth/login", data={"password": fresh.token})
        context.set_default_timeout(40_000)
        keep_still(context)
        screen = Screen(context.new_page(), fresh, api)
        screen.page.goto("/")
        yield screen
        assert screen.errors == []


BUY = {"en-US": ("Watch me buy a kettle", "Approve", "Tide kettle", "43.90"),
       "de-DE": ("Zusehen, wie ich einen Wasserkocher kaufe", "Erlauben", "Wasserkocher Tide", "43,90"),
       "ru-RU": ("Посмотрите, как я куплю чайник", "Разрешить", "Чайник Прилив", "43,90")}  # fmt: skip


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("newcomer", "words"), BUY.items(), indirect=["newcomer"])
def test_two_clicks_lead_to_an_approved_order(newcomer: Screen, words: tuple[str, ...]) -> None:
    card, approve, kettle, amount = words
    began = time.monotonic()
    newcomer.page.get_by_role("button", name=card).click()
    button = newcomer.page.get_by_role("button", name=approve).first
    expect(button).to_be_enabled(timeout=40_000)
    question = newcomer.feed.get_by_role("article").filter(has=button)
    expect(question).to_contain_text(amount)
    expect(question).to_contain_text("sample.localhost")
    button.click()
    expect(newcomer.feed.get_by_role("row", name=kettle)).to_be_visible(timeout=40_000)
    expect(newcomer.feed.get_by_text("HK-").first).to_be_visible()
    expect(newcomer.feed.get_by_role("row")).to_have_count(4)  # the head and three kettles
    print(f"from the click on the card to the table: {time.monotonic() - began:.1f} s")
    assert violations(newcomer.page) == []
    newcomer.wait_idle()
    assert len(controls(newcomer.page)) <= 23


CONTROLS = """() => [...document.querySelectorAll('button, a[href], input, textarea, select')].filter(one => {
    const { width, height, top, bottom } = one.getBoundingClientRect()
    return width > 1 && height > 1 && bottom > 0 && top < innerHeight && !one.disabled && !one.closest('nav li')
        && one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}).map(one => one.ariaLabel || one.textContent || one.placeholder)"""


def controls(place: Page) -> list[str]:
    """The names of all controls that a person sees and can press, without the sessions of the list."""
    return list(place.evaluate(CONTROLS))


def test_the_start_page_has_few_controls(newcomer: Screen) -> None:
    expect(newcomer.page.get_by_role("button", name="Connect a model")).to_be_visible()
    expect(newcomer.page.get_by_role("button", name="Watch me buy a kettle")).to_be_visible()
    in_sidebar = newcomer.sidebar.locator("button, a[href], input").locator("visible=true")
    outside_list = in_sidebar.and_(newcomer.page.locator(":not(nav li *)")).count()
    assert outside_list <= 10
    assert len(controls(newcomer.page)) <= 8 + outside_list


def test_the_other_examples_fill_the_composer_and_send_nothing(newcomer: Screen) -> None:
    page = newcomer.page
    page.get_by_role("button", name="Fill a table").click()
    expect(newcomer.composer).to_have_value("Open sample.localhost/en/stock and read the table")
    expect(newcomer.composer).to_be_focused()
    expect(page.get_by_text("Product", exact=True)).to_be_visible()
    page.get_by_role("button", name="Log in for me").click()
    expect(newcomer.composer).to_have_value("Open sample.localhost/en/account and log in")
    expect(page.get_by_text("Product", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Every morning at eight").click()
    form = page.get_by_role("dialog", name="New automation")
    expect(form.get_by_label("Task")).to_have_value("Open sample.localhost/en/stock and read the table")
    assert page.url.rstrip("/") == newcomer.server.url
    assert newcomer.api.get("/automations").json()["items"] == []


@pytest.mark.timeout(120)
def test_a_table_is_filled_from_the_price_list(newcomer: Screen) -> None:
    newcomer.page.get_by_role("button", name="Fill a table").click()
    newcomer.page.keyboard.press("Enter")
    result = newcomer.page.get_by_role("table").filter(has_text="Tide kettle")
    expect(result).to_contain_text("39.9")
    expect(result.get_by_role("row")).to_have_count(7)
    newcomer.wait_idle()
    expect(newcomer.feed.get_by_text("Not done", exact=True)).to_have_count(0)


def test_the_demo_is_an_offer_and_no_alarm(newcomer: Screen) -> None:
    page = newcomer.page
    expect(page.get_by_text("You are in the demo.")).to_be_visible()
    expect(page.get_by_text("There is no key")).to_have_count(0)
    expect(page.get_by_text("LLM")).to_have_count(0)
    assert violations(page) == []


def test_the_sample_site_can_be_out_of_reach_or_off(newcomer: Screen) -> None:
    config = newcomer.api.get("/config").json()
    page = newcomer.page
    page.route("**/api/config", lambda route: route.fulfill(json=config))
    config["sample_site"] = "out of reach"
    page.reload()
    expect(page.get_by_text("The sample shop to try things in is not here")).to_be_visible()
    expect(page.get_by_role("button", name="Watch me buy")).to_have_count(0)
    config["sample_site"] = "off"
    page.reload()
    expect(page.get_by_role("button", name="Open example.com and read the page")).to_be_visible()
    expect(page.get_by_text("The sample shop")).to_have_count(0)
