"""The list of sessions: groups, names, deletion, search, signs."""

from __future__ import annotations

import re
import uuid

from playwright.sync_api import Locator, Route, expect

from tests.e2e.screen import Screen


def item(screen: Screen, title: str) -> Locator:
    return screen.sidebar.get_by_role("listitem").filter(has_text=title)


def open_menu(screen: Screen, title: str) -> None:
    item(screen, title).hover()
    item(screen, title).get_by_role("button").click()


def choose(screen: Screen, title: str, action: str) -> None:
    open_menu(screen, title)
    screen.page.get_by_role("menuitem", name=action).click()


def shown_after(screen: Screen, milliseconds: int) -> bool:
    screen.page.clock.run_for(milliseconds)
    return screen.button("Undo").is_visible()


def fresh(word: str) -> str:
    return f"{word} {uuid.uuid4().hex[:6]}"


def test_sessions_stand_under_their_age_and_pinned_ones_on_top(screen: Screen) -> None:
    title = fresh("Pin")
    session = screen.new_session(title=title)
    screen.open()
    today = screen.sidebar.get_by_role("region", name="Today")
    expect(today.get_by_text(title)).to_be_visible()
    with screen.patched(session):
        choose(screen, title, "Pin")
    expect(screen.sidebar.get_by_role("region", name="Pinned").get_by_text(title)).to_be_visible()
    screen.page.reload()
    expect(screen.sidebar.get_by_role("region", name="Pinned").get_by_text(title)).to_be_visible()


def test_a_session_is_renamed_in_place(screen: Screen) -> None:
    title, better = fresh("Old"), fresh("New")
    session = screen.new_session(title=title)
    screen.open()
    link = screen.sidebar.get_by_role("link", name=title)
    link.press("F2")
    editor = screen.sidebar.get_by_role("textbox", name="Title of the session")
    expect(editor).to_be_focused()
    editor.fill("dropped")
    editor.press("Escape")
    expect(link).to_be_focused()
    link.press("F2")
    editor.fill(better)
    with screen.patched(session):
        editor.press("Enter")
    expect(screen.sidebar.get_by_role("link", name=better)).to_be_focused()
    screen.page.reload()
    expect(screen.sidebar.get_by_role("link", name=better)).to_be_visible()


def test_a_deleted_session_can_be_had_back(screen: Screen) -> None:
    title = fresh("Gone")
    session = screen.new_session(title=title)
    screen.page.clock.install()
    screen.open(session)
    open_menu(screen, title)
    screen.pause_clock()  # the offer ends with the time, which passes only below
    screen.page.get_by_role("menuitem", name="Delete").click()
    expect(item(screen, title)).to_have_count(0)
    screen.page.wait_for_url(re.compile("/$"))
    screen.wait_until(lambda: shown_after(screen, 10), bool, "the offer is shown")
    screen.page.clock.run_for(7000)
    screen.button("Undo").click()
    screen.page.clock.resume()
    expect(item(screen, title)).to_be_visible()


def test_search_finds_titles_and_words_that_were_said(screen: Screen) -> None:
    word = f"zebra{uuid.uuid4().hex[:6]}"
    session = screen.new_session(title=fresh("Animals"))
    screen.tell(session, f"hello {word}")
    screen.open()
    search = screen.sidebar.get_by_role("searchbox")
    search.fill(word)
    expect(screen.sidebar.get_by_role("listitem")).to_have_count(1)
    search.fill(f"{word}nothing")
    expect(screen.sidebar.get_by_text("Nothing found for")).to_be_visible()
    search.press("Escape")
    expect(screen.sidebar.get_by_role("listitem").nth(1)).to_be_visible()


def test_what_happens_elsewhere_is_told_by_signs(screen: Screen) -> None:
    title, quiet = fresh("Busy"), screen.new_session(title=fresh("Quiet"))
    session = screen.new_session(title=title)
    screen.open(quiet)
    screen.tell(session, "endless story")
    expect(item(screen, title).get_by_role("img", name="Working")).to_be_visible()
    screen.cancel(session)
    expect(item(screen, title).get_by_role("img", name="New answer")).to_be_visible()
    item(screen, title).get_by_role("link").click()
    expect(item(screen, title).get_by_role("img")).to_have_count(0)
    screen.page.reload()
    expect(item(screen, title)).to_be_visible()
    expect(item(screen, title).get_by_role("img")).to_have_count(0)


def test_a_run_shows_in_the_title_of_the_tab(screen: Screen) -> None:
    screen.begin("endless story")
    expect(screen.page).to_have_title(re.compile("^● endless story"))
    screen.button("Stop").click()
    expect(screen.page).to_have_title(re.compile(r"^endless story( \(\d+\))?$"))


def test_a_new_session_is_named_at_once_without_moving_the_focus(screen: Screen) -> None:
    words = fresh("hello")
    screen.begin(words)
    expect(screen.page.get_by_role("heading", level=1)).to_have_text(words)
    expect(item(screen, words)).to_be_visible()
    expect(screen.composer).to_be_focused()


def test_the_list_goes_on_when_its_end_comes_into_sight(screen: Screen) -> None:
    oldest = screen.new_session(title="The oldest of many")
    for number in range(60):
        screen.new_session(title=f"Newer {number}")
    screen.open()
    expect(item(screen, "Newer 59")).to_be_visible()
    expect(item(screen, "The oldest of many")).to_have_count(0)
    item(screen, "Newer 11").scroll_into_view_if_needed()
    expect(item(screen, "The oldest of many").get_by_role("link")).to_have_attribute("href", f"/s/{oldest}")


def test_sessions_made_elsewhere_appear(screen: Screen) -> None:
    screen.open()
    title = fresh("From afar")
    session = screen.new_session(title=title)
    screen.tell(session, "hello")
    expect(item(screen, title)).to_be_visible()


def test_what_is_deleted_elsewhere_while_it_works_shows_so(screen: Screen) -> None:
    session = screen.begin("endless story")
    expect(screen.button("Stop")).to_be_visible()
    screen.api.delete(f"/sessions/{session}").raise_for_status()
    expect(screen.feed.get_by_text("Stopped")).to_be_visible()
    expect(screen.button("Stop")).to_have_count(0)
    screen.expect_errors("404")
    screen.api.delete(f"/sessions/{session}", params={"purge": "true"}).raise_for_status()
    expect(screen.page.get_by_text("This session no longer exists.")).to_be_visible()


def test_what_is_purged_while_the_connection_is_lost_shows_so_when_it_is_back(screen: Screen) -> None:
    """And all other sessions are still streamed."""
    screen.expect_errors("404|ERR_FAILED")
    screen.page.add_init_script("delete window.SharedWorker")
    title = fresh("Beside it")
    other = screen.new_session(title=title)
    session = screen.begin("hello")
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    screen.page.route("**/api/stream*", lambda route: route.abort())
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    expect(screen.page.get_by_text("Connection lost.")).to_be_visible()
    screen.api.delete(f"/sessions/{session}", params={"purge": "true"}).raise_for_status()
    screen.page.unroute("**/api/stream*")
    expect(screen.page.get_by_text("This session no longer exists.")).to_be_visible()
    expect(screen.page.get_by_text("Connection lost.")).to_have_count(0)
    screen.tell(other, "endless story")
    expect(item(screen, title).get_by_role("img", name="Working")).to_be_visible()
    screen.cancel(other)


def test_times_are_told_relative_and_exact(screen: Screen) -> None:
    screen.begin("hello")
    stamp = screen.feed.locator("time").first
    expect(stamp).to_have_text("now")
    assert re.search(r"\d{4}", stamp.get_attribute("title") or "")


def test_times_go_on_while_nothing_happens(screen: Screen) -> None:
    screen.page.clock.install()
    screen.begin("hello")
    stamp = screen.feed.locator("time").first
    expect(stamp).to_have_text("now")
    screen.page.clock.fast_forward("02:05")
    expect(stamp).to_have_text("2 min. ago")
    screen.choose_language("ru")
    screen.page.reload()
    expect(stamp).to_have_text(re.compile("мин. назад|сейчас"))


def test_keys_move_between_sessions(screen: Screen) -> None:
    first, second = screen.new_session(title=fresh("A")), screen.new_session(title=fresh("B"))
    for session in (first, second):
        screen.tell(session, "hello")
        screen.hear_out(session)
    screen.open(second)
    expect(screen.sidebar.get_by_role("listitem").nth(1)).to_be_visible()
    screen.page.keyboard.press("Alt+ArrowDown")
    screen.page.wait_for_url(f"**/s/{first}")
    screen.page.keyboard.press("Alt+ArrowUp")
    screen.page.wait_for_url(f"**/s/{second}")
    screen.page.keyboard.press("Control+Shift+O")
    screen.page.wait_for_url(re.compile("/$"))


def test_a_session_that_the_pointer_rests_on_is_read_before_the_click(screen: Screen) -> None:
    session = screen.new_session(title=fresh("Ahead"))
    screen.tell(session, "hello there")
    screen.hear_out(session)
    # What changes after a session was read in advance makes it read again.
    screen.wait_until(lambda: screen.stored(session)["status"], lambda it: it == "idle", "it is at rest")
    screen.open()
    address = f"{screen.server.api}/sessions/{session}"
    row = screen.sidebar.locator(f"a[href='/s/{session}']")
    with screen.page.expect_response(address):
        row.hover()
    screen.page.route(address, lambda route: route.abort())
    row.click()
    expect(screen.feed.get_by_text("hello there")).to_be_visible()


def test_a_reloaded_session_is_read_while_the_login_is_checked(screen: Screen) -> None:
    session = screen.new_session(title=fresh("Ahead"))
    screen.open(session)
    checks: list[Route] = []
    screen.page.route("**/api/auth/me", lambda route: checks.append(route))
    with screen.page.expect_response(f"{screen.server.api}/sessions/{session}"):
        screen.page.reload(wait_until="commit")
    screen.wait_until(lambda: checks, bool, "the login is checked")
    expect(screen.composer).to_have_count(0)
    checks[0].continue_()
    expect(screen.composer).to_be_visible()
