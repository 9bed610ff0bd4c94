"""The devices that are logged in: listed, ended one by one, and all but one by another password."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from server.auth import Logins
from server.auth.devices import browser_of
from server.errors import NotFound
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD, open_client

ORIGIN = {"origin": "http://127.0.0.1:8000"}
FIREFOX = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
NEW = "a longer pass phrase"


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


async def log_in(client: httpx.AsyncClient, password: str = PASSWORD) -> None:
    answer = await client.post("/api/auth/login", json={"password": password}, headers=ORIGIN)
    assert answer.status_code == 204


async def test_a_device_is_listed_with_its_browser_and_ended_alone(app: FastAPI) -> None:
    async with open_client(app, FIREFOX) as mine, open_client(app, {}) as other:
        await log_in(mine)
        await log_in(other)
        listed = (await mine.get("/api/auth/devices")).json()
        assert not listed["can_change_password"]
        by_here = {device["is_here"]: device for device in listed["items"]}
        assert by_here[True]["browser"] == "Firefox, Linux"
        assert {device["way"] for device in listed["items"]} == {"password"}
        gone = await mine.delete(f"/api/auth/devices/{by_here[False]['id']}", headers=ORIGIN)
        assert gone.status_code == 204
        assert (await other.get("/api/auth/me")).status_code == 401
        assert [device["is_here"] for device in (await mine.get("/api/auth/devices")).json()["items"]] == [
            True
        ]
        again = await mine.delete(f"/api/auth/devices/{by_here[False]['id']}", headers=ORIGIN)
        assert again.status_code == 404


def test_devices_survive_a_restart_and_are_those_of_all_processes(tmp_path: Path) -> None:
    first, second = Logins("one", tmp_path), Logins("one", tmp_path)
    cookie = first.log_in("one", "192.0.2.1")
    (device,) = second.devices.all()
    assert device.address == "192.0.2.1"
    second.end_device(device.id)
    assert not first.is_valid(cookie)
    assert first.devices.all() == []
    with pytest.raises(NotFound):
        first.end_device(device.id)


def test_a_login_of_an_earlier_version_is_listed_from_its_next_use(tmp_path: Path) -> None:
    logins = Logins("one", tmp_path)
    cookie = logins.log_in("one", "192.0.2.1")
    for path in (tmp_path / "devices").iterdir():
        path.unlink()
    logins = Logins("one", tmp_path)
    logins.note_use(cookie, "192.0.2.9", FIREFOX["user-agent"])
    (device,) = logins.devices.all()
    assert (device.id, device.address) == (cookie.split(".")[1], "192.0.2.9")


def test_the_last_use_is_known_to_the_minute_and_an_expired_login_is_gone(tmp_path: Path) -> None:
    clock = Clock()
    logins = Logins("one", tmp_path, clock)
    cookie = logins.log_in("one", "192.0.2.1")
    clock.now += 61
    logins.note_use(cookie, "192.0.2.1", "")
    (device,) = logins.devices.all()
    assert (device.created_at, device.last_used_at) == (1_000_000, 1_000_061)
    (tmp_path / "devices/0123456789abcdef.json").write_text("{damaged")
    clock.now += 31 * 24 * 3600
    assert logins.devices.all() == []
    assert list((tmp_path / "devices").iterdir()) == []


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX["user-agent"], "Firefox, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19 Mobile Safari/604.1", "Safari, iPhone"),
        ("curl/8.5", ""),
    ],
)  # fmt: skip
def test_a_browser_is_named_by_what_it_says_of_itself(agent: str, name: str) -> None:
    assert browser_of(agent) == name


@pytest.fixture
def kept_password(settings: Settings) -> Settings:
    """The password is in the file of the data folder."""
    (settings.data_dir / "auth_token").write_text(PASSWORD + "\n")
    return Settings.model_validate(settings.model_dump() | {"auth_token": None})


async def test_another_password_ends_all_other_devices_and_is_kept(kept_password: Settings) -> None:
    app = create_app(kept_password)
    async with open_client(app, {}) as mine, open_client(app, {}) as other:
        await log_in(mine)
        await log_in(other)
        change = {"current": PASSWORD, "new": NEW}
        answer = await mine.put("/api/auth/password", json=change, headers=ORIGIN)
        assert answer.status_code == 204
        assert (await mine.get("/api/auth/me")).status_code == 200
        assert (await other.get("/api/auth/me")).status_code == 401
        assert [one["is_here"] for one in (await mine.get("/api/auth/devices")).json()["items"]] == [True]
        old = await other.get("/api/auth/me", headers={"authorization": f"Bearer {PASSWORD}"})
        assert old.status_code == 401
        await log_in(other, NEW)
    assert (kept_password.data_dir / "auth_token").read_text() == NEW + "\n"


async def test_a_password_is_changed_only_with_the_one_before_and_not_by_guesses(
    kept_password: Settings,
) -> None:
    async with open_client(create_app(kept_password), {}) as client:
        await log_in(client)
        codes = []
        for _ in range(6):
            change = {"current": "a guess", "new": NEW}
            codes.append((await client.put("/api/auth/password", json=change, headers=ORIGIN)).json()["code"])
        assert codes == ["wrong_password"] * 5 + ["login_locked"]
    assert (kept_password.data_dir / "auth_token").read_text() == PASSWORD + "\n"


@pytest.mark.parametrize(
    "new", ["short", " leading-space", "with\nline-break", "пароль-по-русски", "x" * 201]
)
async def test_a_password_that_a_header_or_the_file_would_not_carry_is_refused(
    kept_password: Settings, new: str
) -> None:
    async with open_client(create_app(kept_password), {}) as client:
        await log_in(client)
        change = {"current": PASSWORD, "new": new}
        answer = await client.put("/api/auth/password", json=change, headers=ORIGIN)
        assert (answer.status_code, answer.json()["code"]) == (422, "password_unsuitable")


async def test_a_password_from_the_environment_is_not_changed_here(client: httpx.AsyncClient) -> None:
    answer = await client.put("/api/auth/password", json={"current": PASSWORD, "new": NEW})
    assert (answer.status_code, answer.json()["code"]) == (409, "password_is_setting")
    assert "AUTH_TOKEN" in answer.json()["detail"]


def test_what_is_sealed_is_no_cookie_and_a_cookie_is_no_seal(tmp_path: Path) -> None:
    clock = Clock()
    logins = Logins("one", tmp_path, clock)
    sealed = logins.seal({"state": "x"}, 600)
    assert logins.unseal(sealed) == {"state": "x"}
    assert not logins.is_valid(sealed)
    for other in (logins.log_in("one", "peer"), sealed[:-1], "", ".", "é.é", json.dumps({"state": "x"})):
        assert logins.unseal(other) is None
    assert Logins("two", tmp_path, clock).unseal(sealed) is None
    clock.now += 601
    assert logins.unseal(sealed) is None
