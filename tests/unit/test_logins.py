"""The password and the logins: made once, kept, ended in time, and not to be guessed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from server.auth import Logins, load_password
from server.errors import TooMany, Unauthorized
from server.settings import Settings


async def test_a_login_survives_a_restart_but_not_another_password(tmp_path: Path) -> None:
    cookie = Logins("one", tmp_path).log_in("one", "peer")
    assert Logins("one", tmp_path).is_valid(cookie)
    assert not Logins("two", tmp_path).is_valid(cookie)
    assert not Logins("one", tmp_path).is_valid(cookie[:-1] + ("0" if cookie[-1] != "0" else "1"))
    for odd in ("", ".", "..", "9999999999.x.", "²34.a.b", f"{'9' * 5000}.a.b"):
        assert not Logins("one", tmp_path).is_valid(odd)


async def test_sixty_failures_of_many_peers_lock_the_login_for_a_minute(tmp_path: Path) -> None:
    logins = Logins("right", tmp_path)
    for number in range(60):
        with pytest.raises(Unauthorized):
            logins.log_in("wrong", f"10.0.0.{number}")
    for password in ("wrong", "right"):
        with pytest.raises(TooMany) as locked:
            logins.log_in(password, "10.0.1.1")
        assert 0 < (locked.value.retry_after or 0) <= 60
    logins.attempts.check("10.0.1.1", time.monotonic() + 61)


async def test_a_public_bind_needs_a_password(tmp_path: Path) -> None:
    public = Settings.model_validate({"host": "0.0.0.0", "data_dir": tmp_path})
    with pytest.raises(ValueError, match="AUTH_TOKEN"):
        load_password(public)


async def test_on_loopback_a_password_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    local = Settings.model_validate({"data_dir": tmp_path})
    password, is_new = load_password(local)
    assert is_new
    assert load_password(local) == (password, False)
    assert (tmp_path / "auth_token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["auth_token", "cookie_secret"])
def test_an_empty_file_is_no_secret(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()  # as a disk that was full leaves it
    password, _ = load_password(Settings.model_validate({"data_dir": tmp_path}))
    assert password
    Logins(password, tmp_path)
    assert len((tmp_path / name).read_text().strip()) >= 16
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_a_login_ends_after_its_thirty_days(tmp_path: Path) -> None:
    moment = 1_000_000.0
    logins = Logins("right", tmp_path, lambda: moment)
    cookie = logins.log_in("right", "peer")
    for days, holds in ((0, True), (29, True), (31, False)):
        moment = 1_000_000.0 + days * 86_400
        assert logins.is_valid(cookie) == holds
