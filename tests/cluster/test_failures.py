"""A worker is killed, terminated or frozen: its runs continue in another one, and nothing is done or said twice."""

from __future__ import annotations

import signal

import pytest

from tests.support.cluster import (
    STORY,
    TAKEN_OVER,
    Team,
    ask,
    begin_story,
    ends,
    get,
    post,
    said,
    session_at,
    types,
    wait_for,
    wait_until_executing,
)
from tests.support.eventually import eventually_sync

pytestmark = pytest.mark.timeout(300)


def test_the_run_of_a_killed_worker_goes_on_in_another(team: Team) -> None:
    one, two, *workers = team.four()
    session_id, listener = begin_story(team, one, two)
    wait_until_executing(workers).signal(signal.SIGKILL)
    told = listener.until(ends, "the run ends", TAKEN_OVER + 30)
    assert types(told).count("done") == 1
    assert said(told) == STORY
    assert told[-1]["message"]["content"] == STORY
    session = session_at(one, session_id)
    assert [it["content"] for it in session["messages"]] == ["slow story", STORY]
    assert session["run"]["attempt"] == 2
    positions = [tuple(map(int, event["id"].split("-"))) for event in told]
    assert positions == sorted(set(positions))


def test_a_worker_that_is_told_to_end_hands_its_run_over_at_once(team: Team) -> None:
    one, two, *workers = team.four()
    session_id = ask(one, "endless story")
    listener = team.listen(two, session_id)
    listener.until(lambda it: types(it).count("token") >= 5, "tokens")
    worker = wait_until_executing(workers)
    worker.process.send_signal(signal.SIGTERM)
    told = listener.until(lambda it: "resync" in types(it) and types(it)[-1] == "token", "it goes on")
    assert [event["status"] for event in told if event["type"] == "run"][-2:] == ["queued", "running"]
    assert worker.process.wait(30) == 0
    session = session_at(one, session_id)
    assert (session["run"]["status"], session["run"]["attempt"]) == ("running", 2)
    assert post(one, f"/sessions/{session_id}/cancel").status_code == 202
    told = listener.until(ends, "the run ends")
    assert [event["code"] for event in ends(told)] == ["cancelled"]


def test_a_frozen_worker_says_nothing_more_when_it_wakes(team: Team) -> None:
    one, two, *workers = team.four()
    session_id, listener = begin_story(team, one, two)
    frozen = wait_until_executing(workers)
    frozen.signal(signal.SIGSTOP)
    told = listener.until(ends, "another worker ends the run", TAKEN_OVER + 30)
    before = session_at(one, session_id)
    frozen.signal(signal.SIGCONT)
    eventually_sync(
        lambda: get(frozen, "/metrics").text,
        lambda it: "pilothouse_runs_active 0.0" in it,
        message="the frozen worker has stopped its run",
    )
    assert session_at(one, session_id) == before
    assert [it["content"] for it in before["messages"]] == ["slow story", STORY]
    again = post(one, f"/sessions/{session_id}/messages", content="ping test")
    assert again.status_code == 202
    wait_for(one, session_id, "completed")
    now = listener.until(lambda it: len(ends(it)) == 2, "the next run ends")
    assert [event["type"] for event in ends(now)] == ["done", "done"]
    assert len(told) < len(now)
    positions = [tuple(map(int, event["id"].split("-"))) for event in now]
    assert positions == sorted(set(positions))


def test_a_reader_of_a_killed_web_process_goes_on_at_the_other(team: Team) -> None:
    one, two, _, _ = team.four()
    session_id, reader = begin_story(team, one)
    one.signal(signal.SIGKILL)
    reader.close()
    again = team.listen(two, session_id, last_id=reader.events[-1]["id"])
    told = [*reader.events, *again.until(ends, "the run ends")]
    positions = [tuple(map(int, event["id"].split("-"))) for event in told]
    (epoch, first), (_, last) = positions[0], positions[-1]
    assert positions == [(epoch, seq) for seq in range(first, last + 1)]
    assert said(told) == STORY
    assert session_at(two, session_id)["run"]["attempt"] == 1


def test_a_question_survives_both_workers(team: Team) -> None:
    one, two, *workers = team.four()
    session_id = ask(one, "log in to my mail")
    pending = wait_for(two, session_id, "waiting_user")["pending"]
    for worker in workers:
        worker.signal(signal.SIGKILL)
        worker.process.wait()
    team.four()
    assert session_at(one, session_id)["pending"]["reference"] == pending["reference"]
    answered = post(two, f"/sessions/{session_id}/decision", reference=pending["reference"], done=True)
    assert answered.status_code == 202
    session = wait_for(one, session_id, "completed", timeout=TAKEN_OVER + 30)
    assert [it["content"] for it in session["messages"]][-1].startswith("You are logged in.")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_of_the_assistant_goes_on_in_another_worker(team: Team, number: signal.Signals) -> None:
    one, two, *workers = team.four()
    session_id = ask(one, "slow story", agent="assistant")
    listener = team.listen(two, session_id)
    listener.until(lambda it: types(it).count("token") >= 5, "tokens")
    wait_until_executing(workers).process.send_signal(number)
    told = listener.until(ends, "the run ends", TAKEN_OVER + 30)
    assert [event["type"] for event in ends(told)] == ["done"]
    assert said(told) == STORY
    session = session_at(one, session_id)
    assert [it["content"] for it in session["messages"]] == ["slow story", STORY]
    assert session["run"]["attempt"] == 2
    assert post(one, f"/sessions/{session_id}/messages", content="ping test").status_code == 202
    wait_for(two, session_id, "completed")
