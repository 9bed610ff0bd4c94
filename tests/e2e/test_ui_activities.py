"""The user's activities are rows of the feed, also after a reload; the list of sessions shows the site's icon."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.screen import Screen


def test_a_changed_plan_a_drive_and_a_branch_are_rows_that_survive_a_reload(screen: Screen) -> None:
    session = screen.finished("ping test")
    screen.open(session)
    expect(screen.feed.get_by_role("article").filter(has_text="Assistant")).to_have_count(1)
    for plan in (["Look"], ["Look", "Buy the kettle"]):
        screen.api.put(f"/sessions/{session}/plan", json={"plan": plan}).raise_for_status()
    changed = screen.feed.get_by_role("article").filter(has_text="You changed the plan")
    expect(changed).to_have_count(1)
    expect(changed).to_contain_text("Added: Look · Buy the kettle")
    screen.button("More about this session").click()
    screen.page.get_by_role("menuitem", name="Take over").click()
    screen.button("I’m done").click()
    screen.page.get_by_role("dialog").get_by_role("button", name="Give back").click()
    expect(screen.feed.get_by_text("You drove the browser for")).to_be_visible()
    screen.wait_still()
    before = screen.rows()
    screen.page.reload()
    expect(screen.feed.get_by_text("You drove the browser for")).to_be_visible()
    screen.wait_until(screen.rows, lambda rows: rows == before, f"the same rows: {before}")

    answer = screen.stored(session)["messages"][-1]["id"]
    title = screen.stored(session)["title"]
    made = screen.api.post(f"/sessions/{session}/branch", json={"message_id": answer}).json()
    screen.open(made["id"])
    row = screen.feed.get_by_role("article").filter(has_text="Branched from")
    row.get_by_role("link", name=title).click()
    screen.page.wait_for_url(f"**/s/{session}")


def test_the_answer_stands_below_its_steps_and_the_list_has_the_icon_of_the_site(screen: Screen) -> None:
    session = screen.asking()
    screen.open(session)
    screen.button("Deny").click()
    expect(screen.feed.get_by_text("All right, I did not do it.")).to_be_visible()
    screen.wait_idle()
    rows = screen.rows()
    answer = next(at for at, row in enumerate(rows) if row.startswith("Assistant"))
    steps = [at for at, row in enumerate(rows) if re.match(r"Opened|Clicked|Worked", row)]
    assert rows[0].startswith("You")
    assert answer == len(rows) - 1, rows
    assert steps, rows
    assert max(steps) < answer, rows
    icon = screen.sidebar.locator(f"a[href='/s/{session}'] img")
    expect(icon).to_have_js_property("naturalWidth", 32)
    expect(icon).to_have_attribute("src", re.compile("^/"))  # from this server
