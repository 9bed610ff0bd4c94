"""Sending while the server is away: nothing written is lost, and it goes out once, without a click."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Route, expect

from tests.e2e.screen import Screen

UNSENT = "It is sent when the server can be reached."


def contents(screen: Screen, session: str) -> list[str]:
    """What the person has said there, as the server has it; nothing while it has no such session."""
    answer = screen.api.get(f"/sessions/{session}")
    messages = answer.json()["messages"] if answer.is_success else []
    return [one["content"] for one in messages if one["role"] == "user"]


def wait_for(screen: Screen, session: str, said: list[str]) -> None:
    screen.wait_until(lambda: contents(screen, session), lambda it: it == said, f"the server has {said}")


def row_of(screen: Screen, text: str) -> Locator:
    return screen.feed.get_by_role("article").filter(has_text=text).first


def fail(route: Route) -> None:
    route.abort()


def test_what_was_not_sent_survives_a_reload_and_is_sent_once(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED")
    session = screen.finished("hello")
    screen.open(session)
    screen.page.route("**/messages", fail)
    screen.send("are you there")
    expect(row_of(screen, "are you there").get_by_text(UNSENT)).to_be_visible()
    screen.page.reload()
    expect(row_of(screen, "are you there").get_by_text(UNSENT)).to_be_visible()
    assert "are you there" in screen.rows()[-1], "behind what the server has"
    assert contents(screen, session) == ["hello"]
    screen.page.unroute("**/messages")
    wait_for(screen, session, ["hello", "are you there"])
    expect(screen.feed.get_by_text(UNSENT)).to_have_count(0)
    screen.wait_idle()
    screen.page.reload()
    expect(row_of(screen, "are you there")).to_be_visible()
    assert contents(screen, session) == ["hello", "are you there"]


def test_a_session_that_could_not_be_created_is_kept_with_its_message(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED|404")
    screen.open()
    screen.page.route("**/api/sessions", lambda route: fail(route) if is_post(route) else route.fallback())
    screen.send("hello from afar")
    screen.page.wait_for_url("**/s/*")
    expect(row_of(screen, "hello from afar").get_by_text(UNSENT)).to_be_visible()
    screen.page.reload()
    expect(row_of(screen, "hello from afar").get_by_text(UNSENT)).to_be_visible()
    screen.page.unroute("**/api/sessions")
    wait_for(screen, screen.session_id, ["hello from afar"])
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    expect(screen.feed.get_by_text(UNSENT)).to_have_count(0)
    screen.wait_idle()


def is_post(route: Route) -> bool:
    return route.request.method == "POST"


def test_a_file_waits_for_the_server_with_its_message(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED|404")
    screen.open()
    note = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"remember the milk"}
    screen.page.locator("input[type=file]").first.set_input_files([note])  # type: ignore[list-item]
    files = re.compile(r"/api/sessions/[^/]+/files$")
    screen.page.route(files, lambda route: fail(route) if is_post(route) else route.fallback())
    with screen.page.expect_request_finished(lambda sent: sent.url.endswith("/api/sessions")):
        screen.send("hello with a file")
        screen.page.wait_for_url("**/s/*")
    row = row_of(screen, "hello with a file")
    expect(row.get_by_role("list", name="Attached files")).to_have_text("note.txt")
    assert contents(screen, screen.session_id) == []
    screen.page.unroute(files)
    wait_for(screen, screen.session_id, ["hello with a file\n\nAttached files: note.txt"])
    kept = screen.api.get(f"/sessions/{screen.session_id}/files").json()["items"]
    assert [one["name"] for one in kept] == ["note.txt"]
    screen.wait_idle()


def test_a_dropped_file_is_attached(screen: Screen) -> None:
    screen.open()
    data = screen.page.evaluate_handle("""() => { const data = new DataTransfer()
        data.items.add(new File(['hello'], 'plan.txt', {type: 'text/plain'})); return data }""")
    screen.composer.dispatch_event("dragover", {"dataTransfer": data})
    screen.composer.dispatch_event("drop", {"dataTransfer": data})
    chips = screen.page.get_by_role("list", name="Attached files")
    expect(chips.get_by_role("listitem")).to_contain_text("plan.txt")
    assert screen.page.url.endswith("/"), "the browser did not open the file"


def test_the_banner_says_that_the_run_waits(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED")
    screen.page.add_init_script("delete window.SharedWorker")
    screen.open(screen.asking())
    expect(screen.button("Approve")).to_be_visible()
    screen.page.route("**/api/stream*", fail)
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    expect(screen.page.get_by_text("Connection lost. The run waits for you.")).to_be_visible()
    screen.page.unroute("**/api/stream*")
    expect(screen.page.get_by_text("Connection lost.")).to_have_count(0)
    screen.cancel()


def test_a_page_that_was_opened_while_the_server_was_away_comes_by_itself(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED")
    session = screen.new_session(title="Came by itself")
    screen.page.route("**/api/**", fail)
    screen.page.goto(f"/s/{session}")
    expect(screen.page.get_by_role("heading", name="The server cannot be reached")).to_be_visible()
    screen.page.unroute("**/api/**")
    expect(screen.composer).to_be_visible()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Came by itself")


def test_a_session_that_could_not_be_read_is_read_when_the_server_is_back(screen: Screen) -> None:
    screen.expect_errors("ERR_FAILED")
    screen.page.add_init_script("delete window.SharedWorker")
    session = screen.new_session(title="Read again")
    screen.open()
    screen.page.route("**/api/stream*", fail)
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    expect(screen.page.get_by_text("Connection lost.")).to_be_visible()
    screen.page.route(f"**/api/sessions/{session}", fail)
    screen.sidebar.get_by_role("link", name="Read again").click()
    expect(screen.page.get_by_text("This session could not be loaded.")).to_be_visible()
    screen.page.unroute(f"**/api/sessions/{session}")
    screen.page.unroute("**/api/stream*")
    expect(screen.composer).to_be_visible()
