"""Runs seen over time: reload, lost connections, errors, edits, limits."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.e2e.staged import SESSION, START, Stage, message


def test_a_reload_in_the_midst_shows_the_same_and_goes_on(screen: Screen) -> None:
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 2 rolled")).to_be_visible()
    screen.page.reload()
    expect(screen.feed.get_by_text("Wave 1 rolled in and out again. Wave 2 rolled")).to_be_visible()
    expect(screen.feed.get_by_text("Wave 5 rolled")).to_be_visible()
    screen.cancel()


def test_a_run_is_followed_by_its_events_alone(screen: Screen) -> None:
    session = screen.new_session()
    address = f"{screen.server.api}/sessions/{session}"
    reads: list[str] = []
    screen.page.on("request", lambda sent: reads.append(sent.url) if sent.method == "GET" else None)
    screen.open(session).send("shop for a kettle")
    screen.button("Approve").click()
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    screen.wait_idle()
    screen.wait_still()
    assert reads.count(address) == 1


def test_a_reload_afterwards_shows_what_the_stream_showed(screen: Screen) -> None:
    screen.begin("shop for a kettle")
    screen.button("Approve").click()
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    screen.wait_idle()
    before = screen.rows()
    screen.page.reload()
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    expect(screen.feed.get_by_role("article")).to_have_count(len(before))
    screen.wait_until(screen.rows, lambda it: it == before, f"shown again: {before}")


def test_questions_and_failures_of_earlier_runs_are_still_told_after_a_reload(screen: Screen) -> None:
    session = screen.asking()
    screen.open(session)
    screen.button("Approve").click()
    screen.wait_idle()
    for task in ("error please", "hello"):
        screen.send(task)
        expect(screen.feed.get_by_role("article").filter(has_text=task).first).to_be_visible()
        screen.wait_idle()
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    assert [one["status"] for one in screen.stored(session)["interrupts"]] == ["decided"]
    screen.hide_panel()
    before = screen.rows()
    screen.page.reload()
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    expect(screen.feed.get_by_role("article")).to_have_count(len(before))
    screen.wait_until(screen.rows, lambda it: it == before, f"shown again: {before}")
    told = [row for row in before if "1 approved" in row or row.startswith("The model did not answer")]
    assert len(told) == 2


def test_two_tabs_show_the_same_over_one_connection(screen: Screen) -> None:
    session = screen.asking("log in to my mail")
    screen.open(session)
    expect(screen.button("I’m done")).to_be_visible()
    screen.hide_panel()
    screen.wait_for_readers(ONE_CONNECTION)  # the streams of earlier tests are closed by then, too
    other = Screen(screen.page.context.new_page(), screen.server, screen.api)
    other.page.goto(f"/s/{session}")
    expect(other.button("I’m done")).to_be_visible()
    other.button("Stop").click()
    expect(other.feed.get_by_text("Stopped", exact=True)).to_be_visible()
    expect(screen.feed.get_by_text("Stopped", exact=True)).to_be_visible()
    screen.wait_for_readers(ONE_CONNECTION)


def test_without_shared_workers_the_tab_streams_itself(screen: Screen) -> None:
    screen.page.add_init_script("delete window.SharedWorker")
    screen.begin("hello")
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()


def test_a_lost_connection_is_told_and_caught_up_without_gap_or_repeat(screen: Screen) -> None:
    screen.expect_errors("ERR_INTERNET_DISCONNECTED|ERR_FAILED")
    screen.page.add_init_script("delete window.SharedWorker")
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    screen.page.route("**/api/stream*", lambda route: route.abort())
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    expect(screen.page.get_by_text("Connection lost.")).to_be_visible()
    held: list[Route] = []
    screen.page.route("**/api/stream*", lambda route: held.append(route))  # it stays lost until the click
    screen.button("Now").click()
    screen.wait_until(lambda: held, bool, "the connection is tried again")
    for route in held:
        route.continue_()
    screen.page.unroute("**/api/stream*")
    expect(screen.page.get_by_text("Connection lost.")).to_have_count(0)
    expect(screen.feed.get_by_text("Wave 8 rolled")).to_be_visible()
    text = screen.feed.get_by_role("article").last.inner_text()
    waves = [int(number) for number in re.findall(r"Wave (\d+) rolled", text)]
    assert waves == list(range(1, len(waves) + 1))
    screen.cancel()


def test_a_failed_run_says_what_to_do_and_is_retried(screen: Screen) -> None:
    screen.begin("error please")
    failure = screen.feed.get_by_role("alert")
    expect(failure).to_contain_text("The model did not answer")
    expect(failure).to_contain_text("The mock model failed, as it was asked to.")
    expect(failure).to_contain_text("Everything up to here is kept. Retry continues from there.")
    failed = screen.stored(screen.session_id)["run"]["id"]
    screen.button("Retry").click()
    screen.wait_for_run_after(failed)
    screen.wait_idle()
    expect(screen.feed.get_by_role("alert")).to_have_count(1)
    users = [row for row in screen.stored(screen.session_id)["messages"] if row["role"] == "user"]
    assert len(users) == 1


def test_the_last_message_is_edited_and_sent_again(screen: Screen) -> None:
    session = screen.begin("error please")
    expect(screen.feed.get_by_role("alert")).to_be_visible()
    screen.feed.get_by_text("error please").hover()
    screen.button("Edit").click()
    editor = screen.page.get_by_role("textbox", name="Edit")
    expect(editor).to_be_focused()
    editor.fill("hello instead")
    editor.press("Enter")  # as in the composer
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    expect(screen.feed.get_by_text("error please")).to_have_count(0)
    assert next(row["content"] for row in screen.stored(session)["messages"]) == "hello instead"


def test_at_the_step_limit_going_on_is_one_click(screen: Screen) -> None:
    session = screen.new_session(max_tool_steps=3)
    screen.open(session).send("steps and steps")
    expect(screen.page.get_by_text("3 of 3 steps")).to_be_visible()
    screen.wait_idle()
    screen.page.reload()
    screen.button("Continue").click()
    asked = screen.feed.get_by_role("article").filter(has=screen.page.get_by_role("heading", name="You"))
    expect(asked.last).to_contain_text("Continue")


@pytest.mark.parametrize(
    ("budget", "told"), [({"token_budget": 15_000}, "82% used"), ({"cost_budget": 0.1}, "80% used")]
)
def test_meters_tell_steps_tokens_and_cost_and_warn_near_the_limit(
    screen: Screen, budget: dict[str, float], told: str
) -> None:
    config = screen.api.get("/config").json()
    config["limits"] |= {"token_budget": None, "cost_budget": None} | budget
    screen.page.route("**/api/config", lambda route: route.fulfill(json=config))
    stage = Stage(screen)
    usage = {
        "input_tokens": 12000,
        "output_tokens": 345,
        "cached_tokens": 8000,
        "model_calls": 4,
        "cost": 0.08,
    }
    run = {"status": "running", "agent": "operator", "model": "m", "max_steps": 10}
    stage.play(stage.event("run", step=5, **run), stage.event("usage", call=usage, total=usage))
    expect(screen.page.get_by_text("5 steps")).to_be_visible()
    meter = screen.button(re.compile("12,000 tokens in, 345 out, 8,000 cached, model calls: 4$"))
    expect(meter).to_contain_text("12.3K tokens · $0.08")
    expect(meter.get_by_text(told)).to_be_visible()
    stage.play(stage.event("run", step=8, **run))
    expect(screen.page.get_by_text("2 left")).to_be_visible()


def test_a_page_that_breaks_is_not_blank_and_its_details_are_copied(open_screen: OpenScreen) -> None:
    screen = open_screen(permissions=["clipboard-read", "clipboard-write"])
    screen.expect_errors("Minified React error #31")  # an object where a text belongs
    session = screen.new_session(title="Broken")
    broken = screen.stored(session) | {"messages": [message(1, "user", {"not": "a text"})]}  # type: ignore[arg-type]
    screen.page.route(f"**/api/sessions/{session}", lambda route: route.fulfill(json=broken))
    screen.page.goto(f"/s/{session}")
    alert = screen.page.get_by_role("alert")
    expect(alert.get_by_role("heading")).to_have_text("Something went wrong on this page")
    screen.button("Copy details").click()
    screen.page.wait_for_function(
        "async path => (await navigator.clipboard.readText()).includes(path)", arg=f"/s/{session}"
    )
    details = screen.page.evaluate("navigator.clipboard.readText()")
    assert "error #31" in details
    screen.page.unroute_all()
    screen.button("Reload").click()
    expect(screen.composer).to_be_visible()


def test_a_question_stays_open_when_an_older_answer_of_the_server_comes_late(screen: Screen) -> None:
    run = {"id": "run", "session_id": SESSION, "status": "running", "started_at": START, "finished_at": None}
    stage = Stage(screen, [message(1, "user", "buy it", run_id="run")], run=run)
    stage.begin()
    held: list[Route] = []
    screen.page.route(f"**/api/sessions/{SESSION}", lambda route: held.append(route))
    stage.event("state")  # never arrives: what is missing is read again
    with screen.page.expect_request(f"**/api/sessions/{SESSION}"):
        stage.tool("Basket")
    stage.play(
        stage.event("interrupt", reference="r", kind="confirm", reason="It buys.", action={"kind": "click"})
    )
    expect(screen.button("Approve")).to_be_visible()
    [late] = screen.wait_until(lambda: held, bool, "the session is read again")
    with screen.page.expect_response(f"**/api/sessions/{SESSION}"):
        late.fallback()
    screen.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    expect(screen.button("Approve")).to_be_visible()
    expect(screen.feed.get_by_text("No longer asked")).to_have_count(0)


def test_an_unknown_session_is_told(screen: Screen) -> None:
    screen.expect_errors("404")
    screen.page.goto("/s/no-such-session")
    expect(screen.page.get_by_text("This session no longer exists.")).to_be_visible()


def test_a_login_that_ended_leads_back_to_the_same_page(open_screen: OpenScreen) -> None:
    screen = open_screen(logged_in=False)
    screen.expect_errors("401")
    screen.page.request.post("/api/auth/login", data={"password": screen.server.token})
    session = screen.new_session(title="Kept")
    screen.open(session)
    screen.page.context.clear_cookies()
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    screen.page.wait_for_url(f"**/login?next=%2Fs%2F{session}")


ONE_CONNECTION = 2
"""Readers of one browser that shows one session: the list of sessions, and that session's events."""
