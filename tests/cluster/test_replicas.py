"""Messages, streams and commands at any web replica, whatever worker executes the run."""

from __future__ import annotations

import pytest

from tests.support.cluster import STORY, Team, ask, ends, get, post, said, session_at, talk, types, wait_for
from tests.support.eventually import eventually_sync
from tests.support.server import Server

pytestmark = pytest.mark.timeout(300)

ORDERED = "The blue kettle is ordered: **€43.90**, delivered on Tuesday."


def test_a_message_at_one_replica_is_read_at_the_other(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "slow story")
    first, second = team.listen(one, session_id), team.listen(two, session_id)
    first.until(lambda it: types(it).count("token") >= 5, "tokens at web 1")
    third = team.listen(two, session_id, last_id=first.events[-1]["id"])
    for listener in (first, second, third):
        listener.until(ends, "the run ends")
    at_one, at_two = ([event["id"] for event in listener.events] for listener in (first, second))
    assert at_one == at_two
    assert len(set(at_one)) == len(at_one)
    assert said(first.events) == said(second.events) == STORY
    assert session_at(two, session_id)["messages"][-1]["content"] == STORY
    resumed = [event["id"] for event in third.events]
    assert resumed == at_one[at_one.index(resumed[0]) :]


def test_a_cancel_at_one_replica_ends_the_run_of_the_other(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "endless story")
    listener = team.listen(one, session_id)
    listener.until(lambda it: "token" in types(it), "a token")
    assert post(two, f"/sessions/{session_id}/cancel").status_code == 202
    run = session_at(two, session_id)["run"]
    assert (run["status"], run["error"]) == ("cancelled", "Task cancelled")
    (end,) = listener.until(ends, "the end")[-1:]
    assert (end["type"], end["code"]) == ("error", "cancelled")
    assert post(one, f"/sessions/{session_id}/cancel").json()["code"] == "run_finished"
    wait_for(one, ask(one, "ping test"), "completed")  # its worker is free again


def test_a_run_is_paused_and_resumed_from_any_replica(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "slow steps", agent="operator", max_tool_steps=1000)
    wait_for(one, session_id, "running")
    assert post(two, f"/sessions/{session_id}/pause").status_code == 202
    wait_for(one, session_id, "paused")
    refused = post(one, f"/sessions/{session_id}/messages", content="more")
    assert refused.json()["code"] == "run_in_progress"
    assert post(one, f"/sessions/{session_id}/resume").status_code == 202
    wait_for(two, session_id, "running")
    assert post(one, f"/sessions/{session_id}/resume").json()["code"] == "not_paused"
    assert post(two, f"/sessions/{session_id}/cancel").status_code == 202


def test_a_question_is_answered_at_the_other_replica(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "shop for a kettle")
    pending = wait_for(two, session_id, "waiting_user")["pending"]
    listener = team.listen(one, session_id)
    answers = [
        post(
            server, f"/sessions/{session_id}/decision", reference=pending["reference"], confirmed=True
        ).status_code
        for server in (two, one)
    ]
    assert answers == [202, 409]
    session = wait_for(one, session_id, "completed")
    assert [it["content"] for it in session["messages"] if it["role"] == "assistant"] == [ORDERED]
    told = listener.until(ends, "the end")
    assert types(told).count("decision") == 1
    assert types(told).count("done") == 1


def test_a_steering_message_reaches_the_agent_at_its_worker(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "slow steps", agent="operator", max_tool_steps=1000)
    wait_for(one, session_id, "running")
    sent = post(two, f"/sessions/{session_id}/messages", content="look at the teapots", mode="steer")
    assert sent.status_code == 202
    heard = eventually_sync(
        lambda: [
            it for it in session_at(one, session_id)["messages"] if it["content"] == "look at the teapots"
        ],
        lambda it: it and (it[0]["meta_json"] or {}).get("heard"),
        message="the agent has read it",
    )
    assert len(heard) == 1
    assert post(one, f"/sessions/{session_id}/cancel").status_code == 202


def test_a_queued_message_runs_next_at_any_worker(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id = ask(one, "slow story")
    wait_for(one, session_id, "running")
    assert post(two, f"/sessions/{session_id}/messages", content="ping test", mode="queue").status_code == 202
    session = eventually_sync(
        lambda: session_at(two, session_id),
        lambda it: [one["role"] for one in it["messages"]].count("assistant") == 2,
        message="both messages are answered",
    )
    assert [it["content"] for it in session["messages"]] == ["slow story", STORY, "ping test", "Harbour"]


def test_failed_logins_count_at_every_replica(team: Team) -> None:
    one, two, _, worker = team.four()
    assert get(one, "/sessions").status_code == 200
    for _ in range(5):
        assert post(one, "/auth/login", password="wrong").status_code == 401
    locked = eventually_sync(
        lambda: post(two, "/auth/login", password=two.token),
        lambda answer: answer.status_code != 204,
        message="the other replica has heard of the failures",
    )
    assert (locked.status_code, locked.json()["code"]) == (429, "login_locked")
    assert get(two, "/sessions").status_code == 200  # a client with the right token is not locked out
    with talk(worker) as stranger:
        stranger.headers["authorization"] = "Bearer wrong"
        assert (
            stranger.get("/metrics").status_code == 401
        )  # web processes are not kept from it by what they let fail


def test_each_role_reports_what_it_may_do_and_what_waits(team: Team) -> None:
    web, _, worker, _ = team.four()
    session_id = ask(web, "endless story")
    wait_for(web, session_id, "running")
    at_web, at_worker = (readings(one) for one in (web, worker))
    assert (at_web["run_slots"], at_web["browser_slots"], at_web["runs_active"]) == (0, 0, 0)
    assert at_worker["run_slots"] > 0
    assert at_worker["browser_slots"] > 0
    shared = ("queue_jobs", "queue_running", "queue_oldest_seconds", "workers")
    assert [at_web[name] for name in shared] == [0, 1, 0, 2]
    assert at_worker["bus_lag_seconds"] < 5
    assert post(web, f"/sessions/{session_id}/cancel").status_code == 202


def readings(server: Server) -> dict[str, float]:
    lines = [line.split() for line in get(server, "/metrics").text.splitlines() if line[0] != "#"]
    return {name.removeprefix("pilothouse_"): float(value) for name, value in lines}
