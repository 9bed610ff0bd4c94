"""PostgreSQL or Redis killed or frozen, a worker cut off, clocks that differ, everything replaced under load."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx
import pytest

from server.database.migrate import migrate
from tests.support.cluster import (
    STORY,
    TAKEN_OVER,
    Listener,
    Team,
    ask,
    begin_story,
    cluster,
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
from tests.support.lossy_link import partition
from tests.support.postgres import Postgres, postgres_cluster
from tests.support.redis import RedisServer, redis_server
from tests.support.schemas import migrate_further
from tests.support.server import Server

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[Postgres]:
    with postgres_cluster() as server:
        migrate(server.url())
        yield server


@pytest.fixture(scope="module")
def own_redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(scope="module")
def own_team(
    tmp_path_factory: pytest.TempPathFactory, own_postgres: Postgres, own_redis: RedisServer
) -> Iterator[Team]:
    with cluster(tmp_path_factory.mktemp("outages"), own_postgres.url(), own_redis.url) as team:
        yield team


@pytest.fixture(scope="module")
def pair(own_team: Team) -> list[Server]:
    """A web process and a worker that survive the outages."""
    return own_team.add("web", "worker")


def check_story(web: Server, session_id: str, listener: Listener) -> None:
    """It has one end, the whole text, and is stored once."""
    told = listener.until(ends, "the run ends", TAKEN_OVER + 60)
    assert types(told).count("done") == 1
    assert told[-1]["message"]["content"] == STORY
    assert STORY.endswith(said(told))
    session = wait_for(web, session_id, "completed")
    assert [it["content"] for it in session["messages"]] == ["slow story", STORY]


def is_ready(server: Server) -> bool:
    return get(server, "/ready").status_code == 200


def test_postgresql_is_killed_in_the_middle_of_an_answer(
    own_team: Team, own_postgres: Postgres, pair: list[Server]
) -> None:
    web, worker = pair
    session_id, listener = begin_story(own_team, web)
    own_postgres.stop("immediate")
    assert not is_ready(web)
    own_postgres.start()
    check_story(web, session_id, listener)
    for server in (web, worker):
        eventually_sync(lambda server=server: is_ready(server), message="ready again")
    wait_for(web, ask(web, "ping test"), "completed")


def test_postgresql_is_frozen_in_the_middle_of_an_answer(
    own_team: Team, own_postgres: Postgres, pair: list[Server]
) -> None:
    web, _ = pair
    session_id, listener = begin_story(own_team, web)
    own_postgres.signal(signal.SIGSTOP)
    try:
        assert not is_ready(web)
        assert post(web, "/sessions").status_code == 503
    finally:
        own_postgres.signal(signal.SIGCONT)
    check_story(web, session_id, listener)


def test_redis_is_frozen_in_the_middle_of_an_answer(
    own_team: Team, own_redis: RedisServer, pair: list[Server]
) -> None:
    web, _ = pair
    session_id, listener = begin_story(own_team, web)
    own_redis.signal(signal.SIGSTOP)
    try:
        assert not is_ready(web)
    finally:
        own_redis.signal(signal.SIGCONT)
    check_story(web, session_id, listener)
    assert session_at(web, session_id)["run"]["attempt"] == 1


def test_a_web_process_that_is_cut_off_from_redis_says_so_and_its_readers_go_on_when_it_is_back(
    own_team: Team, own_redis: RedisServer, pair: list[Server]
) -> None:
    web, _ = pair
    with partition(own_redis.port) as links:
        (apart,) = own_team.add(
            "web", redis_url=own_redis.url.replace(f":{own_redis.port}", f":{links.ports[0]}")
        )
        session_id, listener = begin_story(own_team, apart)
        other = own_team.listen(web, session_id)
        links.begin()
        assert not is_ready(apart)
        assert is_ready(web)
        asked = ask(apart, "ping test")
        endless = ask(apart, "endless story")
        wait_for(web, asked, "completed")
        wait_for(web, endless, "running")
        assert post(apart, f"/sessions/{endless}/cancel").status_code == 202
        wait_for(web, endless, "cancelled")
        other.until(ends, "the run ends where Redis is reached")
        assert not ends(listener.events)
        links.end()
        check_story(web, session_id, listener)
        eventually_sync(lambda: is_ready(apart), message="ready again")
        positions = [tuple(map(int, event["id"].split("-"))) for event in listener.events]
        assert positions == sorted(set(positions))
        late = [own_team.listen(server, asked).until(ends, "the end") for server in (apart, web)]
        assert [types(told).count("done") for told in late] == [1, 1]
        assert apart.stop() == 0


def test_a_worker_that_is_cut_off_is_replaced_and_changes_nothing_when_it_is_back(
    own_team: Team, own_postgres: Postgres, own_redis: RedisServer, pair: list[Server]
) -> None:
    web, healthy = pair
    healthy.stop()
    with partition(own_postgres.port, own_redis.port) as links:
        ports = zip((own_postgres, own_redis), links.ports, strict=True)
        database, cache = (
            (server.url() if isinstance(server, Postgres) else server.url).replace(
                f":{server.port}", f":{port}"
            )
            for server, port in ports
        )
        (apart,) = own_team.add("worker", database_url=database, redis_url=cache)
        session_id, listener = begin_story(own_team, web)
        links.begin()
        pair[1] = own_team.add("worker")[0]
        check_story(web, session_id, listener)
        before = session_at(web, session_id)
        assert before["run"]["attempt"] == 2
        links.end()
        eventually_sync(
            lambda: get(apart, "/metrics").text,
            lambda it: "pilothouse_runs_active 0.0" in it,
            message="it has stopped its run",
        )
        assert session_at(web, session_id) == before
        assert apart.stop() == 0


def test_clocks_that_differ_by_half_a_minute_change_nothing(own_team: Team, pair: list[Server]) -> None:
    web, on_time = pair
    on_time.stop()
    program = sys.executable, "-m", "tests.support.shifted_server"
    shifted = [own_team.add("worker", program=(*program, by))[0] for by in ("+30", "-30")]
    try:
        assert clock_of(shifted[0]) - clock_of(shifted[1]) > timedelta(seconds=55)
        session_id, listener = begin_story(own_team, web)
        check_story(web, session_id, listener)
        assert session_at(web, session_id)["run"]["attempt"] == 1, "no lease seems to have ended"
        session_id, listener = begin_story(own_team, web)
        wait_until_executing(shifted).signal(signal.SIGKILL)
        check_story(web, session_id, listener)
        assert session_at(web, session_id)["run"]["attempt"] == 2
    finally:
        for server in shifted:
            server.kill()
    pair[1] = own_team.add("worker")[0]


def clock_of(server: Server) -> datetime:
    return parsedate_to_datetime(get(server, "/health").headers["date"])


def test_everything_is_replaced_under_load_while_the_schema_gets_newer(
    own_team: Team, own_postgres: Postgres, pair: list[Server]
) -> None:
    web, worker = pair
    old = [web, worker, *own_team.add("web", "worker")]
    asked = [ask(web, "slow story") for _ in range(4)]
    wait_for(web, asked[0], "running")
    migrate_further(own_postgres.url())
    new = []
    for server in old:
        new += own_team.add(server.role)
        asked.append(ask(next(one for one in new + old if one.role == "web" and is_open(one)), "slow story"))
        assert server.stop() == 0
    web = next(one for one in new if one.role == "web")
    for session_id in asked:
        session = wait_for(web, session_id, "completed", "failed", "interrupted", timeout=120)
        assert session["run"]["status"] == "completed"
        assert [it["content"] for it in session["messages"]] == ["slow story", STORY]


def is_open(server: Server) -> bool:
    try:
        return server.process.poll() is None and is_ready(server)
    except httpx.TransportError:
        return False


def test_two_processes_of_all_roles_share_sessions(own_team: Team) -> None:
    one, two = own_team.add("all", "all")
    session_id = ask(one, "slow story")
    listener = own_team.listen(two, session_id)
    told = listener.until(ends, "the run ends")
    assert said(told) == STORY
    assert session_at(two, session_id)["messages"][-1]["content"] == STORY
    session_id = ask(two, "endless story")
    wait_for(one, session_id, "running")
    assert post(one, f"/sessions/{session_id}/cancel").status_code == 202
    wait_for(two, session_id, "cancelled")
