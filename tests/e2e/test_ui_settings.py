"""The settings: what can be changed while the server runs, keys, appearance, data."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.support.server import Server

TABS = (
    "models", "limits", "browser", "tools", "logins", "notifications", "appearance", "devices", "data", "about",
)  # fmt: skip
KEY = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def as_it_was(api: httpx.Client) -> Iterator[None]:
    """Whatever a test changes is taken back."""
    yield
    names = api.get("/settings").json()["values"]
    api.patch("/settings", json=dict.fromkeys(names)).raise_for_status()
    api.delete("/settings/keys/openai")


def values(screen: Screen) -> dict[str, object]:
    return dict(screen.api.get("/settings").json()["values"])


def field(screen: Screen, label: str) -> Locator:
    return screen.page.get_by_label(label, exact=True)


def test_each_tab_has_an_address(screen: Screen) -> None:
    screen.page.goto("/settings")
    expect(screen.page.get_by_role("tab", name="Models and keys")).to_have_attribute("aria-selected", "true")
    screen.page.get_by_role("tab", name="Limits").click()
    screen.page.wait_for_url("**/settings/limits")
    screen.page.reload()
    expect(field(screen, "Steps")).to_have_value("10")


def test_limits_are_saved_together_and_shown_where_they_count(screen: Screen) -> None:
    screen.page.goto("/settings/limits")
    field(screen, "Steps").fill("25")
    field(screen, "Working time, minutes").fill("45")
    field(screen, "Cost, US dollars").fill("1.5")
    expect(screen.page.get_by_text("Not saved yet")).to_be_visible()
    screen.button("Save").click()
    expect(screen.page.get_by_text("Saved", exact=True)).to_be_visible()
    assert {**values(screen)}.items() >= {
        "max_tool_steps": 25,
        "run_timeout": 2700,
        "cost_budget": 1.5,
    }.items()
    expect(screen.page.get_by_text("Default: 10")).to_be_visible()
    field(screen, "Cost, US dollars").fill("")
    screen.button("Save").click()
    expect(screen.page.get_by_text("Saved", exact=True)).to_be_visible()
    assert values(screen)["cost_budget"] is None


def test_what_the_server_refuses_is_said_at_its_field(screen: Screen) -> None:
    screen.expect_errors("422")
    screen.page.goto("/settings/limits")
    refusal = {
        "title": "No",
        "status": 422,
        "code": "invalid",
        "detail": "token_budget: Input should be greater than 0",
    }
    screen.page.route("**/api/settings", lambda route: route.fulfill(status=422, json=refusal) if route.request.method == "PATCH" else route.continue_())  # fmt: skip
    field(screen, "Tokens").fill("5")
    screen.button("Save").click()
    expect(screen.page.get_by_role("alert")).to_have_text("Input should be greater than 0")
    expect(field(screen, "Tokens")).to_have_attribute("aria-invalid", "true")
    expect(screen.page.get_by_text("Not saved yet")).to_be_visible()


def test_what_cannot_be_right_is_not_sent(screen: Screen) -> None:
    screen.page.goto("/settings/limits")
    field(screen, "Steps").fill("0")
    screen.button("Save").click()
    assert not field(screen, "Steps").evaluate("box => box.validity.valid")
    assert values(screen)["max_tool_steps"] == 10


def test_changes_are_not_lost_by_looking_elsewhere_and_can_be_dropped(screen: Screen) -> None:
    screen.page.goto("/settings/limits")
    field(screen, "Steps").fill("99")
    screen.page.get_by_role("tab", name="About").click()
    screen.sidebar.get_by_role("button", name="New session").click()
    expect(screen.composer).to_be_visible()
    screen.sidebar.get_by_role("link", name="Settings").click()
    screen.page.get_by_role("tab", name="Limits").click()
    expect(field(screen, "Steps")).to_have_value("99")
    screen.button("Discard").click()
    expect(field(screen, "Steps")).to_have_value("10")


def test_closing_the_page_with_unsaved_changes_asks(screen: Screen) -> None:
    screen.page.goto("/settings/limits")
    field(screen, "Steps").fill("99")
    expect(screen.page.get_by_text("Not saved yet")).to_be_visible()
    with screen.page.expect_event("dialog") as asked:
        screen.page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.accept()


def test_a_key_is_given_tried_and_taken_away_but_never_shown(screen: Screen) -> None:
    screen.page.goto("/settings/models")
    screen.button("OpenAI: Add a key…").click()
    dialog = screen.page.get_by_role("dialog", name="Connect a model")
    expect(dialog.get_by_role("radio", name="GPT")).to_be_checked()
    key = dialog.get_by_label("Key")
    assert key.get_attribute("type") == "password"
    key.fill(KEY)
    tested: list[str] = []
    refused = {"ok": False, "detail": "The key is not accepted.", "model": "openai:gpt"}
    screen.page.route("**/settings/connect", lambda route: route.fulfill(json=refused))
    key.press("Enter")
    expect(screen.page.get_by_text("The key is not accepted.")).to_be_visible()
    expect(screen.page.get_by_text("Set here")).to_have_count(0)
    expect(key).to_have_value(KEY)
    screen.page.route("**/settings/connect", lambda route: route.fulfill(json=refused | {"ok": True}))
    screen.api.put("/settings/keys/openai", json={"key": KEY}).raise_for_status()
    key.press("Enter")
    expect(dialog.get_by_text("Connected:")).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(screen.page.get_by_text("Set here")).to_be_visible()
    assert KEY not in screen.page.content()
    screen.page.route("**/keys/openai/test", lambda route: (tested.append(route.request.url), route.fulfill(json={"ok": False, "detail": "The key is not accepted.", "abilities": []})))  # fmt: skip
    screen.button("Test the key of OpenAI").click()
    screen.wait_until(lambda: tested, lambda it: len(it) == 1, "the key is tested")
    expect(screen.page.get_by_text("The key is not accepted.")).to_be_visible()
    screen.button("Remove the key of OpenAI").click()
    expect(screen.page.get_by_text("Set here")).to_have_count(0)
    assert screen.api.get("/settings").json()["keys"]["openai"] == "unset"


def test_hosts_are_lists(screen: Screen) -> None:
    screen.page.goto("/settings/browser")
    field(screen, "Only these sites").fill("shop.example\nmail.example")
    field(screen, "Never these sites").fill("bank.example")
    screen.page.get_by_text("Always fresh").click()
    screen.button("Save").click()
    expect(screen.page.get_by_text("Saved", exact=True)).to_be_visible()
    stored = values(screen)
    assert stored["allowed_hosts"] == ["shop.example", "mail.example"]
    assert stored["blocked_hosts"] == ["bank.example"]
    assert stored["browser_profile"] == "fresh"


def test_the_number_of_browsers_and_their_window_are_changed_here(screen: Screen) -> None:
    screen.page.goto("/settings/browser")
    window = screen.page.get_by_label("Window of the browser")
    expect(window).to_have_value("auto")
    field(screen, "Browsers at a time").fill("2")
    window.select_option("true")
    screen.button("Save").click()
    expect(screen.page.get_by_text("Saved", exact=True)).to_be_visible()
    assert values(screen).items() >= {"max_browsers": 2, "browser_headless": True}.items()
    assert screen.api.get("/config").json()["limits"]["max_browsers"] == 2
    screen.page.reload()
    expect(window).to_have_value("true")
    expect(screen.page.get_by_text("Default: 4")).to_be_visible()
    window.select_option("auto")
    screen.button("Save").click()
    expect(screen.page.get_by_text("Saved", exact=True)).to_be_visible()
    assert values(screen)["browser_headless"] is None


def test_the_default_model_and_agent_are_those_of_new_sessions(screen: Screen) -> None:
    screen.page.goto("/settings/models")
    screen.page.get_by_label("Agent of new sessions").select_option("assistant")
    screen.button("Save").click()
    expect(screen.page.get_by_text("Saved", exact=True)).to_be_visible()
    screen.sidebar.get_by_role("button", name="New session").click()
    expect(screen.button(re.compile("Agent: Assistant$"))).to_be_visible()


def test_appearance_acts_at_once_and_stays(screen: Screen) -> None:
    screen.page.goto("/settings/appearance")
    html = screen.page.locator("html")
    screen.page.get_by_text("Dark", exact=True).click()
    expect(html).to_have_attribute("data-theme", "dark")
    screen.page.get_by_text("Русский").click()
    expect(html).to_have_attribute("lang", "ru")
    expect(screen.page.get_by_role("tab", name="Вид")).to_be_visible()
    screen.page.reload()
    expect(html).to_have_attribute("data-theme", "dark")
    expect(screen.page.get_by_role("heading", name="Настройки")).to_be_visible()


def test_shortcuts_can_be_switched_off(screen: Screen) -> None:
    loaded: list[str] = []
    screen.page.on("request", lambda sent: loaded.append(sent.url))
    screen.page.goto("/settings/appearance")
    screen.page.get_by_role("switch", name="Keyboard shortcuts").click()
    screen.page.keyboard.press("?")
    screen.page.keyboard.press("Control+k")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)
    screen.page.get_by_role("switch", name="Keyboard shortcuts").click()
    assert not any("/ShortcutsDialog-" in url for url in loaded), "the list of keys is not on its way"
    screen.page.keyboard.press("?")
    expect(screen.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_everything_can_be_exported(screen: Screen) -> None:
    screen.new_session(title="To be exported")
    screen.page.goto("/settings/data")
    with screen.page.expect_download() as download:
        screen.button("Download").click()
    assert download.value.suggested_filename == "pilothouse.zip"


def test_old_sessions_go_after_one_question_all_only_after_the_word(screen: Screen) -> None:
    kept = screen.new_session(title="Still here")
    screen.page.goto("/settings/data")
    field(screen, "Not used for at least this many days").fill("30")
    screen.button("Delete…").click()
    dialog = screen.page.get_by_role("dialog", name="Delete sessions not used for 30 days?")
    expect(dialog.get_by_role("button", name="Delete")).to_be_disabled()
    dialog.get_by_label("Type delete to confirm").fill("delete")
    dialog.get_by_role("button", name="Delete").click()
    expect(screen.page.get_by_text("0 sessions deleted")).to_be_visible()
    assert screen.stored(kept)["title"] == "Still here"


def test_an_empty_field_never_means_all_sessions(screen: Screen) -> None:
    screen.page.goto("/settings/data")
    days = field(screen, "Not used for at least this many days")
    days.fill("")
    screen.button("Delete…").click()
    assert days.evaluate("field => field.validity.valueMissing")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)
    screen.page.get_by_role("radio", name="All sessions").check()
    expect(days).to_have_count(0)
    screen.button("Delete…").click()
    dialog = screen.page.get_by_role("dialog", name="Delete all sessions?")
    expect(dialog.get_by_label("Type delete to confirm")).to_be_focused()
    expect(dialog.get_by_role("button", name="Delete")).to_be_disabled()


def test_deleting_all_deletes_all(screen: Screen) -> None:
    sent: list[object] = []
    screen.page.route("**/api/purge", lambda route: (sent.append(route.request.post_data_json), route.fulfill(json={"sessions": 3})))  # fmt: skip
    screen.page.goto("/settings/data")
    screen.page.get_by_role("radio", name="All sessions").check()
    screen.button("Delete…").click()
    screen.page.get_by_label("Type delete to confirm").fill("delete")
    screen.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(screen.page.get_by_text("3 sessions deleted")).to_be_visible()
    assert sent == [{"all": True}]


def test_about_tells_version_and_state(screen: Screen) -> None:
    version = screen.api.get("/config").json()["version"]
    screen.page.goto("/settings/about")
    expect(screen.page.get_by_text(f"Pilothouse {version}")).to_be_visible()
    expect(screen.page.get_by_text("Ready", exact=True)).to_be_visible()


def test_signing_out_leads_to_the_login(open_screen: OpenScreen) -> None:
    screen = open_screen(logged_in=False)
    answer = screen.page.request.post("/api/auth/login", data={"password": screen.server.token})
    assert answer.ok
    screen.expect_errors("401")
    screen.page.goto("/settings/about")
    screen.button("Sign out").click()
    screen.page.wait_for_url("**/login?left")
    screen.page.goto("/settings")
    screen.page.wait_for_url(re.compile("/login"))


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru-RU", 360), ("dark", "en-US", 1440)])
def test_every_tab_is_for_everyone(open_screen: OpenScreen, scheme: str, lang: str, width: int) -> None:
    screen = open_screen(color_scheme=scheme, locale=lang, viewport={"width": width, "height": 800})
    screen.page.goto("/settings")
    for number, tab in enumerate(TABS):
        screen.page.get_by_role("tab").nth(number).click()
        if number:  # the first one has the address of all settings
            screen.page.wait_for_url(f"**/settings/{tab}")
        expect(screen.page.get_by_role("tabpanel").locator("h2, label, dl").first).to_be_visible()
        assert violations(screen.page) == [], tab
        assert fits(screen.page), tab


PLACES = """group => [...group.querySelectorAll('label')].map(label => {
  const {left, right, top} = label.getBoundingClientRect()
  return [left, right, top].map(Math.round)
})"""


@pytest.mark.parametrize("lang", ["en-US", "ru-RU"])
def test_alternatives_are_one_row_or_one_column_on_a_phone(open_screen: OpenScreen, lang: str) -> None:
    page = open_screen(locale=lang, viewport={"width": 360, "height": 740}).page
    seen = 0
    for tab in ("limits", "browser", "appearance"):
        page.goto(f"/settings/{tab}")
        groups = page.locator("fieldset", has=page.get_by_role("radio"))
        expect(groups.first).to_be_visible()
        for group in groups.all():
            lefts, rights, tops = (set(side) for side in zip(*group.evaluate(PLACES), strict=True))
            assert len(tops) == 1 or (len(lefts), len(rights)) == (1, 1), (tab, group.inner_text())
            seen += 1
    assert seen == 4


def test_devices_are_listed_and_one_is_signed_out(screen: Screen, server: Server) -> None:
    phone = {"user-agent": "Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"}
    with httpx.Client(base_url=server.api, headers=phone, trust_env=False) as other:
        password = server.headers["Authorization"].removeprefix("Bearer ")
        other.post("/auth/login", json={"password": password}).raise_for_status()
        screen.page.goto("/settings/devices")
        expect(screen.page.get_by_text("This browser", exact=True)).to_be_visible()
        rows = screen.page.get_by_role("listitem").filter(has_text="Firefox, Android")
        expect(rows).to_have_count(1)
        rows.get_by_role("button", name="Sign out").click()
        expect(rows).to_have_count(0)
        assert other.get("/auth/me").status_code == 401
