"""Which settings of several processes fit together."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from server.settings import Settings

POSTGRES = "postgresql://pilot@db/pilot"
WHOLE = {"database_url": POSTGRES, "redis_url": "redis://cache:6379/0", "auth_token": "x"}


def settings(**values: object) -> Settings:
    return Settings.model_validate(values)


def test_one_process_is_the_default() -> None:
    assert not settings().is_shared
    assert settings().role == "all"


@pytest.mark.parametrize("role", ["all", "web", "worker"])
def test_each_role_runs_with_postgresql_redis_and_a_token(role: str) -> None:
    assert settings(**WHOLE, role=role).is_shared


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"role": "web"}, "ROLE=web needs REDIS_URL"),
        ({"role": "worker", "database_url": POSTGRES}, "ROLE=worker needs REDIS_URL"),
        ({"redis_url": "redis://cache", "auth_token": "x"}, "needs PostgreSQL"),
        ({**WHOLE, "auth_token": None}, "needs AUTH_TOKEN"),
        ({**WHOLE, "checkpointer": "memory"}, "CHECKPOINTER"),
        ({**WHOLE, "auto_migrate": True}, "server migrate"),
        ({**WHOLE, "redis_url": "http://cache"}, "redis://host"),
        ({**WHOLE, "worker_url": "http://w/path"}, "without a path"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(values: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        settings(**values)


def test_a_worker_is_reached_where_it_listens_unless_it_says_otherwise() -> None:
    assert settings(**WHOLE, host="10.0.0.3", port=8100).own_address == "http://10.0.0.3:8100"
    assert settings(**WHOLE, host="::1", port=8100).own_address == "http://[::1]:8100"
    assert settings(**WHOLE, worker_url="http://w1:9/").own_address == "http://w1:9"
    assert not settings(**WHOLE, host="0.0.0.0").own_address.startswith("http://0.0.0.0")
