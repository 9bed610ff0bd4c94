"""For everyone: axe, keyboard alone, narrow windows, languages, themes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage, history, message
from wording.catalogue import joined, parts_of, sentence
from wording.step_words import step_words

MARKDOWN = "# Title\n\nText with `code`, a [link](https://ok.example) and\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```"


def everything(screen: Screen) -> None:
    """A session with every kind of row in it, a question open."""
    stage = Stage(screen, [message(1, "user", "go"), message(2, "assistant", MARKDOWN), *history(9)[6:]])
    stage.begin()
    state = {"goal": "Buy", "plan": ["Find", "Buy"], "progress": {"current": 1, "done": ["Find"]}}
    stage.play(stage.event("state", **state, facts=[{"fact": "It is blue", "url": "https://ok.example/"}]))
    stage.play(stage.event("thinking", message_id="answer", text="Hm."))
    for number in range(7):
        stage.tool(f"step {number}", url="https://shop.example/")
    stage.tool("failing", ok=False, summary="Covered by a dialog.")
    ask = {"kind": "confirm", "reason": "pays", "action": {"kind": "click", "text": "4111"}}
    stage.play(stage.event("interrupt", reference="r", target={"role": "button", "name": "Pay"}, **ask))
    expect(screen.button("Approve")).to_be_visible()


@pytest.mark.parametrize(("scheme", "lang"), [("light", "ru-RU"), ("dark", "en-US")])
def test_pages_have_no_accessibility_violations(open_screen: OpenScreen, scheme: str, lang: str) -> None:
    screen = open_screen(color_scheme=scheme, locale=lang)
    screen.page.goto("/login")
    expect(screen.page.get_by_role("textbox")).to_be_visible()
    assert violations(screen.page) == []
    screen.page.goto("/")
    expect(screen.page.locator("#composer")).to_be_visible()
    assert violations(screen.page) == []
    screen.page.goto("/settings")
    expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(screen.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 360])
def test_a_session_has_no_accessibility_violations(open_screen: OpenScreen, scheme: str, width: int) -> None:
    screen = open_screen(color_scheme=scheme, viewport={"width": width, "height": 900})
    everything(screen)
    assert violations(screen.page) == []


def test_menus_and_the_viewer_have_no_accessibility_violations(screen: Screen) -> None:
    screen.open(screen.asking())
    expect(screen.button("Approve")).to_be_visible()
    screen.feed.get_by_role("button", name=re.compile("^Enlarge")).first.click()
    expect(screen.page.get_by_role("dialog")).to_be_visible()
    assert violations(screen.page) == []
    screen.page.keyboard.press("Escape")
    screen.button("Language and theme").click()
    expect(screen.page.get_by_role("menu")).to_be_visible()
    assert violations(screen.page) == []
    screen.page.keyboard.press("Escape")
    screen.cancel()


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1440)])
def test_what_lies_over_a_page_has_no_accessibility_violations(
    open_screen: OpenScreen, scheme: str, width: int
) -> None:
    screen = open_screen(color_scheme=scheme, viewport={"width": width, "height": 800})
    screen.open(screen.new_session(title="Overlays"))
    found: dict[str, list[str]] = {}

    def look(state: str, seen: Locator) -> None:
        expect(seen).to_be_visible()
        if faults := violations(screen.page):
            found[state] = faults
        screen.page.keyboard.press("Escape")
        expect(seen).to_have_count(0)

    for name in ("Add to the message", re.compile("^Model: "), "More about this session"):
        screen.button(name).click()
        look(str(name), screen.page.get_by_role("menu"))
    if width < 768:
        screen.button("Show sidebar").click()
        look("drawer", screen.page.get_by_role("dialog", name="Sessions"))
        screen.button("Show plan, facts and browser").click()
        look("sheet", screen.page.get_by_role("dialog", name="Side panel"))
    screen.expect_errors("404")
    screen.page.goto("/s/no-such-session")
    expect(screen.page.get_by_role("alert")).to_be_visible()
    assert violations(screen.page) == []
    assert fits(screen.page)
    assert found == {}


@pytest.mark.parametrize("path", ["/", "/inbox", "/automations", "/grants", "/knowledge", "/settings"])
def test_every_skip_link_leads_somewhere(screen: Screen, path: str) -> None:
    screen.page.goto(path)
    expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
    links = screen.page.locator("a[href^='#']")
    expect(links.filter(has_text="Skip to the content")).to_have_count(1)
    for link in links.all():
        expect(screen.page.locator(str(link.get_attribute("href")))).to_have_count(1)


def test_with_reduced_motion_nothing_flies_or_turns(open_screen: OpenScreen) -> None:
    screen = open_screen(reduced_motion="reduce")
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    screen.button("More about this session").click()
    expect(screen.page.get_by_role("menu")).to_be_visible()
    moving = screen.page.evaluate(
        """() => [...document.querySelectorAll('*')].map(node => getComputedStyle(node))
            .filter(style => parseFloat(style.transitionDuration) > 0 || style.animationName === 'turn')
            .map(style => style.transitionProperty + ' ' + style.animationName)"""
    )
    assert moving == []
    screen.cancel()


@pytest.mark.parametrize("width", [360, 320])
def test_narrow_windows_do_not_scroll_sideways(open_screen: OpenScreen, width: int) -> None:
    screen = open_screen(viewport={"width": width, "height": 640}, has_touch=True, is_mobile=True)
    everything(screen)
    assert fits(screen.page)
    for path, shown in (
        ("/", screen.composer),
        ("/settings", screen.page.get_by_role("tabpanel").locator("h2, label").first),
        ("/login", screen.page.get_by_label("Password", exact=True)),
    ):
        screen.page.goto(path)
        expect(shown).to_be_visible()
        assert fits(screen.page), path


def test_on_a_phone_the_list_is_a_drawer_and_the_panel_a_sheet(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    session = screen.new_session(title="On a phone")
    screen.open(session)
    expect(screen.sidebar).to_have_count(0)
    screen.button("Show sidebar").tap()
    expect(screen.sidebar.get_by_role("link", name="On a phone").first).to_be_visible()
    screen.page.keyboard.press("Escape")
    screen.button("Show plan, facts and browser").tap()
    expect(screen.page.get_by_role("dialog").get_by_role("tab", name="Plan")).to_be_visible()


LINES = """one => { const text = document.createRange(); text.selectNodeContents(one)
    return text.getClientRects().length }"""


def test_the_number_of_folded_steps_is_on_one_line_on_a_phone(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    stage = Stage(screen)
    stage.begin()
    for number in range(12):
        stage.tool(f"step {number}", url="https://a-shop-with-a-long-name.example/")
    count = screen.feed.get_by_text("10 steps", exact=True)
    expect(count).to_be_visible()
    assert count.evaluate(LINES) == 1
    assert fits(screen.page)


NOTICE = """told => { const notice = [...document.body.querySelectorAll('*')]
        .find(one => one.children.length === 0 && one.textContent === told)
    if (!notice) return null
    const box = notice.getBoundingClientRect()
    return {isWhole: notice.scrollWidth <= notice.clientWidth && notice.scrollHeight <= notice.clientHeight,
        isInSight: box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight,
        lines: Math.round(box.height / parseFloat(getComputedStyle(notice).lineHeight))} }"""
"""How a notice lies in the window, measured at one moment: it goes away by itself."""


def test_a_long_notice_is_read_whole_on_a_phone(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    screen.expect_errors("409")
    stage = Stage(screen, [message(1, "user", "go", run_id="run")])
    stage.begin()
    stage.play(stage.event("error", code="failed", message="It broke."))
    told = "This cannot be tried again: " + "another run of the session is at work, and " * 3 + "that is it."
    refusal = {"title": "Conflict", "code": "conflict", "detail": told}
    screen.page.route("**/retry", lambda route: route.fulfill(status=409, json=refusal))
    screen.button("Retry").tap()
    seen = screen.page.wait_for_function(NOTICE, arg=told).json_value()
    assert seen["isWhole"]
    assert seen["isInSight"]
    assert seen["lines"] > 2
    assert fits(screen.page)


@pytest.mark.parametrize("width", [1440, 360])
def test_while_a_run_works_a_narrow_composer_leaves_out_the_pickers(
    open_screen: OpenScreen, width: int
) -> None:
    is_phone = width < 768
    screen = open_screen(viewport={"width": width, "height": 800}, has_touch=is_phone, is_mobile=is_phone)
    stage = Stage(screen)
    picker = screen.button(re.compile("^Model: "))
    expect(picker).to_be_visible()
    stage.begin()
    for name in ("Add to the message", "Pause", "Stop"):
        expect(screen.button(name)).to_be_in_viewport(ratio=1)
    expect(screen.page.get_by_text("Afterwards")).to_be_in_viewport(ratio=1)
    expect(picker).to_be_visible(visible=not is_phone)
    assert fits(screen.page)


def test_fingers_get_targets_of_44_pixels(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    Stage(screen, [message(1, "user", "go"), message(2, "assistant", MARKDOWN)])
    expect(screen.feed.locator("figure").get_by_role("button", name="Copy")).to_be_visible()
    sizes = screen.page.get_by_role("button").evaluate_all(
        "all => all.map(b => [b.getAttribute('aria-label') || b.textContent, b.getBoundingClientRect()])"
        ".filter(([, box]) => box.width && Math.min(box.width, box.height) < 43.5).map(([name]) => name)"
    )
    assert sizes == []


SMALL_TARGETS = """() => [...document.querySelectorAll('button, a[href], input, select, textarea, [role=tab], summary')]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.closest('.sr-only, p, li p, td'))
    .map(one => [one.getAttribute('aria-label') || one.textContent || one.name, (one.closest('label') || one).getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.width, box.height) > 2 && Math.min(box.width, box.height) < 23.5).map(([name]) => name)"""
"""Names of what a pointer can hit only with care; links in a text are as high as its lines."""


def test_pointers_get_targets_of_24_pixels(screen: Screen) -> None:
    everything(screen)
    assert screen.page.evaluate(SMALL_TARGETS) == []


FOCUS = """() => {
    const one = document.activeElement, box = one.getBoundingClientRect()
    const drawn = [one, one.closest('label'), one.parentElement, one.parentElement?.parentElement].filter(Boolean).map(it => getComputedStyle(it))
        .find(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2)
    const rgb = text => text.match(/[\\d.]+/g).map(Number)
    const light = text => { const [r, g, b] = rgb(text).map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
        return .2126 * r + .7152 * g + .0722 * b }
    let behind = one.parentElement
    while (behind && (rgb(getComputedStyle(behind).backgroundColor)[3] ?? 1) < 1) behind = behind.parentElement
    const ground = light(behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)')
    const colour = drawn ? light(drawn.outlineColor) : ground
    const top = document.elementFromPoint(box.x + box.width / 2, Math.min(innerHeight - 1, Math.max(1, box.y + box.height / 2)))
    const isFree = !!top && (one.contains(top) || top.contains(one) && top.tagName === 'LABEL' || one.closest('label')?.contains(top))
    return {name: one.getAttribute('aria-label') || one.textContent.slice(0, 40) || one.name || one.tagName,
        isPage: one === document.body, isLarge: box.height > innerHeight / 2, isFree,
        contrast: (Math.max(colour, ground) + .05) / (Math.min(colour, ground) + .05)} }"""
"""What has the focus, whether its middle is in sight, and the contrast of the line around it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_is_seen_wherever_it_goes_and_never_under_a_bar(
    open_screen: OpenScreen, scheme: str
) -> None:
    screen = open_screen(color_scheme=scheme, reduced_motion="reduce")  # no colour is on its way
    everything(screen)
    seen: list[dict[str, Any]] = []
    screen.composer.focus()
    for _ in range(90):
        screen.page.keyboard.press("Shift+Tab")
        seen.append(screen.page.evaluate(FOCUS))
    assert len({one["name"] for one in seen}) > 25
    parts = [one for one in seen if not one["isPage"]]
    assert [one["name"] for one in parts if not one["isFree"] and not one["isLarge"]] == []
    assert [(one["name"], one["contrast"]) for one in parts if one["contrast"] < 3] == []


def test_the_password_can_be_pasted(open_screen: OpenScreen) -> None:
    screen = open_screen(logged_in=False, permissions=["clipboard-read", "clipboard-write"])
    screen.expect_errors("401")
    screen.page.goto("/login")
    password = screen.page.get_by_label("Password", exact=True)
    screen.page.evaluate("text => navigator.clipboard.writeText(text)", screen.server.token)
    password.press("Control+v")
    expect(password).to_have_value(screen.server.token)


def test_a_task_is_done_by_keyboard_alone(screen: Screen) -> None:
    screen.open()
    expect(screen.composer).to_be_focused()
    screen.page.keyboard.type("shop for a kettle")
    screen.page.keyboard.press("Enter")
    approve = screen.button("Approve")
    expect(approve).to_be_enabled()  # a card that has just appeared takes no answer yet
    for _ in range(60):
        screen.page.keyboard.press("Shift+Tab")
        if approve.evaluate("b => b === document.activeElement"):
            break
    expect(approve).to_be_focused()
    screen.page.keyboard.press("Enter")
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    screen.wait_idle()
    screen.composer.blur()
    screen.page.keyboard.press("k")
    expect(screen.feed.get_by_role("article").last).to_be_focused()
    screen.page.keyboard.press("k")
    expect(screen.feed.get_by_role("article").last).not_to_be_focused()
    screen.page.keyboard.press("/")
    expect(screen.composer).to_be_focused()


def test_a_key_acts_at_once_after_a_menu_was_closed(screen: Screen) -> None:
    page = screen.page
    screen.open()
    screen.button("Language and theme").click()
    menu = page.locator("[role=menu]")
    expect(menu).to_have_css("opacity", "1")  # it has faded in: what is transparent does not fade out
    page.evaluate("document.styleSheets[0].insertRule('.overlay { transition-duration: 600s !important }')")
    page.keyboard.press("Escape")
    expect(menu).to_have_attribute("data-closed", "")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    page.evaluate("document.getAnimations().forEach(it => it.finish())")
    expect(menu).to_have_count(0)
    expect(dialog).to_be_visible()
    assert dialog.evaluate("dialog => dialog.contains(document.activeElement)")


def test_the_language_changes_without_a_reload(screen: Screen) -> None:
    screen.open().composer.fill("kept")
    screen.button("Language and theme").click()
    screen.page.get_by_role("menuitemradio", name="Русский").click()
    expect(screen.page.get_by_text("Что нужно сделать?")).to_be_visible()
    expect(screen.page.locator("html")).to_have_attribute("lang", "ru")
    expect(screen.page.locator("#composer")).to_have_value("kept")
    screen.page.reload()
    expect(screen.page.get_by_text("Что нужно сделать?")).to_be_visible()


def test_the_theme_is_chosen_and_there_before_the_first_paint(screen: Screen) -> None:
    screen.open()
    screen.button("Language and theme").click()
    screen.page.get_by_role("menuitemradio", name="Dark").click()
    expect(screen.page.locator("html")).to_have_attribute("data-theme", "dark")
    screen.page.route("**/assets/*.js", lambda route: route.abort())
    screen.expect_errors("ERR_FAILED")
    screen.page.reload()
    expect(screen.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_theme_of_the_system_is_followed(screen: Screen) -> None:
    screen.open()
    expect(screen.page.locator("html")).to_have_attribute("data-theme", "light")
    screen.page.emulate_media(color_scheme="dark")
    expect(screen.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_screen_readers_are_told_what_happens_but_not_the_tokens(screen: Screen) -> None:
    screen.open(screen.asking())
    screen.button("Approve").click()
    expect(screen.page.get_by_role("status").filter(has_text="The blue kettle is ordered")).to_have_count(1)
    expect(screen.feed).not_to_have_attribute("aria-live", re.compile("."))
    first = screen.feed.get_by_role("article").first
    expect(first).to_have_attribute("aria-posinset", "1")


LATIN = """() => [...document.querySelectorAll('body *')].filter(one => !one.closest('nav li, [data-note], li:has(> a[href*="/s/"]), script, style, noscript, kbd, option'))
    .flatMap(one => [...[...one.childNodes].filter(it => it.nodeType === 3).map(it => it.textContent),
        ...['aria-label', 'title', 'placeholder', 'alt'].map(name => one.getAttribute(name) || '')])
    .flatMap(text => text.match(/[A-Za-z]{2,}(\\.[a-z]+)*/g) || [])"""
"""Words in Latin letters, without the names of sessions, keys and models, and what was decided in other tests."""
NAMES = {
    "Anthropic", "OpenAI", "OpenRouter", "Google", "Pilothouse", "English", "React", "Base", "UI", "TanStack", "Query", "Virtual",
    "Deutsch", "zustand", "wouter", "marked", "highlight.js", "Lucide", "FastAPI", "LangGraph", "SQLAlchemy", "Playwright", "MCP",
    "de", "pt", "BR", "ru", "RU", "Markdown", "JSON", "HTML", "POST", "zip", "example.com", "Learn", "more", "news.ycombinator.com", "wikipedia.org",
    "1Password", "Password", "Bitwarden", "op", "bw", "CSV", "Chrome", "Firefox", "Safari", "Linux", "AUTH", "TOKEN", "cookie",
}  # fmt: skip


def test_no_english_word_is_left_in_russian_but_names(open_screen: OpenScreen) -> None:
    screen = open_screen(locale="ru-RU")
    screen.expect_errors("404")
    page = screen.page
    left: dict[str, set[str]] = {}

    def look(place: str, seen: Locator) -> None:
        expect(seen).to_be_visible()
        if words := set(page.evaluate(LATIN)) - NAMES:
            left[place] = words

    tabs = (
        "models", "limits", "browser", "tools", "logins", "notifications", "appearance", "devices", "data", "about",
    )  # fmt: skip
    page.goto("/settings")
    for number, tab in enumerate(tabs):
        page.get_by_role("tab").nth(number).click()
        if number:  # the first one has the address of all settings
            page.wait_for_url(f"**/settings/{tab}")
        look(tab, page.get_by_role("tabpanel").locator("h2, label, dl").first)
    page.goto("/inbox")
    look("inbox", page.get_by_role("heading", level=1))
    page.goto("/s/no-such-session")
    look("no session", page.get_by_role("alert"))
    page.goto("/")
    composer = page.get_by_role("textbox", name="Сообщение")
    look("start", composer)
    for name in ("Добавить к сообщению", "Модель: "):
        page.get_by_role("button", name=re.compile(f"^{name}")).click()
        look(name, page.get_by_role("menu"))
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_have_count(0)  # it leaves a frame or two later
    composer.blur()
    page.keyboard.press("?")
    look("shortcuts", page.get_by_role("dialog"))
    page.keyboard.press("Escape")
    stage = Stage(screen, [message(1, "user", "Купи чайник", run_id="run")], title="Чайник")
    stage.begin()
    why = sentence("not_done", seconds=5, why=sentence("not_done.disabled"))
    stage.tool("Купить", ok=False, summary=why, summary_parts=parts_of(why))
    step = step_words("click", {"element": 'button "Купить"'})
    done = joined((sentence("run.interrupted"), sentence("run.doubtful_step", step=step)))
    stage.play(stage.event("error", code="interrupted", message=done, message_parts=parts_of(done)))
    look("failure", page.get_by_role("alert"))
    assert left == {}
