"""The feed: what it shows, how it scrolls, what is copied."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import DESKTOP, OpenScreen
from tests.e2e.fingers import Fingers
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage, history, message

PHONE_SIZE = {"width": 390, "height": 844}

ATTACK = """<script>document.title = 'owned'</script><img src=x onerror="document.title='owned'">
[click](javascript:alert(1)) ![pixel](https://evil.example/steal?x=1)"""

HEIGHT_OF_STEPS = """() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('[role="article"] { height: 52px; overflow: hidden }')
    document.adoptedStyleSheets.push(sheet)
}"""


NO_USAGE = {"input_tokens": 1, "output_tokens": 1, "cached_tokens": 0, "model_calls": 1}


def recorded(number: int) -> dict[str, Any]:
    """What is kept with a step that recorded one row of a table."""
    schema = {
        "type": "array",
        "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    }
    row = {"id": f"row{number}", "values": {"name": f"kettle {number}"}, "source": None}
    return {
        "name": "record", "call_id": f"step {number}", "args": {}, "ok": True, "duration_ms": 400,
        "result": {"schema": schema, "rows": [row]},
    }  # fmt: skip


def test_an_answer_of_a_model_is_inert(screen: Screen) -> None:
    wanted: list[str] = []
    screen.page.on("request", lambda request: wanted.append(request.url))
    Stage(screen, [message(1, "user", "go"), message(2, "assistant", ATTACK)])
    expect(screen.feed.get_by_text("<script>")).to_be_visible()
    expect(screen.page).to_have_title("Staged")
    assert not [url for url in wanted if "evil.example" in url]
    links = screen.feed.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert links == ["https://evil.example/steal?x=1"]


def test_unfinished_markdown_does_not_show_its_bones(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    for piece in ("# Ti", "tle\n\nSome **bo", "ld** text\n\n```py", "thon\nprint(1)\n"):
        stage.say(piece)
    expect(screen.feed.get_by_role("heading", name="Title")).to_be_visible()
    expect(screen.feed.locator("strong", has_text="bold")).to_be_visible()
    code = screen.feed.locator("pre")
    expect(code).to_have_text("print(1)")
    assert code.locator("span").count() == 0
    stage.say("```\n\nDone.")
    expect(code.locator("span").first).to_be_visible()


def test_the_feed_follows_its_end(screen: Screen) -> None:
    stage = Stage(screen, history(30))
    expect(screen.feed.get_by_text("Page 30 says")).to_be_visible()
    screen.wait_at_end()
    stage.begin()
    for number in range(12):
        stage.say(f"Paragraph {number} of the answer.\n\n")
        stage.tool(f"step {number}")
    expect(screen.feed.get_by_text("Paragraph 11 of")).to_be_in_viewport()
    screen.wait_at_end()


def test_the_feed_follows_its_end_after_steps_folded_while_the_answer_grew(screen: Screen) -> None:
    stage = Stage(screen, history(30))
    stage.begin()
    for number in range(5):
        stage.tool(f"step {number}")
    stage.say("The answer.\n\n")
    expect(screen.feed.get_by_text("Clicked step 0")).to_be_visible()
    screen.wait_at_end()
    sixth = {"call_id": "step 5", "name": "click"}
    stage.play(
        stage.event("token", message_id="answer", text="First.\n\nSecond.\n\nThird.\n\n"),
        stage.event("tool_start", **sixth, args={"element": 'button "step 5"'}),
        stage.event("tool_end", **sixth, ok=True, summary="Clicked step 5", duration_ms=400),
    )
    expect(screen.feed.get_by_text("4 steps")).to_be_visible()
    screen.wait_at_end()
    for number in range(6, 9):
        args = {"element": f'button "step {number}"'}
        stage.play(stage.event("tool_start", call_id=f"step {number}", name="click", args=args))
        expect(screen.feed.get_by_text(f"step {number}")).to_be_in_viewport()
        screen.wait_at_end()


def test_the_feed_follows_rows_that_are_as_high_as_was_guessed(screen: Screen) -> None:
    stage = Stage(screen, history(30))
    screen.page.evaluate(HEIGHT_OF_STEPS)
    screen.wait_at_end()
    stage.begin()
    for number in range(3):
        stage.tool(f"step {number}")
        expect(screen.feed.get_by_text(f"step {number}")).to_be_in_viewport()
        screen.wait_at_end()


def test_who_scrolled_up_is_left_alone_and_can_jump_to_what_is_new(screen: Screen) -> None:
    stage = Stage(screen, history(30))
    expect(screen.feed.get_by_text("Page 30 says")).to_be_visible()
    stage.begin()
    scroll_up(screen)
    before = screen.feed.evaluate("feed => feed.scrollTop")
    stage.play(stage.event("message", message=message(31, "user", "and now?", run_id="run")))
    for number in range(20):
        stage.say(f"Line {number} that must not move anything.\n\n")
    expect(screen.button("2 new")).to_be_visible()
    screen.wait_still()
    assert screen.feed.evaluate("feed => feed.scrollTop") == before
    screen.button("2 new").click()
    screen.wait_at_end()
    expect(screen.feed.get_by_text("Line 19")).to_be_in_viewport()


def test_the_end_key_goes_to_the_end(screen: Screen) -> None:
    Stage(screen, history(60))
    expect(screen.feed.get_by_text("Page 60 says")).to_be_visible()
    scroll_up(screen)
    screen.feed.focus()
    screen.page.keyboard.press("Home")
    expect(screen.feed.get_by_text("Please look at page 1", exact=True)).to_be_in_viewport()
    screen.page.keyboard.press("End")
    screen.wait_at_end()


def test_a_session_opens_where_it_was_left(screen: Screen) -> None:
    Stage(screen, history(90))
    expect(screen.feed.get_by_text("Page 90 says")).to_be_in_viewport()
    scroll_up(screen)
    top = first_row_in_sight(screen.page)
    screen.sidebar.get_by_role("button", name="New session").click()
    expect(screen.feed).to_have_count(0)
    screen.page.go_back()
    expect(screen.feed.get_by_text("Please look").first).to_be_visible()
    screen.page.wait_for_function(f"() => ({FIRST_ROW})() === {top}")


def test_what_comes_below_an_open_question_does_not_move_its_buttons(screen: Screen) -> None:
    stage = Stage(screen, history(30))
    stage.begin()
    stage.play(
        stage.event("interrupt", reference="r", kind="confirm", reason="pays", action={"kind": "click"})
    )
    approve = screen.page.get_by_role("region", name="Allow this action?").get_by_role(
        "button", name="Approve"
    )
    expect(approve).to_be_in_viewport()
    screen.wait_at_end()
    before = approve.bounding_box()
    stage.play(stage.event("message", message=message(31, "user", "And then the weather", run_id=None)))
    expect(screen.feed.get_by_text("And then the weather")).to_be_attached()
    screen.wait_still()
    assert approve.bounding_box() == before
    stage.play(stage.event("decision", reference="r", confirmed=True, outcome="done"))
    expect(screen.feed.get_by_text("And then the weather")).to_be_in_viewport()
    screen.wait_at_end()


def test_what_is_written_at_a_question_survives_scrolling_away(screen: Screen) -> None:
    stage = Stage(screen, history(90))
    stage.begin()
    stage.play(
        stage.event("interrupt", reference="r", kind="confirm", reason="pays", action={"kind": "click"})
    )
    card = screen.page.get_by_role("region", name="Allow this action?")
    screen.deny_with_note(card)
    card.get_by_role("textbox").fill("look again")
    go_home_and_back(screen)
    expect(card.get_by_role("textbox")).to_have_value("look again")


def test_what_is_being_edited_survives_scrolling_away(screen: Screen) -> None:
    Stage(screen, history(91))
    screen.feed.get_by_text("Please look at page 91").hover()
    screen.button("Edit").click()
    editor = screen.page.get_by_role("textbox", name="Edit")
    editor.fill("look at page 92")
    screen.feed.hover()
    screen.page.mouse.wheel(0, -90_000)
    expect(screen.feed.get_by_text("Please look at page 1", exact=True)).to_be_in_viewport()
    screen.wait_still()
    expect(editor).to_be_focused()
    screen.button("Latest").click()
    expect(editor).to_have_value("look at page 92")


def test_a_long_history_is_light(screen: Screen) -> None:
    Stage(screen, history(1500))
    expect(screen.feed.get_by_text("Page 1500 says")).to_be_in_viewport()
    assert screen.feed.evaluate("feed => feed.querySelectorAll('*').length") < 1500
    screen.wait_at_end()


def test_a_fast_stream_changes_only_the_end_of_its_answer(screen: Screen) -> None:
    stage = Stage(screen, history(30))
    expect(screen.feed.get_by_text("Page 30 says")).to_be_visible()
    screen.wait_at_end()
    stage.begin()
    stage.say("First paragraph.\n\nSecond **paragraph**.\n\n")
    expect(screen.feed.get_by_text("Second paragraph.")).to_be_visible()
    screen.feed.evaluate(WATCH_CHANGES)
    words = [
        "The",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "the",
        "**lazy**",
        "dog",
        "and",
        "`reads`",
        "on.\n\n",
    ]
    tokens = [
        stage.event("token", message_id="answer", text=words[n % len(words)] + " ") for n in range(1000)
    ]
    frames = screen.page.evaluate(
        """async events => { let frames = 0; for (let at = 0; at < events.length; at += 5, frames++) {
            window.stage.play(events.slice(at, at + 5)); await new Promise(requestAnimationFrame) } return frames }""",
        tokens,
    )
    expect(screen.feed.get_by_role("article").last).to_contain_text("reads on. The quick")
    seen = screen.page.evaluate("window.seen")
    assert seen["elsewhere"] == []
    assert seen["isFirstKept"]
    assert 0 < seen["batches"] <= 2 * frames  # by frame, not by token


WATCH_CHANGES = """feed => {
    const answer = [...feed.querySelectorAll('[role=article]')].at(-1)
    const first = [...answer.querySelectorAll('p')].find(p => p.textContent.startsWith('First'))
    const words = first.firstChild
    window.seen = {elsewhere: [], batches: 0, isFirstKept: true}
    new MutationObserver(changes => {
        window.seen.batches++
        window.seen.isFirstKept = first.isConnected && words.isConnected
        for (const {target} of changes) {
            const row = (target.closest ? target : target.parentElement)?.closest('[role=article]')
            if (row && row !== answer || first.contains(target)) window.seen.elsewhere.push(target.outerHTML || target.data)
        }
    }).observe(feed, {subtree: true, childList: true, characterData: true})
}"""
"""Counts the batches of changes in the feed, and collects those outside of the end of the last row."""


def test_messages_and_code_are_copied(open_screen: OpenScreen) -> None:
    screen = open_screen(permissions=["clipboard-read", "clipboard-write"])
    text = "Look:\n\n```python\nprint('hi')\n```"
    screen.page.clock.install()
    Stage(screen, [message(1, "user", "go"), message(2, "assistant", text)])
    expect(screen.feed.get_by_role("button", name="Copy", exact=True).last).to_be_visible()
    screen.pause_clock()  # "Copied" is there for two seconds
    screen.feed.get_by_role("button", name="Copy", exact=True).last.click()
    expect(screen.feed.get_by_role("button", name="Copied")).to_be_visible()
    assert clipboard(screen.page) == "print('hi')"
    answer = screen.feed.get_by_role("article").last
    answer.hover()
    answer.get_by_role("button", name="Copy as Markdown").click()
    screen.page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('Look')")
    assert clipboard(screen.page) == text
    expect(answer.get_by_role("button", name="Copied")).not_to_have_count(0)
    screen.page.clock.run_for(3000)
    expect(answer.get_by_role("button", name="Copied")).to_have_count(0)


def test_copying_works_without_the_clipboard_api(screen: Screen) -> None:
    screen.page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    screen.page.clock.install()
    Stage(screen, [message(1, "user", "go"), message(2, "assistant", "the answer")])
    expect(screen.feed.get_by_text("the answer")).to_be_visible()
    screen.pause_clock()  # the word is there for two seconds
    screen.page.evaluate(
        "document.addEventListener('copy', () => { window.copied = getSelection().toString() })"
    )
    screen.feed.get_by_role("article").last.hover()
    screen.button("Copy as Markdown").click()
    expect(screen.button("Copied")).to_be_visible()
    assert screen.page.evaluate("window.copied") == "the answer"


def test_code_scrolls_inside_its_block_only(screen: Screen) -> None:
    Stage(screen, [message(1, "user", "go"), message(2, "assistant", f"```json\n{'x' * 400}\n```")])
    expect(screen.feed.get_by_text("json", exact=True)).to_be_visible()
    assert screen.feed.locator("pre").evaluate("pre => pre.scrollWidth > pre.clientWidth")
    assert screen.feed.evaluate("feed => feed.scrollWidth <= feed.clientWidth")


def test_thinking_is_one_line_until_it_is_opened(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    stage.play(stage.event("thinking", message_id="answer", text="A secret plan."))
    expect(screen.feed.get_by_text(re.compile("^Thinking"))).to_be_visible()
    stage.say("Done.")
    line = screen.feed.get_by_role("button", name=re.compile("^Thought for"))
    expect(line).to_have_attribute("aria-expanded", "false")
    expect(screen.feed.get_by_text("A secret plan.")).to_have_count(0)
    line.press("Enter")
    expect(screen.feed.get_by_text("A secret plan.")).to_be_visible()


def test_a_step_says_what_it_did_and_keeps_its_json_folded(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    args = {"element": 'button "Add to basket"', "reason": "It is the cheapest."}
    stage.play(stage.event("tool_start", call_id="a", name="click", args=args))
    running = screen.feed.locator("[data-status=running]")
    expect(running).to_contain_text(re.compile(r"Click Add to basket.*running · \d+s"))
    end = {"ok": True, "summary": "Clicked it", "duration_ms": 400, "url": "https://shop.example/basket"}
    stage.play(stage.event("tool_end", call_id="a", name="click", **end))
    line = screen.feed.get_by_role("button", name=re.compile("Clicked Add to basket"))
    expect(line).to_contain_text("shop.example · 0.4s")
    expect(line).not_to_contain_text("ok")
    expect(screen.feed.get_by_text("It is the cheapest.")).to_have_count(0)
    line.click()
    expect(screen.feed.get_by_text("It is the cheapest.")).to_be_visible()
    stage.tool("b", ok=False, summary="The button is covered by a dialog.")
    expect(screen.feed.get_by_text("The button is covered by a dialog.")).to_have_class(
        re.compile("text-warn")
    )
    stage.tool("c", ok=False, summary="Task cancelled", reason="cancelled")
    expect(screen.feed.locator("[data-tool]").last).to_contain_text("stopped")
    expect(screen.feed.get_by_text("Task cancelled")).to_have_count(0)


def test_many_steps_fold_into_one_line(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    for number in range(12):
        stage.tool(f"step {number}", url="https://shop.example/")
    group = screen.feed.get_by_role("button", name=re.compile("^10 steps"))
    expect(group).to_contain_text("shop.example")
    expect(screen.feed.get_by_text("step 11")).to_be_visible()
    expect(screen.feed.get_by_text("step 3")).to_have_count(0)
    group.click()
    expect(screen.feed.get_by_text("step 3")).to_be_visible()
    final = message(99, "assistant", "All done.", id="answer", run_id="run")
    stage.play(stage.event("done", message=final, usage=NO_USAGE))
    expect(screen.feed.get_by_role("button", name=re.compile("^Worked .*, 12 steps"))).to_be_visible()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE_SIZE], ids=["desktop", "phone"])
def test_the_first_line_of_the_last_answer_is_in_view_when_it_ends(
    open_screen: OpenScreen, viewport: dict[str, int]
) -> None:
    """However long the answer and its table are; a person who scrolls on sees the end."""
    screen = open_screen(viewport=viewport)
    stage = Stage(screen, history(9))
    stage.begin()
    stage.play(stage.event("message", message=message(10, "user", "and the prices?", run_id="run")))
    text = "The first line.\n\n" + "".join(f"Line {number} of the answer.\n\n" for number in range(40))
    for number in range(3):
        stage.tool(f"step {number}")
    for piece in re.findall(r".{1,90}", text, re.DOTALL):
        stage.say(piece)
    first = screen.feed.get_by_text("The first line.")
    expect(first).to_be_in_viewport()
    stored = [
        message(11 + at, "tool", "Clicked", run_id="run", meta_json=recorded(at)) for at in range(3)
    ]  # fmt: skip
    final = message(14, "assistant", text.strip(), id="answer", run_id="run")
    stage.play(*(stage.event("message", message=one) for one in stored))
    stage.play(stage.event("done", message=final, usage=NO_USAGE))
    worked = screen.feed.get_by_role("button", name=re.compile("^Worked .*, 3 steps"))
    expect(worked).to_be_visible()
    expect(first).to_be_in_viewport()
    screen.wait_still()
    assert screen.rows()[-3].startswith("Worked")
    assert screen.rows()[-2].startswith("Assistant")
    expect(screen.button("Table, 3 rows")).to_have_count(1)
    screen.button("Latest").click()
    screen.wait_at_end()


def test_screenshots_are_small_described_and_open_large(screen: Screen) -> None:
    session = screen.asking()
    screen.open(session)
    expect(screen.button("Approve")).to_be_visible()
    thumb = screen.feed.locator("[data-tool=click]").first.get_by_role("button", name=re.compile("^Enlarge"))
    picture = thumb.locator("img")
    expect(picture).to_have_attribute("alt", "Screenshot after step 2: Clicked Blue kettle – shop.example")
    alts = screen.feed.locator("[data-tool] img").evaluate_all("all => all.map(one => one.alt)")
    assert len(set(alts)) == len(alts) > 1
    expect(picture).to_have_attribute("loading", "lazy")
    size = thumb.bounding_box()
    assert size
    assert abs(size["width"] / size["height"] - 1.6) < 0.05
    thumb.click()
    viewer = screen.page.get_by_role("dialog")
    expect(viewer.get_by_role("heading")).to_contain_text("Blue kettle")
    screen.page.keyboard.press("ArrowRight")
    expect(viewer.get_by_role("heading")).to_contain_text("Add to basket")
    screen.page.keyboard.press("Home")
    expect(viewer.get_by_role("heading")).to_contain_text("Kettles – Shop")
    screen.page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    expect(thumb).to_be_focused()
    screen.api.post(f"/sessions/{session}/cancel")


FIRST_ROW = """() => { const feed = document.getElementById('feed'), top = feed.getBoundingClientRect().top;
    const rows = [...feed.querySelectorAll('[role=article]')].filter(r => r.getBoundingClientRect().bottom > top + 1);
    return Math.min(...rows.map(row => Number(row.dataset.index))) }"""


def first_row_in_sight(page: Page) -> int:
    return int(page.evaluate(FIRST_ROW))


def scroll_up(screen: Screen) -> None:
    """As a wheel does, until the button back to the end is there."""
    screen.feed.hover()
    screen.page.mouse.wheel(0, -900)
    expect(screen.button("Latest")).to_be_visible()
    screen.wait_still()


def go_home_and_back(screen: Screen) -> None:
    screen.feed.focus()
    screen.page.keyboard.press("Home")
    expect(screen.feed.get_by_text("Please look at page 1", exact=True)).to_be_in_viewport()
    screen.wait_still()
    screen.page.keyboard.press("End")
    screen.wait_at_end()


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_printing_shows_the_whole_conversation_and_nothing_else(screen: Screen) -> None:
    Stage(screen, history(60))
    expect(screen.feed.get_by_text("Page 60 says")).to_be_visible()
    screen.page.emulate_media(media="print")
    screen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(screen.feed.get_by_role("article")).to_have_count(60)
    expect(screen.sidebar).to_be_hidden()
    expect(screen.composer).to_be_hidden()
    expect(screen.page.get_by_role("heading", name="Staged")).to_be_visible()
    tops = screen.feed.get_by_role("article").evaluate_all(
        "rows => rows.map(row => row.getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert screen.feed.evaluate("feed => feed.scrollHeight <= feed.clientHeight + 1")
    screen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    screen.page.emulate_media(media="screen")
    expect(screen.composer).to_be_visible()


def test_a_slow_finger_scrolls_up_while_an_answer_is_written(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport=PHONE_SIZE, has_touch=True)
    stage = Stage(screen, history(30))
    expect(screen.feed.get_by_text("Page 30 says")).to_be_visible()
    stage.begin()
    screen.wait_at_end()
    before = screen.feed.evaluate("feed => feed.scrollTop")
    fingers = Fingers(screen.page)
    box = screen.feed.bounding_box()
    assert box
    x, y = box["x"] + 60, box["y"] + 200
    fingers.touch("touchStart", (x, y))
    for move in range(1, 21):
        fingers.touch("touchMove", (x, y + 10 * move))
        stage.say("word ")
    fingers.touch("touchEnd")
    stage.say("and more.\n\n" * 10)
    screen.wait_still()
    assert screen.feed.evaluate("feed => feed.scrollTop") < before - 100


def test_a_scroll_up_of_any_cause_ends_following(screen: Screen) -> None:
    """As find-in-page does it: no input is seen, and the move is small."""
    stage = Stage(screen, history(30))
    stage.begin()
    screen.wait_at_end()
    screen.feed.evaluate("feed => { feed.scrollTop -= 30 }")
    screen.wait_still()
    before = screen.feed.evaluate("feed => feed.scrollTop")
    for number in range(10):
        stage.say(f"Line {number}.\n\n")
    screen.wait_still()
    assert screen.feed.evaluate("feed => feed.scrollTop") == before


def test_on_a_phone_the_copy_button_of_a_table_hides_none_of_its_head(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport=PHONE_SIZE, has_touch=True, is_mobile=True)
    stage = Stage(screen, history(1))
    stage.begin()
    text = (
        "| Product | Price | Litres | Watts |\n|---|---|---|---|\n| Tide kettle | 39.90 EUR | 1.7 | 2200 |\n"
    )
    final = message(10, "assistant", text, id="answer", run_id="run")
    stage.play(stage.event("done", message=final, usage=NO_USAGE))
    copy = screen.feed.get_by_role("button", name="Copy as cells").bounding_box()
    last = screen.feed.get_by_role("columnheader", name="Watts").bounding_box()
    assert copy is not None
    assert last is not None
    assert copy["y"] >= last["y"] + last["height"]
