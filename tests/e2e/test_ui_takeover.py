"""Watching the browser live and driving it: by mouse, keys, touch or list."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.fingers import Fingers
from tests.e2e.live_stage import SHOP, LiveStage, frame_is_shown
from tests.e2e.screen import Screen

LOGIN = "log in to my mail"
PIXEL_AT = """([x, y]) => [...document.querySelector('canvas').getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)]"""


@pytest.fixture(scope="module")
def asked(api: httpx.Client) -> Iterator[list[str]]:
    """The sessions of `asking`, which ask nothing any more when other files of tests begin."""
    sessions: list[str] = []
    yield sessions
    for session in sessions:
        api.post(f"/sessions/{session}/cancel")


@pytest.fixture
def asking(screen: Screen, asked: list[str]) -> str:
    """A session whose agent waits for a person to log in.

    Tests that answer on the stage only share it: its question stays open.
    """
    if not (asked and screen.stored(asked[-1])["pending"]):
        asked.append(screen.asking(LOGIN))
    return asked[-1]


def driving(screen: Screen, **live: str) -> LiveStage:
    """The take-over page of a session, the browser taken."""
    stage = LiveStage(screen.page, **live)
    screen.page.goto(f"/s/{screen.new_session(title='Drive')}?view=takeover")
    expect(screen.page.get_by_text("You have control")).to_be_visible()
    frame_is_shown(screen.page)
    return stage


def keys_box(page: Page) -> str:
    expect(page.get_by_role("textbox", name="Keys go to the page")).to_be_focused()
    return "focused"


def point(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a point of the 1280 by 720 page is on the screen."""
    box = page.locator("[data-page-controls]").bounding_box()
    assert box
    return box["x"] + x * box["width"] / 1280, box["y"] + y * box["height"] / 720


# Watching


def test_the_panel_shows_the_page_as_it_is(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    screen.open(screen.new_session())
    screen.page.get_by_role("tab", name="Browser").click()
    frame_is_shown(screen.page)
    expect(screen.page.get_by_text("Live", exact=True)).to_be_visible()
    expect(screen.page.get_by_text(SHOP)).to_be_visible()
    assert screen.page.evaluate(PIXEL_AT, [100, 340])[0] > 150, "the order button is red"
    stage.tell(url="https://shop.example/thanks", title="Thank you")
    expect(screen.page.get_by_text("Thank you")).to_be_visible()


def test_what_the_agent_is_about_to_touch_is_outlined(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    screen.open(screen.new_session())
    screen.page.get_by_role("tab", name="Browser").click()
    frame_is_shown(screen.page)
    stage.send({"type": "target", "box": [3, 44, 17, 8], "label": "Place order"})
    mark = screen.page.get_by_role("tabpanel").locator(".target-mark")
    expect(mark).to_be_visible()
    both = "mark => [document.querySelector('canvas'), mark].map(it => it.getBoundingClientRect().toJSON())"
    frame, box = mark.evaluate(both)  # at one moment
    assert box["x"] - frame["x"] == pytest.approx(frame["width"] * 0.03, abs=2)
    stage.send({"type": "target", "box": None, "label": ""})
    expect(mark).to_have_count(0)


def test_every_frame_is_acknowledged_and_nobody_watching_means_no_socket(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    screen.open(screen.new_session())
    screen.page.get_by_role("tab", name="Browser").click()
    frame_is_shown(screen.page)
    for number in range(5):
        stage.show(f"Frame {number}")
    stage.wait_for_acks(6)
    screen.page.get_by_role("tab", name="Plan").click()
    stage.wait_for_close()


def test_a_closed_browser_shows_its_last_picture(screen: Screen) -> None:
    LiveStage(screen.page, browser="closed")
    screen.open(screen.asking())
    expect(screen.button("Approve")).to_be_visible()
    panel = screen.page.get_by_role("region", name="Browser")
    expect(panel.get_by_text("Browser closed")).to_be_visible()
    expect(panel.get_by_text("Last picture")).to_be_visible()
    expect(panel.get_by_role("img", name=re.compile("shop.example.basket"))).to_be_visible()
    screen.cancel()


def test_a_lost_connection_is_told_and_mended(screen: Screen) -> None:
    screen.expect_errors("WebSocket")
    stage = LiveStage(screen.page)
    screen.open(screen.new_session())
    screen.page.get_by_role("tab", name="Browser").click()
    frame_is_shown(screen.page)
    stage.drop()
    stage.wait_for_connection(2)
    expect(screen.page.get_by_text("Live", exact=True)).to_be_visible()
    assert stage.opened == 2


# Taking over


@pytest.mark.parametrize("way", ["card", "panel", "menu", "key"])
def test_take_over_is_one_click_from_anywhere(screen: Screen, asking: str, way: str) -> None:
    LiveStage(screen.page)
    screen.open(asking)
    match way:
        case "card":
            screen.feed.get_by_role("button", name="Take over").click()
        case "panel":
            browser = screen.page.get_by_role("region", name="Browser")
            browser.get_by_role("button", name="Take over").click()
        case "menu":
            screen.button("More about this session").click()
            screen.page.get_by_role("menuitem", name="Take over").click()
        case "key":
            screen.feed.focus()
            screen.page.keyboard.press("Control+Shift+l")
    expect(screen.page.get_by_text("You have control")).to_be_visible()
    frame_is_shown(screen.page)


def test_take_over_is_one_click_from_the_strip_of_a_run(screen: Screen) -> None:
    LiveStage(screen.page)
    screen.begin("endless story")
    screen.page.locator("[data-run]").get_by_role("button", name="Take over").click()
    expect(screen.page.get_by_text("You have control")).to_be_visible()
    frame_is_shown(screen.page)
    screen.cancel()


def test_mouse_clicks_drags_and_scrolls_reach_the_page(screen: Screen) -> None:
    stage = driving(screen)
    mouse = screen.page.mouse
    mouse.move(*point(screen.page, 150, 348))
    mouse.dblclick(*point(screen.page, 150, 348))
    stage.wait_for("mouse", 2, kind="up")
    downs = stage.said("mouse", kind="down")
    assert [message["clicks"] for message in downs] == [1, 2]
    assert all(abs(message["x"] - 150) <= 2 and abs(message["y"] - 348) <= 2 for message in downs)
    stage.heard.clear()
    mouse.down(button="right")
    mouse.up(button="right")
    stage.wait_for("mouse", 1, kind="up")
    assert {message["button"] for message in stage.said("mouse")} == {"right"}
    stage.heard.clear()
    mouse.wheel(0, 240)
    mouse.wheel(0, 120)
    assert stage.wait_for_wheel(360) == 360
    stage.heard.clear()
    mouse.down()
    mouse.move(*point(screen.page, 400, 348), steps=20)
    mouse.up()
    stage.wait_for("mouse", 1, kind="up")
    moves = stage.said("mouse", kind="move")
    assert moves
    assert {message["button"] for message in moves} == {"left"}


def test_all_keys_go_to_the_page_until_f8(screen: Screen) -> None:
    stage = driving(screen)
    keys_box(screen.page)
    for key in ("a", "Tab", "Escape", "Control+a", "ArrowDown", "t", "/"):
        screen.page.keyboard.press(key)
    pressed = [
        (message["key"], message["modifiers"])
        for message in stage.wait_for("key", 16)
        if message["kind"] == "down"
    ]
    expected = [
        ("a", 0),
        ("Tab", 0),
        ("Escape", 0),
        ("Control", 2),
        ("a", 2),
        ("ArrowDown", 0),
        ("t", 0),
        ("/", 0),
    ]
    assert pressed == expected
    ups = [message["key"] for message in stage.said("key") if message["kind"] == "up"]
    assert sorted(ups) == sorted(key for key, _ in expected), "no key stays pressed"
    assert next(message for message in stage.said("key") if message["key"] == "a")["text"] == "a"
    screen.page.keyboard.press("F8")
    expect(screen.button("I’m done")).to_be_focused()
    screen.page.keyboard.press("Tab")
    assert len(stage.said("key")) == 16


def test_pasted_and_composed_text_goes_as_text(open_screen: OpenScreen) -> None:
    screen = open_screen(permissions=["clipboard-read", "clipboard-write"])
    stage = driving(screen)
    keys_box(screen.page)
    screen.page.evaluate("navigator.clipboard.writeText('Straße 5\\nзвонок')")
    screen.page.keyboard.press("Control+v")
    assert stage.wait_for("text")[0]["text"] == "Straße 5\nзвонок"
    client = screen.page.context.new_cdp_session(screen.page)
    client.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    client.send("Input.insertText", {"text": "日本"})
    assert stage.wait_for("text", 2)[1]["text"] == "日本"
    screen.button("Paste text…").click()
    screen.page.get_by_role("textbox", name="Text").fill("from the dialog")
    screen.button("Type it").click()
    assert stage.wait_for("text", 3)[2]["text"] == "from the dialog"


def test_addresses_back_reload_and_tabs(screen: Screen) -> None:
    stage = driving(screen)
    address = screen.page.get_by_role("textbox", name="Address")
    address.fill("example.com/path")
    address.press("Enter")
    assert stage.wait_for("go")[0]["url"] == "example.com/path", "the server completes it"
    for security, name in (
        ("secure", "The connection is encrypted"),
        ("plain", "The connection is not encrypted"),
        ("error", "The page could not be loaded"),
    ):
        stage.tell(url="https://example.com/path", security=security)
        expect(screen.page.get_by_role("img", name=name)).to_be_visible()
    screen.button("Back").click()
    screen.button("Reload the page").click()
    stage.wait_for("reload")
    assert stage.said("back")
    tab = {"title": "Help", "url": "https://shop.example/help", "active": False, "index": 1}
    stage.tell(tabs=[*stage.state["tabs"], tab])
    screen.page.get_by_role("button", name="Help").click()
    assert stage.wait_for("tab")[0]["index"] == 1


def test_without_sight_or_pointer_the_list_of_elements_does_it(screen: Screen) -> None:
    stage = driving(screen)
    keys = screen.page.keyboard
    keys.press("F8")
    keys.press("Shift+Tab")
    expect(screen.button("Elements")).to_be_focused()
    keys.press("Enter")
    elements = screen.page.get_by_role("region", name="Elements")
    expect(elements.get_by_role("button", name="Click button Log in")).to_be_visible()
    password = elements.get_by_label("Text for Password")
    assert password.get_attribute("type") == "password"
    password.fill("hunter2")
    password.press("Enter")
    assert stage.wait_for("type")[0] == {"type": "type", "eid": "e2", "text": "hunter2"}
    expect(password).to_have_value("")
    elements.get_by_label("Filter elements").fill("log")
    expect(elements.get_by_role("listitem")).to_have_count(1)
    elements.get_by_role("button", name="Click button Log in").press("Enter")
    assert stage.wait_for("click")[0]["eid"] == "e3"


def test_on_a_phone_taps_click_and_swipes_scroll(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    stage = driving(screen)
    expect(screen.page.get_by_role("textbox", name="Keys go to the page")).not_to_be_focused()
    screen.page.touchscreen.tap(*point(screen.page, 150, 348))
    kinds = [(message["kind"], message["button"]) for message in stage.wait_for("mouse", 3)]
    assert kinds == [("move", -1), ("down", "left"), ("up", "left")]
    expect(screen.page.get_by_role("textbox", name="Keys go to the page")).not_to_be_focused()
    screen.button("Keyboard").tap()
    keys_box(screen.page)
    screen.button("Fit the page to this window").tap()
    assert stage.wait_for("resize")[0]["width"] <= 390
    swipe(screen.page, point(screen.page, 600, 600), point(screen.page, 600, 300))
    assert stage.wait_for_wheel(288) == pytest.approx(300, abs=12)


def test_on_a_phone_two_fingers_enlarge_the_page_and_taps_still_hit(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    stage = driving(screen)
    Fingers(screen.page).pinch(screen.page.locator("canvas"))
    canvas = screen.page.locator("canvas")
    screen.wait_until(lambda: canvas.bounding_box(), lambda it: it and it["width"] > 700, "twice as large")
    assert stage.said("mouse") == [], "the gesture is no input of the page"
    assert stage.said("wheel") == []
    screen.page.touchscreen.tap(*point(screen.page, 640, 360))
    tapped = stage.wait_for("mouse", 3)[0]
    assert (tapped["x"], tapped["y"]) == (pytest.approx(640, abs=3), pytest.approx(360, abs=3))


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    client = page.context.new_cdp_session(page)
    steps = 6
    for step in range(steps + 1):
        x, y = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
        kind = "touchStart" if step == 0 else "touchMove"
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


# Privacy and giving back


def test_it_says_that_nothing_is_recorded(screen: Screen) -> None:
    driving(screen)
    expect(screen.page.get_by_text("Not recorded and not sent to the model")).to_be_visible()


def test_done_asks_what_the_assistant_should_know(screen: Screen, asking: str) -> None:
    stage = LiveStage(screen.page)
    screen.page.goto(f"/s/{asking}?view=takeover")
    screen.button("I’m done").click()
    note = screen.page.get_by_role("textbox", name="Note for the agent")
    expect(note).to_be_focused()
    note.fill("I am logged in as Ada.")
    screen.button("Continue").click()
    assert stage.wait_for("release")[0]["note"] == "I am logged in as Ada."
    screen.page.wait_for_url(f"**/s/{asking}")
    expect(screen.composer).to_be_visible()


def test_after_a_run_the_hand_back_offers_to_continue(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    session = screen.finished("hello")
    screen.page.goto(f"/s/{session}?view=takeover")
    screen.button("I’m done").click()
    dialog = screen.page.get_by_role("dialog", name="Continue the task?")
    expect(dialog.get_by_text("nothing goes on by itself")).to_be_visible()
    assert violations(screen.page) == []
    dialog.get_by_role("textbox", name="What to do next").fill("hello again")
    screen.page.keyboard.press("Control+Enter")
    assert stage.wait_for("release") == [{"type": "release"}], "the words are a message, not a note"
    expect(screen.feed.get_by_role("article").filter(has_text="hello again").first).to_be_visible()
    screen.wait_idle()
    assert [one["content"] for one in screen.stored(session)["messages"] if one["role"] == "user"] == [
        "hello",
        "hello again",
    ]


def test_after_a_run_the_browser_can_be_given_back_alone(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    session = screen.finished("hello")
    screen.page.goto(f"/s/{session}?view=takeover")
    screen.button("I’m done").click()
    screen.button("Give back").click()
    stage.wait_for("release")
    expect(screen.composer).to_be_visible()
    assert len([one for one in screen.stored(session)["messages"] if one["role"] == "user"]) == 1


def test_taking_over_and_giving_back_need_no_pointer(screen: Screen, asking: str) -> None:
    stage = LiveStage(screen.page)
    screen.open(asking)
    expect(screen.button("I’m done")).to_be_visible()
    keys = screen.page.keyboard
    screen.composer.press("Shift+Tab")
    keys.press("Control+Shift+l")
    keys_box(screen.page)
    keys.press("a")
    stage.wait_for("key", 2)
    keys.press("F8")
    expect(screen.button("I’m done")).to_be_focused()
    keys.press("Enter")
    expect(screen.page.get_by_role("textbox", name="Note for the agent")).to_be_focused()
    keys.type("done")
    keys.press("Tab")
    expect(screen.button("End run")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    assert stage.wait_for("release")[0]["note"] == "done"
    screen.page.wait_for_url(f"**/s/{asking}")
    expect(screen.composer).to_be_focused()


def test_the_server_takes_what_mouse_and_keys_send(screen: Screen) -> None:
    """Mock mode's page, with no stage between the UI and the server."""
    answers: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: answers.append(data) if isinstance(data, str) else None)

    screen.page.on("websocket", listen)
    screen.open(screen.asking(LOGIN))
    screen.feed.get_by_role("button", name="Take over").click()
    expect(screen.page.get_by_text("You have control")).to_be_visible()
    frame_is_shown(screen.page)
    screen.page.mouse.move(*point(screen.page, 300, 300), steps=4)
    screen.page.mouse.click(*point(screen.page, 200, 200))
    screen.page.mouse.wheel(0, 100)
    keys_box(screen.page)
    screen.page.keyboard.type("ada")
    screen.button("I’m done").click()
    screen.button("Continue").click()
    expect(screen.composer).to_be_visible()
    assert [answer for answer in answers if '"error"' in answer] == []
    screen.cancel()


def test_the_run_can_be_ended_from_there(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    session = screen.asking(LOGIN)
    screen.page.goto(f"/s/{session}?view=takeover")
    screen.button("I’m done").click()
    screen.button("End run").click()
    stage.wait_for("release")
    expect(screen.feed.get_by_text("Stopped", exact=True)).to_be_visible()


def test_leaving_the_page_keeps_the_wheel_and_says_so(screen: Screen) -> None:
    stage = driving(screen)
    screen.button("Back to the conversation").click()
    expect(screen.page.get_by_text("You have the browser. The agent waits.")).to_be_visible()
    assert not stage.said("release")
    screen.button("Go to it").click()
    expect(screen.page.get_by_text("You have control")).to_be_visible()
    screen.button("Back to the conversation").click()
    screen.button("I’m done").click()
    screen.button("Give back").click()
    stage.wait_for("release")
    expect(screen.page.get_by_text("You have the browser.")).to_have_count(0)


def test_while_another_drives_one_can_only_watch(screen: Screen) -> None:
    stage = LiveStage(screen.page, holder="other")
    screen.page.goto(f"/s/{screen.new_session()}?view=takeover")
    expect(screen.page.get_by_role("alert")).to_contain_text("Someone else is driving")
    frame_is_shown(screen.page)
    expect(screen.button("I’m done")).to_have_count(0)
    expect(screen.page.get_by_role("textbox", name="Address")).not_to_be_editable()
    screen.page.locator("canvas").click()
    assert not stage.said("mouse")
    stage.tell(holder="none")
    screen.button("Take over").click()
    expect(screen.page.get_by_text("You have control")).to_be_visible()


def test_who_waits_for_a_free_browser_is_told_its_place(screen: Screen) -> None:
    stage = LiveStage(screen.page, browser="closed")
    session = screen.new_session()
    screen.open(session)
    screen.page.get_by_role("tab", name="Browser").click()
    panel = screen.page.get_by_role("tabpanel")
    expect(panel.get_by_text("No page has been opened yet.")).to_be_visible()
    stage.tell(queue_place=2)
    expect(panel.get_by_text("Waiting for a free browser · place 2")).to_be_visible()
    panel.get_by_role("button", name="Take over").click()
    expect(screen.page.get_by_text("Waiting for a free browser · place 2")).to_be_visible()
    stage.tell(browser="open", queue_place=None)
    stage.show()
    frame_is_shown(screen.page)


def test_a_closed_browser_can_be_opened_by_an_address(screen: Screen) -> None:
    stage = LiveStage(screen.page, browser="closed")
    screen.page.goto(f"/s/{screen.new_session()}?view=takeover")
    expect(screen.page.get_by_text("The browser is not open.")).to_be_visible()
    address = screen.page.get_by_role("textbox", name="Address")
    address.fill("shop.example")
    address.press("Enter")
    stage.wait_for("go")
    stage.show()
    frame_is_shown(screen.page)


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru", 1440), ("dark", "en", 360)])
def test_the_page_is_for_everyone(open_screen: OpenScreen, scheme: str, lang: str, width: int) -> None:
    screen = open_screen(color_scheme=scheme, viewport={"width": width, "height": 800})
    driving(screen)
    screen.choose_language(lang)
    screen.page.reload()
    frame_is_shown(screen.page)
    assert violations(screen.page) == []
    assert fits(screen.page)
    screen.page.get_by_role("button", name=re.compile("^(Elements|Элементы)$")).click()
    expect(screen.page.get_by_role("region", name=re.compile("Elements|Элементы"))).to_be_visible()
    assert violations(screen.page) == []
