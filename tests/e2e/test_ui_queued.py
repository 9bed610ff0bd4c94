"""Messages during a run: queued ones until they are taken, and words to the run until they are read."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.e2e.screen import Screen


def row_of(screen: Screen, text: str) -> Locator:
    return screen.feed.get_by_role("article").filter(has_text=text)


def queue(screen: Screen, text: str) -> Locator:
    """Sends it to be done afterwards. Returns its row."""
    screen.page.get_by_role("radiogroup", name="When it is read").get_by_text("Afterwards").click()
    screen.send(text)
    row = row_of(screen, text)
    expect(row.get_by_text("Queued", exact=True)).to_be_visible()
    return row


def press(row: Locator, button: str) -> None:
    """By keyboard: the row moves with the text that grows above it, and a click needs a button that stands still."""
    row.get_by_role("button", name=button).press("Enter")


def rows_after_reload(screen: Screen) -> None:
    """A reload shows the same rows in the same order."""
    before = screen.rows()
    screen.page.reload()
    expect(screen.feed.get_by_role("article")).to_have_count(len(before))
    screen.wait_until(screen.rows, lambda it: it == before, f"shown again: {before}")


def test_a_queued_message_can_be_changed_and_taken_back(screen: Screen) -> None:
    session = screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    row = queue(screen, "open the shop")
    press(row, "Edit")
    box = screen.feed.get_by_role("textbox", name="Edit")
    box.fill("open the harbour")
    box.press("Enter")
    changed = row_of(screen, "open the harbour")
    expect(changed.get_by_text("Queued", exact=True)).to_be_visible()
    screen.page.reload()
    expect(changed.get_by_text("Queued", exact=True)).to_be_visible()
    expect(screen.feed.get_by_role("article").last).to_contain_text("open the harbour")
    press(changed, "Cancel")
    expect(changed).to_have_count(0)
    assert [one["content"] for one in screen.stored(session)["messages"]] == ["endless story"]
    screen.cancel()
    screen.wait_idle()
    assert [one["role"] for one in screen.stored(session)["messages"]] == ["user"]


def test_another_tab_sees_that_a_queued_message_was_taken_back(screen: Screen) -> None:
    session = screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    row = queue(screen, "open the shop")
    other = Screen(screen.page.context.new_page(), screen.server, screen.api)
    other.page.goto(f"/s/{session}")
    press(row_of(other, "open the shop"), "Cancel")
    expect(row).to_have_count(0)
    screen.cancel()


def test_a_queued_message_is_done_after_the_run_and_stands_there(screen: Screen) -> None:
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    row = queue(screen, "ping test")
    screen.button("Stop").click()
    expect(screen.feed.get_by_text("Harbour")).to_be_visible()
    screen.wait_idle()
    expect(row.get_by_text("Queued", exact=True)).to_have_count(0)
    rows = screen.rows()
    places = [
        next(at for at, row in enumerate(rows) if words in row)
        for words in ("Stopped", "ping test", "Harbour")
    ]
    assert places == sorted(places), rows
    screen.page.reload()
    kept = [row for row in rows if "Wave" not in row]  # text that was cut off is not stored
    screen.wait_until(
        lambda: [row for row in screen.rows() if "Wave" not in row],
        lambda it: it == kept,
        f"shown again: {kept}",
    )


def test_a_word_to_a_run_is_shown_as_unread_until_the_agent_has_read_it(screen: Screen) -> None:
    screen.begin("slow steps")
    expect(screen.feed.get_by_text("shop.example").first).to_be_visible()
    expect(screen.composer).to_be_enabled()
    expect(screen.composer).to_have_attribute("placeholder", "Add an instruction…")
    screen.send("only red ones")
    row = row_of(screen, "only red ones")
    expect(row.get_by_text("Will be read before the next step")).to_be_visible()
    expect(row.get_by_text("Added to the running task")).to_be_visible()
    screen.cancel()
    screen.wait_idle()
    rows_after_reload(screen)


def test_a_queued_message_can_be_sent_now(screen: Screen) -> None:
    session = screen.begin("slow steps")
    expect(screen.feed.get_by_text("shop.example").first).to_be_visible()
    row = queue(screen, "only red ones")
    press(row, "Send now")
    expect(row.get_by_text("Added to the running task")).to_be_visible()
    expect(row.get_by_text("Queued", exact=True)).to_have_count(0)
    run = screen.stored(session)["run"]["id"]
    screen.cancel()
    screen.wait_idle()
    assert screen.stored(session)["run"]["id"] == run
    rows_after_reload(screen)


def test_a_word_that_the_agent_never_read_says_so(screen: Screen) -> None:
    screen.begin("endless story")
    expect(screen.feed.get_by_text("Wave 1 rolled")).to_be_visible()
    with screen.page.expect_response("**/messages"):
        screen.send("only red ones")
    row = row_of(screen, "only red ones")
    expect(row.get_by_role("status")).to_have_text("Will be read before the next step")
    screen.button("Stop").click()
    expect(row.get_by_text("Not read: the run ended first")).to_be_visible()


def test_denied_and_failed_rows_stay_where_they_happened(screen: Screen) -> None:
    session = screen.asking()
    screen.open(session)
    screen.button("Deny").click()
    expect(screen.feed.get_by_text("All right, I did not do it.")).to_be_visible()
    for task, ending in (("error please", "The model"), ("ping test", "Harbour")):
        screen.send(task)
        expect(row_of(screen, ending).last).to_be_visible()
        screen.wait_idle()
    in_order = [
        "shop for a kettle",
        "Denied:",
        "All right",
        "error please",
        "The model",
        "ping test",
        "Harbour",
    ]
    places = [next(at for at, row in enumerate(screen.rows()) if words in row) for words in in_order]
    assert places == sorted(places), screen.rows()
    rows_after_reload(screen)
    text = screen.api.get(f"/sessions/{session}/export?format=md").text.partition("UTC\n")[2]
    assert (
        text.index("Denied:") < text.index("All right") < text.index("Ended without") < text.index("Harbour")
    )
