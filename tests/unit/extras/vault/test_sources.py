"""Logins of 1Password and Bitwarden: programs that print what the real ones print, and write down how they were called."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from server.agent.logins import LoginGone, LoginValues, VaultLocked
from server.errors import BadRequest
from server.extras.vault.book import LoginChange
from server.extras.vault.sources import (
    LISTED_SECONDS,
    REST_SECONDS,
    Bitwarden,
    OnePassword,
    SourceFailed,
    run_program,
)
from server.store import Store
from tests.support.databases import open_store
from tests.support.eventually import eventually
from tests.support.migrated import create_migrated
from tests.support.vaults import RUN, TestedVault

CANARIES = ("pass-canary-71", "master-canary-72", "ops_canary73", "session-canary-74")

OP = r"""
case "$*" in
"whoami --format json") [ "$OP_SERVICE_ACCOUNT_TOKEN" = ops_canary73 ] && echo '{"url":"https://my.1password.com","user_uuid":"U1"}';;
"account list --format json") echo '[{"url":"my.1password.com","email":"ada@mail.example","user_uuid":"U1","account_uuid":"A1"}]';;
"signin --account U1 --raw") read -r given; [ "$given" = master-canary-72 ] && echo session-canary-74;;
"item list --categories Login --format json") [ "$OP_SERVICE_ACCOUNT_TOKEN$OP_SESSION_U1" ] && cat <<'END'
[
  {"id": "i1x", "title": "Shop", "version": 2, "vault": {"id": "v1", "name": "Private"}, "category": "LOGIN",
   "last_edited_by": "U1", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z",
   "additional_information": "ada@mail.example",
   "urls": [{"label": "shop", "href": "https://pay.other.example/"}, {"label": "website", "primary": true, "href": "https://www.shop.example/login"}]},
  {"id": "i2", "title": "No address", "vault": {"id": "v1", "name": "Private"}, "category": "LOGIN"},
  {"id": "--reveal", "title": "Odd", "vault": {"id": "v1"}, "urls": [{"href": "https://shop.example"}]}
]
END
;;
"item get i1x --vault v1 --fields label=password --reveal --format json")
  echo '{"id":"password","type":"CONCEALED","purpose":"PASSWORD","label":"password","value":"pass-canary-71, \"x\"","reference":"op://Private/Shop/password"}';;
"item get i1x --vault v1 --otp") echo 287082;;
*) echo "[ERROR] unknown: $*" >&2; exit 1;;
esac
"""

BW = r"""
case "$*" in
"unlock --raw --passwordenv BW_GIVEN --nointeraction") [ "$BW_GIVEN" = master-canary-72 ] && printf %s session-canary-74;;
"list items --url https://shop.example --nointeraction") [ "$BW_SESSION" = session-canary-74 ] && cat <<'END'
[{"passwordHistory":null,"revisionDate":"2025-01-01T00:00:00.000Z","object":"item","id":"0b1c-1","organizationId":null,
"folderId":null,"type":1,"reprompt":0,"name":"Shop","notes":null,"favorite":false,"login":{"fido2Credentials":[],
"uris":[{"match":null,"uri":"https://shop.example/login"},{"match":5,"uri":"https://never.example"},{"match":null,"uri":"androidapp://a"}],
"username":"ada@mail.example","password":"pass-canary-71","totp":"GEZDGNBVGY3TQOJQ","passwordRevisionDate":null},"collectionIds":[]},
{"object":"item","id":"0b1c-2","type":1,"name":"Equivalent","login":{"uris":[{"match":null,"uri":"https://other.example"}],"username":"bob","password":"x","totp":null}},
{"object":"item","id":"0b1c-3","type":1,"name":"Never","login":{"uris":[{"match":5,"uri":"https://shop.example"}],"username":"eve","password":"x","totp":null}},
{"object":"item","id":"0b1c-4","type":1,"name":"Narrow","login":{"uris":[{"match":1,"uri":"https://m.shop.example"}],"username":"m","password":"x","totp":null}},
{"object":"item","id":"0b1c-5","type":2,"name":"A note","notes":"x"}]
END
;;
"get password 0b1c-1 --nointeraction") printf %s pass-canary-71;;
"get totp 0b1c-1 --nointeraction") printf %s 287082;;
*) echo "Not found." >&2; exit 1;;
esac
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    create_migrated(tmp_path / "data" / "pilothouse.db")
    async with open_store(f"sqlite:///{tmp_path}/data/pilothouse.db") as store:
        yield store


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Installs the programs; the file has the arguments of each call. Other secrets are in the environment."""
    programs = tmp_path / "bin"
    programs.mkdir()
    called = tmp_path / "calls"
    called.touch()
    for name, text in (("op", OP), ("bw", BW)):
        file = programs / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >> {called}\n[ "$AUTH_TOKEN" ] && exit 3\n{text}')
        file.chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("AUTH_TOKEN", "of-the-server")
    return called


def in_files(folder: Path, calls: Path) -> list[str]:
    """Which canaries are in a file of the data folder, or among the arguments of a call."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in [*files, calls])
    return [canary for canary in CANARIES if canary.encode() in content]


def count_in(calls: Path, words: str) -> int:
    return calls.read_text().count(words)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("name", "given"), [("op", "ops_canary73"), ("op", "master-canary-72"), ("bw", "master-canary-72")]
)
async def test_a_login_of_another_program_is_offered_and_fetched_for_one_use(
    store: Store, tmp_path: Path, calls: Path, caplog: pytest.LogCaptureFixture, name: str, given: str
) -> None:
    caplog.set_level(logging.DEBUG)
    data = tmp_path / "data"
    vault = TestedVault(store, data, sources=[OnePassword(), Bitwarden()])
    assert await vault.offered("shop.example") == []
    with pytest.raises(BadRequest):
        await vault.book.unlock(name, "ops_wrong" if given.startswith("ops_") else "wrong")
    await vault.book.unlock(name, given)
    offers = await vault.vault.offers("shop.example", RUN)
    assert [(offer.title, offer.account, offer.has_code) for offer in offers] == [
        ("Shop", "a...@mail.example", True)
    ]
    assert await vault.offered("unrelated.example") == []
    values = await vault.vault.values(offers[0].id, "shop.example", RUN)
    password = 'pass-canary-71, "x"' if name == "op" else "pass-canary-71"
    assert values == LoginValues("ada@mail.example", password)
    assert (await vault.vault.code(offers[0].id, "shop.example", RUN)).value == "287082"
    await vault.vault.allow(offers[0].id, "session", RUN)
    await vault.book.lock(name)
    with pytest.raises(VaultLocked):
        await vault.vault.values(offers[0].id, "shop.example", RUN)
    assert in_files(data, calls) == []
    assert not any(canary in caplog.text for canary in CANARIES)


async def test_lists_are_read_again_after_their_time_and_keep_grants(
    store: Store, tmp_path: Path, calls: Path
) -> None:
    clock = Clock()
    vault = TestedVault(store, tmp_path / "data", sources=[OnePassword(clock=clock)])
    await vault.book.unlock("op", "ops_canary73")
    for passed in (0, LISTED_SECONDS - 1, 2):
        clock.now += passed
        (offer,) = await vault.vault.offers("shop.example", RUN)
        await vault.vault.allow(offer.id, "session", RUN)
    assert count_in(calls, "item list") == 2
    assert offer.grant == "session"
    (row,) = await vault.rows.all()
    assert row.hosts == ["www.shop.example", "pay.other.example"]
    with pytest.raises(BadRequest) as kept:
        await vault.book.unlock("other", "x")
    assert kept.value.detail == "There is no source other."


async def test_an_item_that_is_gone_there_is_gone_here(store: Store, tmp_path: Path, calls: Path) -> None:
    clock, listed = (
        Clock(),
        ['[{"id":"a","title":"A","vault":{"id":"v"},"urls":[{"href":"a.example"}]}]', "[]"],
    )

    async def run(command: Sequence[str], environment: Mapping[str, str], given: str = "") -> str:
        return listed.pop(0) if "list" in command else ""

    vault = TestedVault(store, tmp_path / "data", sources=[OnePassword(run, clock)])
    await vault.book.unlock("op", "ops_x")
    (offer,) = await vault.vault.offers("a.example", RUN)
    clock.now += LISTED_SECONDS
    assert await vault.offered("a.example") == []
    with pytest.raises(LoginGone):
        await vault.vault.values(offer.id, "a.example", RUN)


async def test_the_session_of_bitwarden_is_forgotten_after_rest(
    store: Store, tmp_path: Path, calls: Path
) -> None:
    clock = Clock()
    source = Bitwarden(clock=clock)
    vault = TestedVault(store, tmp_path / "data", sources=[source])
    await vault.book.unlock("bw", "master-canary-72")
    (offer,) = await vault.vault.offers("shop.example", RUN)
    clock.now += REST_SECONDS - 1
    await vault.vault.values(offer.id, "shop.example", RUN)
    clock.now += REST_SECONDS + 1
    with pytest.raises(VaultLocked):
        await vault.vault.values(offer.id, "shop.example", RUN)
    assert source.secret == ""
    narrow = [row for row in await vault.rows.all() if row.title == "Narrow"]
    assert [row.exact for row in narrow] == [True]


async def test_what_another_program_keeps_is_not_changed_here(
    store: Store, tmp_path: Path, calls: Path
) -> None:
    vault = TestedVault(store, tmp_path / "data", sources=[OnePassword()])
    await vault.book.unlock("op", "ops_canary73")
    (offer,) = await vault.vault.offers("shop.example", RUN)
    with pytest.raises(Exception, match="kept by op"):
        await vault.book.change(offer.id, LoginChange(password="x"))
    assert (await vault.book.change(offer.id, LoginChange(title="Mine"))).title == "Mine"


@pytest.mark.parametrize("program", ["exit 1", "kill -9 $$", "sleep 60"])
async def test_a_program_that_fails_or_hangs_is_ended_and_never_quoted(tmp_path: Path, program: str) -> None:
    file, alive = tmp_path / "op", tmp_path / "pid"
    file.write_text(
        f"#!/bin/sh\necho $$ > {alive}\necho pass-canary-71\n{program.replace('sleep', 'exec sleep')}\n"
    )
    file.chmod(0o700)
    with pytest.raises(SourceFailed) as failed:
        await run_program([str(file)], {}, seconds=1.0)
    assert "canary" not in failed.value.detail
    pid = alive.read_text().strip()
    await eventually(lambda: not Path(f"/proc/{pid}").exists(), message="the program has ended")


async def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed):
        await run_program([str(tmp_path / "op")], {})
