"""Live view, take-over and manual commands at web replicas, which have no browsers themselves."""

from __future__ import annotations

import signal

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.cluster import (
    TAKEN_OVER,
    Team,
    ask,
    get,
    post,
    session_at,
    talk,
    wait_for,
    wait_until_executing,
)
from tests.support.eventually import eventually_sync
from tests.support.live import handed_off, watching

pytestmark = pytest.mark.timeout(300)


def test_a_person_takes_the_browser_over_at_any_replica(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "slow steps", agent="operator", max_tool_steps=1000)
    with watching(one, session_id) as watcher, watching(two, session_id) as person:
        person.until(lambda: person.state.get("browser") == "open" and person.frames)
        person.take()
        person.until(lambda: person.state.get("holder") == "me")
        watcher.until(lambda: watcher.state.get("holder") == "other")
        wait_for(one, session_id, "paused")
        assert post(two, f"/sessions/{session_id}/browser/observe").json()["code"] == "takeover_held"
        person.release(note="it is all there")
        wait_for(two, session_id, "running")
    driven = [it for it in session_at(one, session_id)["activities"] if it["what"]["kind"] == "drove"]
    assert len(driven) == 1
    assert post(one, f"/sessions/{session_id}/cancel").status_code == 202


def test_a_guest_drives_the_browser_at_a_replica_until_it_is_given_back(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "slow steps", agent="operator", max_tool_steps=1000)
    link = post(one, f"/sessions/{session_id}/handoff", minutes=5).json()["link"]
    with handed_off(two, session_id, link.partition("#")[2]) as guest:
        guest.until(lambda: guest.state.get("browser") == "open" and guest.frames)
        guest.take()
        guest.until(lambda: guest.state.get("holder") == "me")
        wait_for(one, session_id, "paused")
        guest.release(note="it is all there")
        wait_for(two, session_id, "running")
        with pytest.raises(ConnectionClosed) as closed:
            guest.until(lambda: False)
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 4401
    assert get(one, f"/sessions/{session_id}/handoff").json() == {"items": []}
    assert post(one, f"/sessions/{session_id}/cancel").status_code == 202


def test_the_live_view_follows_the_run_to_another_worker(team: Team) -> None:
    one, _, *workers = team.four()
    session_id = ask(one, "slow steps", agent="operator", max_tool_steps=1000)
    with watching(one, session_id) as person:
        person.until(lambda: person.state.get("browser") == "open" and person.frames)
        wait_until_executing(workers).signal(signal.SIGKILL)
        person.until(lambda: person.state.get("browser") == "closed", seconds=TAKEN_OVER + 30)
        seen = len(person.frames)
        person.until(
            lambda: person.state.get("browser") == "open" and len(person.frames) > seen,
            seconds=TAKEN_OVER + 30,
        )
    assert post(one, f"/sessions/{session_id}/cancel").status_code == 202


def test_manual_commands_reach_the_worker_with_the_browser(team: Team) -> None:
    one, two, *workers = team.four()
    session_id = str(post(one, "/sessions").json()["id"])
    opened = post(one, f"/sessions/{session_id}/browser/launch", url="https://shop.example/")
    assert opened.status_code == 200, opened.text
    page = post(two, f"/sessions/{session_id}/browser/observe").json()
    assert page["page"]["url"] == "https://shop.example/"
    with_browser = [
        worker for worker in workers if "pilothouse_browsers_open 1.0" in get(worker, "/metrics").text
    ]
    assert with_browser
    assert post(one, f"/sessions/{session_id}/browser/dance").status_code in (404, 405)


def test_a_deleted_session_loses_its_browser_at_the_worker(team: Team) -> None:
    one, two, *workers = team.four()
    session_id = str(post(one, "/sessions").json()["id"])

    def browsers() -> float:
        lines = "\n".join(get(worker, "/metrics").text for worker in workers).splitlines()
        return sum(float(line.split()[1]) for line in lines if line.startswith("pilothouse_browsers_open "))

    before = browsers()
    assert post(one, f"/sessions/{session_id}/browser/launch").status_code == 200
    assert browsers() == before + 1
    with talk(two) as client:
        assert client.delete(f"/sessions/{session_id}", params={"purge": True}).status_code == 204
    eventually_sync(browsers, lambda count: count == before, message="the browser is closed")
