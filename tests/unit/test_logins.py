"""The password and the logins: made once, kept, ended in time, and not to be guessed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
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


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logins(tmp_path: Path, clock: Clock) -> Logins:
    return Logins("right", tmp_path, monotonic=clock)


def guess(logins: Logins, peer: str) -> bool:
    """Try a wrong password: was it looked at?"""
    try:
        logins.log_in("wrong", peer)
    except Unauthorized:
        return True
    except TooMany:
        return False
    raise AssertionError("it is not the password")


def most_in_a_minute(times: list[float]) -> int:
    return max(bisect_left(times, moment + 60) - place for place, moment in enumerate(times))


def test_hours_of_guessing_from_many_addresses_stay_slow_and_keep_no_owner_out(
    logins: Logins, clock: Clock
) -> None:
    owners = ["198.51.100.7", "2001:db8:7::1"]
    for owner in owners:
        logins.log_in("right", owner)
    heard: list[float] = []
    for number in range(
        4 * 3600 * 3
    ):  # four guesses a second for three hours, each from an address of its own
        clock.now += 0.25
        if guess(logins, f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"):
            heard.append(clock.now)
        if number % 1000 == 0:
            for owner in (*owners, "127.0.0.1", "::1", "2001:db8:7::ffff"):
                assert logins.is_valid(logins.log_in("right", owner))
        assert len(logins.attempts.recent) <= 61
    assert most_in_a_minute(heard) <= 60
    assert len(heard) >= 3 * 60 * 29  # and it is a limit, not a lock: thirty a minute are looked at


def test_an_address_that_is_not_known_waits_for_seconds_only(logins: Logins, clock: Clock) -> None:
    assert [guess(logins, f"10.0.0.{number}") for number in range(35)] == [True] * 30 + [False] * 5
    with pytest.raises(TooMany) as locked:
        logins.log_in("right", "203.0.113.1")
    assert 0 < (locked.value.retry_after or 0) <= 2
    clock.now += locked.value.retry_after or 0
    assert logins.is_valid(logins.log_in("right", "203.0.113.1"))


def test_each_address_has_five_failures_a_minute_known_or_not(logins: Logins, clock: Clock) -> None:
    logins.log_in("right", "198.51.100.7")
    for peer in ("198.51.100.7", "203.0.113.1", "127.0.0.1", "not an address"):
        heard: list[float] = []
        for _ in range(600):
            clock.now += 0.5
            if guess(logins, peer):
                heard.append(clock.now)
        assert most_in_a_minute(heard) == 5, peer


@pytest.mark.parametrize(
    "form", ["2001:db8::{:x}", "2001:db8:0:0:{:x}::1", "::ffff:192.0.2.1", "fe80::{:x}%eth0"]
)
def test_all_addresses_of_one_network_are_one_peer(logins: Logins, form: str) -> None:
    assert sum(guess(logins, form.format(number)) for number in range(1, 200)) == 5


def test_addresses_are_forgotten_and_those_that_are_known_are_not_without_end(
    logins: Logins, clock: Clock
) -> None:
    for number in range(5_000):
        logins.log_in("right", f"10.1.{number >> 8}.{number & 255}")
    assert len(logins.attempts.known) <= 1_000
    guess(logins, "203.0.113.1")
    clock.now += 61
    guess(logins, "203.0.113.2")
    assert list(logins.attempts.recent) == ["203.0.113.2"]


def test_a_locked_peer_learns_nothing_by_tokens_but_one_that_gave_the_right_one_goes_on(
    logins: Logins,
) -> None:
    logins.check_bearer("right", "198.51.100.7")
    for peer in ("198.51.100.7", "203.0.113.1", "203.0.113.2"):
        if peer == "203.0.113.2":
            logins.log_in("right", peer)  # that is no token: its address may be that of many
        for _ in range(5):
            with pytest.raises(Unauthorized):
                logins.check_bearer("wrong", peer)
        with pytest.raises(TooMany):
            logins.check_bearer("wrong", peer)
    logins.check_bearer("right", "198.51.100.7")
    for peer in ("203.0.113.1", "203.0.113.2"):
        with pytest.raises(TooMany):
            logins.check_bearer("right", peer)


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


@pytest.fixture
def both(tmp_path: Path, clock: Clock) -> tuple[Logins, Logins]:
    """The logins of two processes that notify each other."""
    one, two = (Logins("right", tmp_path, monotonic=clock) for _ in range(2))
    hears: list[Callable[[bytes], None]] = []
    hears += [one.share(lambda news: hears[1](news)), two.share(lambda news: hears[0](news))]
    return one, two


def test_more_processes_allow_no_more_failures_of_one_address(both: tuple[Logins, Logins]) -> None:
    peer = "2001:db8::1"
    assert [guess(both[number % 2], peer) for number in range(8)] == [True] * 5 + [False] * 3


def test_more_processes_allow_no_more_failures_in_total(both: tuple[Logins, Logins]) -> None:
    assert sum(guess(both[number % 2], f"10.0.0.{number}") for number in range(70)) == 30


def test_who_gave_the_right_password_at_one_process_is_known_to_the_other(
    both: tuple[Logins, Logins],
) -> None:
    one, two = both
    one.log_in("right", "198.51.100.7")
    one.check_bearer("right", "198.51.100.8")
    for number in range(40):
        guess(two, f"10.0.0.{number}")
    assert two.is_valid(two.log_in("right", "198.51.100.7"))
    for _ in range(5):
        guess(two, "198.51.100.8")
    two.check_bearer("right", "198.51.100.8")
    with pytest.raises(TooMany):
        two.log_in("right", "203.0.113.1")


def test_news_of_another_version_change_nothing(logins: Logins) -> None:
    told: list[bytes] = []
    hear = logins.share(told.append)
    for news in (b"", b"[]", b'{"peer": 7}', b'{"kind": "other"}'):
        hear(news)
    assert not logins.attempts.recent
    assert not logins.attempts.known
