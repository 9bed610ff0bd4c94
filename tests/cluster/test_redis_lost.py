"""Redis is killed and comes back without any data: runs continue, and readers end with the whole answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.cluster import STORY, Team, begin_story, cluster, ends, get, said, session_at, types
from tests.support.eventually import eventually_sync
from tests.support.redis import RedisServer, redis_server

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
def own_team(
    tmp_path_factory: pytest.TempPathFactory, shared_url: str, own_redis: RedisServer
) -> Iterator[Team]:
    with cluster(tmp_path_factory.mktemp("own"), shared_url, own_redis.url) as team:
        yield team


def test_redis_loses_all_its_data_in_the_middle_of_an_answer(own_team: Team, own_redis: RedisServer) -> None:
    web, _ = own_team.add("web", "worker")
    session_id, listener = begin_story(own_team, web)
    own_redis.kill()
    assert get(web, "/ready").status_code == 503
    own_redis.start()
    told = listener.until(ends, "the run ends")
    assert types(told).count("done") == 1
    assert "resync" in types(told)
    assert told[-1]["message"]["content"] == STORY
    assert STORY.endswith(said(told))
    session = session_at(web, session_id)
    assert [it["content"] for it in session["messages"]] == ["slow story", STORY]
    assert session["run"]["attempt"] == 1
    eventually_sync(lambda: get(web, "/ready").status_code, lambda code: code == 200, message="ready again")
