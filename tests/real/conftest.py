"""Both databases, each test with one of its own; a web site and browsers for the tests of a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.browser.pool import BrowserPool
from server.database.migrate import migrate
from tests.support.browsers import open_pool
from tests.support.migrated import create_migrated
from tests.support.postgres import Postgres, postgres_cluster
from tests.support.redis import RedisServer, redis_server
from tests.support.sites import Site
from tests.support.widgets import widget_site


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with postgres_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_template(postgres: Postgres) -> str:
    """The name of a database at head, to be copied."""
    name = postgres.create_database()
    migrate(postgres.url(name))
    return name


@pytest.fixture
def postgres_url(postgres: Postgres, migrated_template: str) -> Iterator[str]:
    """A PostgreSQL database at head."""
    name = postgres.create_database(migrated_template)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database at head; SQLite first, then PostgreSQL."""
    if request.param == "sqlite":
        create_migrated(tmp_path / "pilothouse.db")
        return f"sqlite:///{tmp_path / 'pilothouse.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data")) as pool:
        yield pool


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["playwright", "browser-use"])
async def either_pool(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[BrowserPool]:
    """Browsers of each of the two servers in turn: what is seen and asked about must not depend on it."""
    async with open_pool(tmp_path_factory.mktemp("data"), browser_mcp=request.param) as pool:
        yield pool


@pytest.fixture(scope="module")
def widgets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Other people's widgets, from npm."""
    with widget_site(tmp_path_factory.mktemp("bundled")) as site:
        yield site
