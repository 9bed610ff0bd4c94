"""A PostgreSQL and a Redis for all tests; for each file a database, and servers that its tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.real.conftest import migrated_template, postgres, redis
from tests.support.cluster import Team, cluster
from tests.support.postgres import Postgres
from tests.support.redis import RedisServer

__all__ = ["migrated_template", "postgres", "redis"]


@pytest.fixture(scope="module")
def shared_url(postgres: Postgres, migrated_template: str) -> Iterator[str]:
    name = postgres.create_database(migrated_template)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, shared_url: str, redis: RedisServer) -> Iterator[Team]:
    with cluster(tmp_path_factory.mktemp("cluster"), shared_url, redis.url) as team:
        yield team
