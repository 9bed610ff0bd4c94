"""Automations begin in a web process, once, and their runs are executed by a worker."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.cluster import Team, get, post, session_at
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
