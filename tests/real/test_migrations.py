"""Alembic owns the schema: it makes what the models say, on both databases, and takes nothing back."""

from __future__ import annotations

import pytest
from alembic import command
from alembic.config import Config
from alembic.util import CommandError

from scripts.shell import ROOT
from server.migrate import migrate


@pytest.fixture
def config(database_url: str) -> Config:
    config = Config(ROOT / "alembic.ini")
    config.set_main_option("sqlalchemy.url", database_url.replace("%", "%%"))
    return config


def test_the_migrations_make_what_the_models_say(config: Config, database_url: str) -> None:
    migrate(database_url)  # once more changes nothing
    command.check(config)


def test_going_back_is_refused_in_words_and_keeps_everything(config: Config) -> None:
    for target in ("-1", "base"):
        with pytest.raises(CommandError, match="backup"):
            command.downgrade(config, target)
    command.check(config)
