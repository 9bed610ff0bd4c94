"""Servers that are killed or replaced: their runs end in time, and one at a time uses a database without Redis."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.real.test_crashes import new_session, talk, wait_for_tokens
from tests.support.eventually import eventually_sync
from tests.support.postgres import Postgres
from tests.support.redis import RedisServer
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
        # Its lease would end in 45 s: the first answer of the new server says that the run was interrupted.
        run = client.get(f"/sessions/{session_id}").json()["run"]
        assert (run["status"], run["error_code"]) == ("interrupted", "server_restart")
        os.killpg(server.process.pid, signal.SIGTERM)


def test_a_second_server_on_the_database_waits_until_the_first_has_ended(
    tmp_path: Path, database_url: str
) -> None:
    with serving(tmp_path / "one", database_url=database_url) as one, talk(one) as at_one:
        session_id = new_session(at_one, "endless story")
        wait_for_tokens(at_one, session_id, 3)
        with serving(tmp_path / "two", database_url=database_url) as two, talk(two) as at_two:
            refused = at_two.get("/ready")
            assert refused.status_code == 503
            assert "REDIS_URL" in refused.json()["detail"]
            assert at_two.get(f"/sessions/{session_id}").status_code == 503
            assert at_one.get(f"/sessions/{session_id}").json()["run"]["status"] == "running"
            one.kill()
            eventually_sync(
                lambda: at_two.get("/ready").status_code, lambda code: code == 200, message="the second one begins",
                timeout=LEASE_ENDS,
            )  # fmt: skip
            assert at_two.post("/sessions", json={}).status_code == 201


def test_processes_with_and_without_redis_do_not_share_a_database(
    tmp_path: Path, postgres: Postgres, migrated_template: str, redis: RedisServer
) -> None:
    name = postgres.create_database(migrated_template)
    url = postgres.url(name)
    with (
        serving(tmp_path / "one", database_url=url) as one,
        serving(tmp_path / "two", database_url=url, redis_url=redis.url) as two,
        talk(two) as at_two,
    ):
        assert "a process without REDIS_URL" in at_two.get("/ready").json()["detail"]
        one.kill()
        eventually_sync(
            lambda: at_two.get("/ready").status_code, lambda code: code == 200, message="the second one begins",
            timeout=LEASE_ENDS,
        )  # fmt: skip
    postgres.drop_database(name)
