"""Automations begin in a web process, once, and their runs are executed by a worker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.cluster import Team, get, post, session_at, wait_for
from tests.support.eventually import eventually_sync

pytestmark = pytest.mark.timeout(300)


def test_a_due_time_begins_one_run_although_both_web_processes_look(team: Team) -> None:
    one, two, _, _ = team.four()
    due = (datetime.now(UTC) + timedelta(seconds=65)).replace(second=0)  # rules know minutes
    body = {"name": "Ping", "task": "ping test", "agent": "assistant", "session_mode": "new", "zone": "UTC"}
    made = post(one, "/automations", rule=f"DTSTART:{due:%Y%m%dT%H%M%S}\nRRULE:FREQ=DAILY", **body)
    assert made.status_code == 201, made.text
    path = f"/automations/{made.json()['id']}"

    def firings() -> list[dict[str, str]]:
        return list(get(two, f"{path}/firings").json()["items"])

    ended = eventually_sync(
        firings,
        lambda it: [one["outcome"] for one in it] == ["completed"],
        timeout=120,
        message="the run ends",
    )
    assert post(two, f"{path}/run").status_code in (200, 201, 202)
    both = eventually_sync(
        firings, lambda it: [one["outcome"] for one in it] == ["completed"] * 2, message="the second run ends"
    )
    assert both[1:] == ended
    for firing in both:
        assert [it["role"] for it in session_at(one, firing["session_id"])["messages"]][:1] == ["user"]


def test_a_start_is_approved_at_one_web_process_and_its_run_executed_by_a_worker(team: Team) -> None:
    """Two yeses at once, one at each web process, are one; the order is made once, without another question."""
    one, two, _, _ = team.four()
    made = post(
        one, "/automations", name="Kettle", task="shop for a kettle", ask_first=True, zone="UTC"
    ).json()
    assert post(one, f"/automations/{made['id']}/run").status_code == 202
    (firing,) = get(two, f"/automations/{made['id']}/firings").json()["items"]
    pending = wait_for(two, firing["session_id"], "waiting_user")["pending"]
    assert (pending["risk"], pending["start"]["effects"][0]["count"]) == ("start", 1)
    path, body = (
        f"/sessions/{firing['session_id']}/decision",
        {"reference": pending["reference"], "confirmed": True, "effects": [0]},
    )
    with ThreadPoolExecutor(2) as pool:
        codes = sorted(pool.map(lambda server: post(server, path, **body).status_code, (one, two)))
    assert codes[0] == 202
    session = wait_for(two, firing["session_id"], "completed", "waiting_user")
    assert "is ordered" in session["messages"][-1]["content"]
    assert [asked["risk"] for asked in session["interrupts"]] == ["start"]
