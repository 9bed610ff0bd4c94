"""Questions to the person: what the card says, that it cannot be missed, and every way to answer."""

from __future__ import annotations

import re
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.e2e.staged import SESSION, Stage
from tests.support.held_link import HeldLink


@pytest.fixture
def card(screen: Screen) -> Locator:
    screen.open(screen.asking())
    card = screen.page.get_by_role("region", name="Allow this action?")
    expect(card).to_be_visible()
    return card


def test_the_card_says_what_where_how_much_and_why_with_the_place_outlined(
    screen: Screen, card: Locator
) -> None:
    expect(card).to_contain_text("Click “Place order”")
    expect(card).to_contain_text("shop.example")
    expect(card).to_contain_text("Amount: €43.90")
    expect(card).to_contain_text("places an order")
    expect(card).to_contain_text(re.compile(r"expires in 9:\d\d"))
    expect(card.locator(".target-mark")).to_be_visible()
    card.locator("img").evaluate("img => img.decode()")  # only then the picture has its size
    both = "card => ['img', '.target-mark'].map(name => card.querySelector(name).getBoundingClientRect().toJSON())"
    picture, mark = card.evaluate(both)  # at one moment: the feed may scroll
    box = screen.stored(screen.session_id)["pending"]["target"]["box"]
    assert abs((mark["x"] - picture["x"]) / picture["width"] * 100 - box[0]) < 0.5
    assert abs((mark["y"] - picture["y"]) / picture["height"] * 100 - box[1]) < 0.5
    screen.cancel()


def test_the_rules_reasons_are_told_in_the_language_of_the_page(open_screen: OpenScreen) -> None:
    screen = open_screen(locale="ru-RU")
    session = screen.asking()
    screen.page.goto(f"/s/{session}")
    card = screen.page.get_by_role("region", name="Можно это сделать?")
    expect(card).to_contain_text("оформляет заказ или бронь")
    screen.cancel(session)


def test_nothing_approves_by_itself_or_by_enter_in_the_composer(screen: Screen) -> None:
    screen.begin("shop for a kettle")
    card = screen.page.get_by_role("region", name="Allow this action?")
    expect(card).to_be_visible()
    expect(screen.composer).to_be_focused()
    screen.composer.press("Enter")
    expect(card).to_be_visible()
    assert not card.get_by_role("button", name="Approve").evaluate("b => b === document.activeElement")
    screen.composer.fill("choose the red one")
    screen.composer.press("Enter")
    expect(screen.feed.get_by_text("Denied:")).to_be_visible()
    screen.cancel()


def test_approval_cannot_be_missed(screen: Screen, card: Locator) -> None:
    expect(screen.page).to_have_title(re.compile("^⚠ Approval needed – "))
    expect(screen.page.locator("link[rel=icon]")).to_have_attribute("href", "/favicon-alert.svg")
    expect(screen.sidebar.get_by_role("img", name="Needs you").first).to_be_visible()
    screen.page.set_viewport_size({"width": 1280, "height": 700})
    bar = screen.page.get_by_text("Your approval is needed")
    expect(card.get_by_role("button", name="Approve")).to_be_enabled()
    expect(bar).to_have_count(0)  # the card itself is on the screen
    screen.wait_still()
    screen.feed.hover()
    screen.page.mouse.wheel(0, -2000)
    expect(bar).to_be_visible()
    screen.button("Show").click()
    expect(card.get_by_role("button", name="Approve")).to_be_in_viewport()
    expect(bar).to_have_count(0)
    screen.cancel()


def test_yes_does_that_very_thing_once(screen: Screen, card: Locator) -> None:
    card.get_by_role("button", name="Approve").click()
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    expect(screen.composer).to_be_focused()
    screen.feed.get_by_role("button", name=re.compile("steps.*1 approved")).click()
    expect(screen.feed.get_by_role("article").filter(has_text="Approved:")).to_contain_text("€43.90")
    steps = [row["content"] for row in screen.stored(screen.session_id)["messages"] if row["role"] == "tool"]
    assert sum("Place order" in step for step in steps) == 1


def test_a_yes_reaches_the_server_although_the_page_is_left_at_once(screen: Screen) -> None:
    session = screen.asking()
    decision = f"POST /api/sessions/{session}/decision"
    with HeldLink(screen.server.port, holds=decision.encode()) as slow:
        password = {"password": screen.server.token}
        assert screen.page.request.post(f"{slow.url}/api/auth/login", data=password).ok
        screen.page.goto(f"{slow.url}/s/{session}")
        screen.button("Approve").click()
        screen.page.goto(f"{slow.url}/automations")
        expect(screen.page.get_by_role("heading", name="Automations")).to_be_visible()
        assert slow.held.wait(30)
        slow.release()
        screen.wait_until(lambda: screen.stored(session)["pending"], lambda it: not it, "it is decided")
        screen.hear_out(session)
    assert "The blue kettle is ordered" in screen.stored(session)["messages"][-1]["content"]


def open_note(screen: Screen, card: Locator) -> Locator:
    note = screen.deny_with_note(card)
    expect(note).to_be_focused()
    return note


def test_a_no_with_a_note_reaches_the_agent_and_stays_in_the_transcript(
    screen: Screen, card: Locator
) -> None:
    open_note(screen, card).fill("Too expensive, leave it.")
    card.get_by_role("button", name="Send and deny").click()
    denied = screen.feed.get_by_role("article").filter(has_text="Denied:")
    expect(denied).to_contain_text("“Too expensive, leave it.”")
    expect(screen.feed.get_by_text("as you said: “Too expensive, leave it.”")).to_be_visible()
    steps = [row["content"] for row in screen.stored(screen.session_id)["messages"] if row["role"] == "tool"]
    assert not any("Place order" in step for step in steps)
    screen.page.reload()
    expect(denied).to_contain_text("“Too expensive, leave it.”")


def test_an_open_note_can_only_deny_by_button_or_enter(screen: Screen, card: Locator) -> None:
    note = open_note(screen, card)
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    expect(card.get_by_role("checkbox")).to_have_count(0)
    expect(card.get_by_role("button", name="Send and deny")).to_be_disabled()
    note.press_sequentially("Use the red kettle")
    note.press("Shift+Enter")
    note.press_sequentially("leave it")
    expect(note).to_have_value("Use the red kettle\nleave it")
    note.press("Enter")
    expect(screen.feed.get_by_text("“Use the red kettle leave it”", exact=True)).to_be_visible()
    expect(card).to_have_count(0)


def test_escape_leaves_the_note_and_stops_nothing(screen: Screen, card: Locator) -> None:
    open_note(screen, card).press("Escape")
    expect(card.get_by_role("textbox")).to_have_count(0)
    expect(card.get_by_role("button", name="More about this question")).to_be_focused()
    expect(card.get_by_role("button", name="Approve")).to_be_visible()
    assert screen.stored(screen.session_id)["run"]["status"] == "waiting_user"
    screen.cancel()


def test_a_refused_act_is_not_asked_for_again(screen: Screen, card: Locator) -> None:
    open_note(screen, card).fill("Use the red kettle")
    card.get_by_role("textbox").press("Enter")
    expect(screen.feed.get_by_text("All right, I did not do it.")).to_be_visible()
    expect(screen.feed.get_by_text("Denied:")).to_have_count(1)
    assert len(screen.stored(screen.session_id)["interrupts"]) == 1


def ask_on_stage(screen: Screen) -> tuple[Locator, list[str]]:
    """A question that appears on a page whose clock stands still, and what is decided there."""
    screen.page.clock.install()
    decided: list[str] = []
    stage = Stage(screen)
    screen.page.route(
        "**/decision",
        lambda route: (decided.append(route.request.post_data or ""), route.fulfill(status=202, json={}))[1],
    )
    stage.begin()
    screen.pause_clock()
    ask = {"reference": "r", "kind": "confirm", "reason": "pays", "action": {"kind": "click"}}
    stage.play(stage.event("interrupt", **ask))
    screen.page.clock.run_for(50)  # until it is drawn
    card = screen.page.get_by_role("region", name="Allow this action?")
    expect(card).to_be_visible()
    return card, decided


@pytest.mark.parametrize("how", ["click", "key"])
@pytest.mark.parametrize("name", ["Approve", "Deny"])
def test_a_card_that_has_just_appeared_does_nothing_for_half_a_second(
    screen: Screen, name: str, how: str
) -> None:
    card, decided = ask_on_stage(screen)
    button = card.get_by_role("button", name=name, exact=True)

    def press() -> None:
        if how == "click":
            button.click(force=True)
        else:
            button.focus()
            screen.page.keyboard.press("Enter")

    press()
    screen.page.clock.run_for(400)
    press()
    assert decided == []
    expect(card.get_by_role("textbox")).to_have_count(0)
    screen.page.clock.run_for(100)
    with screen.page.expect_request("**/decision") if "note" not in name else nullcontext():
        press()
    if "note" in name:
        expect(card.get_by_role("textbox")).to_be_focused()


@pytest.mark.parametrize("name", ["Approve", "Deny"])
def test_words_in_the_composer_outlive_every_answer_on_the_card(
    screen: Screen, card: Locator, name: str
) -> None:
    screen.composer.fill("And then a tea pot")
    card.get_by_role("button", name=name, exact=True).click()
    expect(card).to_have_count(0)
    screen.wait_idle()
    expect(screen.composer).to_have_value("And then a tea pot")


def test_words_sent_to_a_question_that_was_just_closed_reach_the_run(screen: Screen) -> None:
    """The page does not know yet that another tab has answered."""
    bodies: list[str] = []
    stage = Stage(screen)
    screen.page.route(
        f"**/api/sessions/{SESSION}/messages",
        lambda route: (bodies.append(route.request.post_data or ""), route.fulfill(status=409, json={}))[1],
    )
    screen.expect_errors("409")
    stage.begin()
    stage.play(
        stage.event("interrupt", reference="r", kind="confirm", reason="pays", action={"kind": "click"})
    )
    with screen.page.expect_request("**/messages"):
        screen.send("the red one")
    expect(screen.feed.get_by_text("the red one")).to_be_visible()
    assert '"mode":"steer"' in bodies[0]


def test_a_decision_elsewhere_closes_the_card(screen: Screen, card: Locator) -> None:
    other = Screen(screen.page.context.new_page(), screen.server, screen.api)
    other.page.goto(f"/s/{screen.session_id}")
    other.button("Approve").click()
    expect(card).to_have_count(0)
    expect(screen.feed.get_by_text(re.compile("^Approved:$|1 approved"))).to_be_visible()


def test_a_reload_shows_the_open_question_again(screen: Screen, card: Locator) -> None:
    screen.page.reload()
    expect(card).to_be_visible()
    card.get_by_role("button", name="Deny", exact=True).click()
    expect(card).to_have_count(0)


def test_another_site_that_gets_the_form_is_told_and_time_runs_out_in_plain_sight(screen: Screen) -> None:
    screen.page.clock.install()
    stage = Stage(screen)
    stage.begin()
    moment = datetime.now(UTC) + timedelta(minutes=5)
    soon = (moment + timedelta(seconds=9)).isoformat()
    ask = {
        "reference": "r",
        "kind": "confirm",
        "reason": "pays",
        "action": {"kind": "click"},
        "url": "https://shop.example/pay",
        "sends_to": "bank.example",
        "expires_at": soon,
    }
    stage.play(stage.event("interrupt", **ask))
    card = screen.page.get_by_role("region", name="Allow this action?")
    expect(card).to_contain_text("sent to another site: bank.example")
    screen.page.clock.pause_at(moment)  # from here on time passes only below
    expect(card).to_contain_text("expires in 0:0")
    screen.page.clock.run_for(10_000)
    expect(card).to_contain_text("expired")


def test_a_step_for_the_person_waits_for_done(screen: Screen) -> None:
    screen.open(screen.asking("log in to my mail"))
    card = screen.page.get_by_role("region", name="Your turn")
    expect(card).to_contain_text("Please log in to your mail.")
    card.get_by_role("textbox").fill("logged in, go on")
    card.get_by_role("button", name="I’m done").click()
    expect(screen.feed.get_by_text("Done by you:")).to_be_visible()
    screen.wait_idle()


NOTIFICATION = """
    window.told = [];
    window.Notification = class {
        static permission = localStorage.getItem('permission') ?? 'default';
        static async requestPermission() { localStorage.setItem('permission', 'granted');
                                           return this.permission = 'granted' }
        constructor(title, options) { told.push({title, ...options, click: () => this.onclick?.()}) }
        close() {}
    };
    Object.defineProperty(document, 'hidden', {get: () => window.isAway === true});
"""


def test_notifications_are_offered_when_first_needed_and_come_when_nobody_looks(screen: Screen) -> None:
    screen.page.add_init_script(NOTIFICATION)
    screen.open()
    expect(screen.button("Notify me")).to_have_count(0)
    screen.begin("shop for a kettle")
    expect(screen.page.get_by_role("region", name="Allow this action?").get_by_role("img")).to_be_visible()
    screen.wait_at_end()  # the card has its picture, and nothing moves under the click any more
    screen.button("Notify me").click()
    expect(screen.button("Notify me")).to_have_count(0)
    assert screen.page.evaluate("Notification.permission") == "granted"
    screen.cancel()
    screen.open()
    screen.page.evaluate("window.isAway = true")
    session = screen.new_session(title="Order the kettle")
    screen.wait_for_readers(1)  # the list of sessions is followed
    screen.tell(session, "shop for a kettle")
    screen.page.wait_for_function("() => window.told.length > 0")
    told = screen.page.evaluate("({title: told[0].title, body: told[0].body})")
    assert told == {"title": "Approval needed", "body": "Order the kettle"}
    screen.api.patch(f"/sessions/{session}", json={"title": "Renamed"}).raise_for_status()
    expect(screen.sidebar.get_by_text("Renamed")).to_be_visible()
    assert screen.page.evaluate("told.length") == 1
    screen.page.evaluate("told[0].click()")
    screen.page.wait_for_url(f"**/s/{session}")
    screen.cancel()


def test_who_wants_no_notifications_is_not_asked_again(screen: Screen) -> None:
    screen.page.add_init_script(NOTIFICATION)
    screen.open(screen.asking("log in to my mail"))
    screen.button("Not now").click()
    screen.page.reload()
    expect(screen.page.get_by_role("region", name="Your turn")).to_be_visible()
    expect(screen.button("Not now")).to_have_count(0)
    assert screen.page.evaluate("Notification.permission") == "default"
    screen.cancel()


def test_notifications_are_offered_at_one_question_only(screen: Screen) -> None:
    screen.page.add_init_script(NOTIFICATION)
    session = screen.begin("shop for a kettle")
    expect(screen.button("Notify me")).to_be_visible()
    screen.page.reload()
    expect(screen.button("Notify me")).to_be_visible()
    screen.cancel()
    screen.hear_out(session)
    screen.begin("log in to my mail")
    expect(screen.page.get_by_role("region", name="Your turn")).to_be_visible()
    expect(screen.button("Notify me")).to_have_count(0)
    screen.cancel()


def test_on_a_phone_the_card_comes_first_and_the_bar_keeps_the_amount(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    screen.page.add_init_script(NOTIFICATION)
    screen.begin("shop for a kettle")
    expect(screen.button("Approve")).to_be_in_viewport()
    expect(screen.button("Notify me")).to_have_count(0)
    sheet = screen.page.locator("[data-height]")
    expect(sheet).to_have_attribute("data-height", "low")
    expect(sheet.get_by_text("Waiting for you")).to_be_visible()
    expect(sheet.locator("[data-live]")).to_have_count(0)  # a browser that is not shown is not streamed
    screen.feed.press("Home")
    amount = screen.page.locator("main strong.tabular", has_text="43.90")
    expect(amount).to_be_visible()
    assert fits(screen.page)
    screen.cancel()


def small_screen(open_screen: OpenScreen, height: int) -> tuple[Screen, Locator]:
    """A question on a phone, lower than its card, that has appeared while the feed was at its end."""
    screen = open_screen(viewport={"width": 360, "height": height}, has_touch=True, is_mobile=True)
    screen.begin("shop for a kettle")
    card = screen.page.get_by_role("region", name="Allow this action?")
    wait_until_drawn(screen, card)
    return screen, card


def wait_until_drawn(screen: Screen, card: Locator) -> None:
    expect(card.get_by_role("button", name="Approve")).to_be_enabled()
    card.locator("img").evaluate("img => img.decode()")  # the card grows by its picture
    screen.wait_still()
    assert screen.gap() > 0  # or this card is not tall


def test_a_card_taller_than_the_screen_opens_at_its_title(open_screen: OpenScreen) -> None:
    screen, card = small_screen(open_screen, 640)
    title = card.get_by_role("heading")
    expect(title).to_be_in_viewport(ratio=1)
    expect(screen.button(re.compile("Latest"))).to_have_count(0)
    screen.page.reload()
    wait_until_drawn(screen, card)
    expect(title).to_be_in_viewport(ratio=1)
    screen.button("Show sidebar").click()
    screen.sidebar.get_by_role("button", name="New session").click()
    expect(screen.feed).to_have_count(0)
    screen.page.go_back()
    wait_until_drawn(screen, card)
    expect(title).to_be_in_viewport(ratio=1)
    card.get_by_role("button", name="Approve").click()
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    screen.wait_idle()
    screen.wait_at_end()


def test_show_leads_to_the_answers_of_a_tall_card_and_from_far_to_its_title(open_screen: OpenScreen) -> None:
    screen, card = small_screen(open_screen, 480)
    title, approve = card.get_by_role("heading"), card.get_by_role("button", name="Approve")
    expect(title).to_be_in_viewport(ratio=1)
    screen.button("Show").click()
    expect(screen.page.get_by_text("Your approval is needed")).to_have_count(0)
    screen.wait_still()
    expect(approve).to_be_in_viewport(ratio=1)  # the feed, which has grown by the bar, has not gone back
    screen.feed.press("Home")
    screen.button("Show").click()
    expect(title).to_be_in_viewport(ratio=1)
    screen.cancel()
