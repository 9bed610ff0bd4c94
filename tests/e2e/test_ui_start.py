"""Login and the start page. How fast it is there is measured by `bench.ui`."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from bench.ui.weight import weigh
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen

SHIFT = """() => new Promise(done => { let sum = 0;
    new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value })
        .observe({type: 'layout-shift', buffered: true});
    setTimeout(() => done(sum), 100) })"""


def test_a_stranger_is_asked_for_the_password_and_comes_back_to_the_page(open_screen: OpenScreen) -> None:
    screen = open_screen(logged_in=False)
    page = screen.page
    screen.expect_errors("401")
    page.goto("/settings")
    page.wait_for_url("**/login?next=%2Fsettings")
    password = page.get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    assert password.get_attribute("autocomplete") == "current-password"
    password.fill("wrong")
    password.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Wrong password.")
    chosen = "box => box.value.slice(box.selectionStart, box.selectionEnd)"
    assert password.evaluate(chosen) == "wrong", "what was refused is typed over"
    password.fill(screen.server.token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/settings")


def test_too_many_tries_count_down(open_screen: OpenScreen) -> None:
    screen = open_screen(logged_in=False)
    screen.expect_errors("401|429")
    screen.page.route(
        "**/api/auth/login", lambda route: route.fulfill(status=429, headers={"Retry-After": "2"}, json={})
    )
    screen.page.clock.install()
    screen.page.goto("/login")
    screen.page.get_by_label("Password", exact=True).fill("x")
    screen.pause_clock()
    screen.page.get_by_label("Password", exact=True).press("Enter")
    expect(screen.page.get_by_role("alert")).to_have_text(re.compile("Wait 2 seconds"))
    screen.page.clock.run_for(1000)
    expect(screen.page.get_by_role("alert")).to_have_text(re.compile("Wait 1 second"))
    screen.page.clock.run_for(1000)
    expect(screen.button("Sign in")).to_be_enabled()


def test_the_composer_is_ready_and_nothing_moves(screen: Screen) -> None:
    screen.page.goto("/")
    expect(screen.composer).to_be_focused()
    assert screen.page.evaluate(SHIFT) < 0.02


def test_the_first_paint_waits_for_nothing_but_the_login(screen: Screen) -> None:
    held: list[Route] = []
    is_login = re.compile("/api/auth/me$")
    is_released = False

    def hold(route: Route) -> None:
        if is_released or is_login.search(route.request.url):
            route.fallback()
        else:
            held.append(route)

    screen.page.route("**/api/**", hold)
    screen.page.goto("/")
    expect(screen.composer).to_be_focused()
    expect(screen.page.get_by_role("heading", name="What do you need done?")).to_be_in_viewport()
    screen.wait_until(lambda: held, bool, "the rest is asked for, and still open")
    examples = screen.page.get_by_role("list", name="Example tasks")
    expect(examples).to_have_count(0)  # Which ones fit is not known yet.
    is_released = True
    for route in held:
        route.continue_()
    expect(examples.get_by_role("button", name="Think about boats")).to_be_visible()


LOADED = """() => Object.fromEntries(performance.getEntriesByType('resource')
    .filter(one => one.name.includes('/assets/') && one.responseEnd).map(one => [one.name, one.transferSize]))"""
"""By address of what has been loaded whole: the bytes that came over the network."""
FIRST_PAINT = re.compile(r'(?:src|href)="(/assets/[^"]+\.(?:js|css))"')


def test_a_second_visit_loads_no_part_of_the_first_paint_again(screen: Screen) -> None:
    screen.open()
    # What the page loads afterwards is left out: it may come during either visit.
    parts = {screen.server.url + path for path in FIRST_PAINT.findall(screen.page.request.get("/").text())}
    first = screen.page.evaluate(LOADED)
    assert len(parts) > 1
    assert all(first[part] for part in parts)
    screen.page.goto("about:blank")
    screen.open()
    second = screen.page.evaluate(LOADED)
    assert {part: second[part] for part in parts} == dict.fromkeys(parts, 0)


def test_touch_devices_are_not_given_the_keyboard_at_once(open_screen: OpenScreen) -> None:
    screen = open_screen(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800}).open()
    expect(screen.composer).not_to_be_focused()


def test_the_start_page_shows_what_can_be_asked_and_what_cannot(screen: Screen) -> None:
    screen.open()
    examples = screen.page.get_by_role("list", name="Example tasks").get_by_role("button")
    expect(examples).to_have_count(4)
    expect(screen.page.get_by_text("cannot solve captchas")).to_be_visible()
    task = examples.first.inner_text()
    examples.first.click()
    expect(screen.composer).to_have_value(task)
    expect(screen.composer).to_be_focused()
    screen.page.keyboard.press("Enter")
    expect(screen.feed.get_by_text(task)).to_be_visible()


def test_a_missing_model_key_is_told_with_a_way_to_the_settings(screen: Screen) -> None:
    config = screen.api.get("/config").json()
    config["notices"] = [{"code": "no_key", "text": "No model key is set; the demo model answers."}]
    screen.page.route("**/api/config", lambda route: route.fulfill(json=config))
    screen.open()
    notice = screen.page.get_by_text("No model key is set")
    expect(notice).to_be_visible()
    notice.get_by_role("link", name="Settings").click()
    expect(screen.page.get_by_role("heading", name="Settings")).to_be_visible()


def test_what_is_loaded_before_the_first_paint_fits_its_budget() -> None:
    weight = weigh()
    assert weight.initial < 200
    assert weight.largest_lazy < 40
    assert weight.style < 15
