"""Servers that are killed, frozen or replaced: their runs end in time, and nobody writes after them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.real.test_crashes import PING, new_session, talk, wait_for, wait_for_tokens
from tests.support.eventually import eventually_sync
from tests.support.server import serving

LEASE_ENDS = 90.0
CONTAINER = (
    *("unshare", "--uts", "--pid", "--fork", *(() if os.geteuid() == 0 else ("--user", "--map-root-user"))),
    *("sh", "-c", 'hostname "$0" && exec "$@"'),
)
"""A program in a PID namespace of its own, under the host name that comes next, as containers have them."""


def test_a_run_that_was_killed_with_its_container_is_interrupted_at_once(
    tmp_path: Path, database_url: str
) -> None:
    data = tmp_path / "data"
    with serving(data, wrapper=(*CONTAINER, "before"), database_url=database_url) as server:
        with talk(server) as client:
            session_id = new_session(client, "endless story")
            wait_for_tokens(client, session_id, 3)
        os.killpg(server.process.pid, signal.SIGKILL)
    with (
        serving(data, wrapper=(*CONTAINER, "after"), database_url=database_url) as server,
        talk(server) as client,
    ):
        # Its lease would end in 45 s: the first answer of the new server tells that the run was interrupted.
        run = client.get(f"/sessions/{session_id}").json()["run"]
        assert (run["status"], run["error_code"]) == ("interrupted", "server_restart")
        os.killpg(server.process.pid, signal.SIGTERM)


@pytest.mark.timeout(300)
def test_a_frozen_server_is_taken_over_and_writes_nothing_when_it_goes_on(
    tmp_path: Path, postgres: object, migrated_template: str
) -> None:
    name = postgres.create_database(migrated_template)
    url = postgres.url(name)
    with (
        serving(tmp_path / "one", database_url=url) as one,
        serving(tmp_path / "two", database_url=url) as two,
        talk(one) as at_one,
        talk(two) as at_two,
    ):
        session_id = new_session(at_one, "endless story")
        wait_for_tokens(at_one, session_id, 3)
        assert at_two.get(f"/sessions/{session_id}").json()["run"]["status"] == "running"
        os.killpg(one.process.pid, signal.SIGSTOP)
        taken = eventually_sync(
            lambda: at_two.get(f"/sessions/{session_id}").json(),
            lambda it: it["run"]["status"] != "running",
            timeout=LEASE_ENDS,
            message="the run is taken over",
            interval=0.5,
        )
        assert (taken["run"]["status"], taken["run"]["error_code"]) == ("interrupted", "server_restart")
        os.killpg(one.process.pid, signal.SIGCONT)
        eventually_sync(
            lambda: at_one.get("/metrics").text,
            lambda it: "pilothouse_runs_active 0.0" in it,
            message="the first server has stopped it",
            interval=0.2,
        )
        assert at_two.get(f"/sessions/{session_id}").json() == taken
        sent = at_two.post(f"/sessions/{session_id}/messages", json={"content": PING})
        assert sent.status_code == 202
        session = wait_for(at_two, session_id, "completed")
        assert [message["content"] for message in session["messages"]] == ["endless story", PING, "Harbour"]
    postgres.drop_database(name)
