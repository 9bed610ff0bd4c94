"""Which login is given to whom, what can be read without the key, and what rotation leaves behind."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, update

from server.agent.logins import (
    CodeNotReady,
    LoginEvent,
    LoginGone,
    LoginValues,
    RunOfLogin,
    SeenLogin,
    VaultLocked,
)
from server.database.models import LoginRow
from server.errors import BadRequest, Conflict
from server.extras.vault.book import LoginChange
from server.extras.vault.codes import code_at, read_seed
from server.extras.vault.key_ring import KeyLost, KeyRing
from server.extras.vault.rotating import rotate
from server.extras.vault.sealed import LoginSecret
from server.extras.vault.sites import read_host
from server.settings import Settings
from server.store import Store
from tests.support.databases import open_store
from tests.support.migrated import create_migrated
from tests.support.vaults import ADA, RUN, SEED, TestedVault

PASSPHRASE = "eleven green bottles"
SETTINGS = {"_env_file": None, "auth_token": "x"}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    create_migrated(tmp_path / "pilothouse.db")
    async with open_store(f"sqlite:///{tmp_path}/pilothouse.db") as store:
        yield store


@pytest.fixture
def vault(store: Store, tmp_path: Path) -> TestedVault:
    return TestedVault(store, tmp_path)


@pytest.mark.parametrize(
    ("hosts", "exact", "fitting", "other"),
    [
        (["shop.example"], False, ["shop.example", "www.shop.example"], ["shop-example.com", "shop.example.evil.io"]),
        (["www.shop.example"], True, ["www.shop.example"], ["shop.example", "m.shop.example"]),
        (["shop.example:8443"], False, ["shop.example:8443"], ["shop.example", "shop.example:8444"]),
        (["192.168.1.5"], False, ["192.168.1.5"], ["192.168.1.6", "1.5", "192.168.1.5:81"]),
        (["a.github.io"], False, ["a.github.io", "x.a.github.io"], ["b.github.io", "github.io"]),
        (["localhost:3000"], False, ["localhost:3000"], ["localhost", "localhost:3001"]),
        (["straße.example"], False, ["xn--strae-oqa.example"], ["strasse.example"]),
        (["shop.example", "pay.other.example"], True, ["shop.example", "pay.other.example"], ["other.example"]),
        (["shop.example", "pay.other.example"], False, ["www.shop.example", "pay.other.example"], ["other.example", "www.other.example"]),
        (["https://[2001:db8::1]/login"], False, ["[2001:db8::1]"], ["[2001:db8::2]"]),
    ],
)  # fmt: skip
async def test_a_login_is_offered_on_its_own_hosts_only(
    vault: TestedVault, hosts: list[str], exact: bool, fitting: list[str], other: list[str]
) -> None:
    login = await vault.add(*map(read_host, hosts), exact=exact, title="mine")
    for host in fitting:
        assert await vault.offered(host) == ["mine"], host
        assert (await vault.vault.values(login, host, RUN)).password == ADA.password
    for host in other:
        assert await vault.offered(host) == [], host
        with pytest.raises(LoginGone):
            await vault.vault.values(login, host, RUN)
        with pytest.raises(LoginGone):
            await vault.vault.code(login, host, RUN)


async def test_an_offer_says_which_account_and_no_more(vault: TestedVault) -> None:
    await vault.add("shop.example")
    offers = [(await vault.vault.offers(host, RUN))[0] for host in ("shop.example", "www.shop.example")]
    assert [offer.is_exact_host for offer in offers] == [True, False]
    assert (offers[0].account, offers[0].has_code, offers[0].grant) == ("a...@mail.example", True, "ask")
    assert ADA.password not in repr(offers)
    assert ADA.user not in repr(offers)


@pytest.mark.parametrize("text", ["", "http://", "file:///etc/passwd", "a b.example", "javascript:alert(1)"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(BadRequest):
        read_host(text)


async def write(vault: TestedVault, login_id: str, values: dict[str, object]) -> None:
    """As a person who can write to the database does."""

    def change(db: Connection) -> None:
        db.execute(update(LoginRow).where(LoginRow.id == login_id).values(**values))

    await vault.rows.database.write(change)


async def test_rows_cannot_take_the_place_of_each_other(vault: TestedVault) -> None:
    good = await vault.add("bank.example", title="bank")
    own = await vault.add("evil.example", secret=LoginSecret("mallory", "own"), title="evil")
    row = await vault.rows.find(good)
    assert row
    changes: list[tuple[str, dict[str, object]]] = [
        (own, {"cipher": row.cipher}),
        (good, {"hosts": ["evil.example"], "site": "evil.example"}),
        (good, {"hosts": ["bank.example", "evil.example"]}),
        (good, {"source": "op", "source_ref": "v/i"}),
    ]
    for login_id, values in changes:
        former = await vault.rows.find(login_id)
        await write(vault, login_id, values)
        for host in ("bank.example", "evil.example"):
            with pytest.raises(LoginGone):
                await vault.vault.values(login_id, host, RUN)
        await write(vault, login_id, {name: getattr(former, name) for name in values})
    assert (await vault.vault.values(good, "bank.example", RUN)).password == ADA.password


async def test_a_grant_holds_for_its_session_or_automation_only(vault: TestedVault) -> None:
    login = await vault.add("shop.example")
    timed = RunOfLogin("s2", "r2", "a1")

    async def grant(run: RunOfLogin) -> str:
        return (await vault.vault.offers("shop.example", run))[0].grant

    await vault.vault.allow(login, "session", RUN)
    assert [await grant(run) for run in (RUN, timed)] == ["session", "ask"]
    await vault.vault.allow(login, "automation", timed)
    assert await grant(RunOfLogin("s9", "r9", "a1")) == "automation"
    with pytest.raises(LoginGone):
        await vault.vault.allow(login, "automation", RUN)
    await vault.book.change(login, LoginChange(sessions=[], automations=[]))
    assert [await grant(run) for run in (RUN, timed)] == ["ask", "ask"]
    assert [row.event for row in await vault.rows.log(login, None, 10)] == [
        "changed", "allowed", "allowed", "added",
    ]  # fmt: skip


async def test_no_code_is_given_twice_or_in_its_last_seconds(store: Store, tmp_path: Path) -> None:
    moment = 1_000_000_000.0  # 10 s into a period
    vault = TestedVault(store, tmp_path, clock=lambda: moment)
    login = await vault.add("shop.example")
    first = await vault.vault.code(login, "shop.example", RUN)
    assert (first.value, first.seconds_left) == (code_at(SEED, moment), 20)
    assert first.value not in repr(first)
    with pytest.raises(CodeNotReady):
        await vault.vault.code(login, "shop.example", RUN)
    moment += 47  # 3 s before the end of the next period
    with pytest.raises(CodeNotReady) as late:
        await vault.vault.code(login, "shop.example", RUN)
    assert late.value.seconds == 3
    moment += 3
    assert (await vault.vault.code(login, "shop.example", RUN)).value != first.value


@pytest.mark.parametrize(
    ("seed", "moment", "code"),
    [
        (SEED, 59, "287082"),
        ("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", 59, "287082"),
        (f"otpauth://totp/x?secret={SEED}&digits=8", 1111111109, "07081804"),
        (f"otpauth://totp/x?secret={SEED}GEZDGNBVGY3TQOJQGEZA&digits=8&algorithm=SHA256", 59, "46119246"),
    ],
)
def test_codes_are_those_of_the_standard(seed: str, moment: int, code: str) -> None:
    assert code_at(read_seed(seed), moment) == code


@pytest.mark.parametrize(
    "seed",
    ["!", "12345", f"otpauth://hotp/x?secret={SEED}&counter=1", f"otpauth://totp/x?secret={SEED}&digits=4",
     f"otpauth://totp/x?secret={SEED}&period=0", "otpauth://totp/x", "https://shop.example/"],
)  # fmt: skip
def test_what_is_no_seed_is_refused(seed: str) -> None:
    with pytest.raises(BadRequest):
        read_seed(seed)


async def test_a_login_seen_in_a_take_over_is_kept_changed_or_never_offered(vault: TestedVault) -> None:
    seen = SeenLogin("www.shop.example", LoginValues("ada", "one"))
    assert await vault.vault.is_new(seen) == "new"
    await vault.vault.save(seen, "s1")
    assert await vault.vault.is_new(seen) == ""
    changed = SeenLogin("shop.example", LoginValues("Ada", "two"))
    assert await vault.vault.is_new(changed) == "changed"
    await vault.vault.save(changed, "s1")
    (row,) = await vault.rows.all()
    assert (await vault.vault.values(row.id, "shop.example", RUN)).password == "two"
    await vault.vault.never_offer("www.shop.example")
    assert await vault.vault.is_new(SeenLogin("shop.example", LoginValues("eve", "x"))) == ""
    assert await vault.vault.is_new(SeenLogin("other.example", LoginValues("eve", "x"))) == "new"


async def test_the_mask_of_a_session_is_filled_again_from_the_log(vault: TestedVault) -> None:
    login = await vault.add("shop.example")
    await vault.add("other.example", secret=LoginSecret("bob", "other"))
    await vault.vault.record(LoginEvent("filled", login, "shop.example", RUN, ("user", "password")))
    assert await vault.vault.filled("s1") == [LoginValues(ADA.user, ADA.password)]
    assert await vault.vault.filled("s2") == []
    (row,) = [row for row in await vault.rows.all() if row.id == login]
    assert row.uses == 1
    assert row.last_used_at is not None


async def test_the_key_is_never_made_anew_while_there_are_logins(vault: TestedVault, store: Store) -> None:
    login = await vault.add("shop.example")
    key = vault.file.read_text()
    vault.file.unlink()
    for attempt in (vault.offered("shop.example"), vault.add("b.example")):
        with pytest.raises(KeyLost):
            await attempt
    assert not vault.file.exists()
    assert (await vault.book.state())[0] == "key_lost"
    await vault.book.remove(login)
    await vault.add("c.example")
    assert vault.file.read_text() != key
    assert vault.file.stat().st_mode & 0o777 == 0o600


async def test_a_passphrase_locks_it_until_it_is_given(store: Store, tmp_path: Path) -> None:
    vault = TestedVault(store, tmp_path, wants_lock=True)
    assert (await vault.book.state())[0] == "new_passphrase"
    with pytest.raises(VaultLocked):
        await vault.add("shop.example")
    with pytest.raises(BadRequest):
        await vault.book.unlock("local", "short")
    await vault.book.unlock("local", PASSPHRASE)
    login = await vault.add("shop.example")

    restarted = TestedVault(store, tmp_path, wants_lock=True)
    assert (await restarted.book.state())[0] == "locked"
    assert [(one.row.title, one.secret) for one in await restarted.book.logins()] == [("shop.example", None)]
    assert await restarted.offered("nothing.example") == []
    for attempt in (restarted.offered("shop.example"), restarted.vault.values(login, "shop.example", RUN)):
        with pytest.raises(VaultLocked):
            await attempt
    with pytest.raises(BadRequest):
        await restarted.book.unlock("local", "another passphrase")
    await restarted.book.unlock("local", PASSPHRASE)
    assert (await restarted.vault.values(login, "shop.example", RUN)).password == ADA.password
    await restarted.book.lock("local")
    with pytest.raises(VaultLocked):
        await restarted.offered("shop.example")


async def test_the_lock_is_put_on_and_taken_off_by_the_setting(store: Store, tmp_path: Path) -> None:
    plain = TestedVault(store, tmp_path)
    await plain.add("shop.example")
    with pytest.raises(Conflict):
        await plain.book.lock("local")
    locked = TestedVault(store, tmp_path, wants_lock=True)
    with pytest.raises(VaultLocked):
        await locked.offered("shop.example")
    await locked.book.unlock("local", PASSPHRASE)
    assert await locked.offered("shop.example") == ["shop.example"]
    plain_again = TestedVault(store, tmp_path)
    with pytest.raises(VaultLocked):
        await plain_again.offered("shop.example")
    await plain_again.book.unlock("local", PASSPHRASE)
    assert await TestedVault(store, tmp_path).offered("shop.example") == ["shop.example"]


async def test_processes_unlock_and_lock_together(store: Store, tmp_path: Path) -> None:
    first, second = (TestedVault(store, tmp_path, wants_lock=True) for _ in range(2))
    sent = list[bytes]()
    takes_first, takes_second = first.book.share(sent.append), second.book.share(sent.append)
    sent.clear()
    await first.book.unlock("local", PASSPHRASE)
    await first.add("shop.example")
    assert all(PASSPHRASE.encode() not in message and b"wrapping" not in message for message in sent)
    takes_second(sent.pop())
    await second.book.settle()
    assert await second.offered("shop.example") == ["shop.example"]
    late = TestedVault(store, tmp_path, wants_lock=True)
    takes_late = late.book.share(sent.append)  # asks
    takes_first(sent.pop())
    await first.book.settle()
    takes_late(sent.pop())
    await late.book.settle()
    assert await late.offered("shop.example") == ["shop.example"]
    await first.book.lock("local")
    takes_second(sent.pop())
    await second.book.settle()
    with pytest.raises(VaultLocked):
        await second.offered("shop.example")


def in_folder(folder: Path, *words: str) -> list[str]:
    """Which of the words are in any file."""
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return [word for word in words if word.encode() in content]


async def test_a_stolen_folder_shows_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    create_migrated(folder / "pilothouse.db")
    settings = Settings.model_validate({**SETTINGS, "data_dir": folder})
    async with open_store(f"sqlite:///{folder}/pilothouse.db") as store:
        await TestedVault(store, folder).add("shop.example")
    stolen = tmp_path / "stolen"
    shutil.copytree(folder, stolen)
    assert in_folder(stolen, ADA.user, ADA.password, SEED) == []
    (stolen / "vault.key").rename(tmp_path / "former.key")
    async with open_store(f"sqlite:///{stolen}/pilothouse.db") as store:
        with pytest.raises(KeyLost):  # without its key file
            await TestedVault(store, stolen).offered("shop.example")
    assert await rotate(settings, lambda: "") == 1
    assert (
        in_folder(folder, ADA.user, ADA.password, SEED, (tmp_path / "former.key").read_text().strip()) == []
    )
    shutil.copy(tmp_path / "former.key", folder / "former.key")
    async with open_store(f"sqlite:///{folder}/pilothouse.db") as store:
        assert await TestedVault(store, folder).offered("shop.example") == ["shop.example"]
        former = TestedVault(store, folder)
        former.contents.keys = KeyRing(
            folder / "former.key", wants_lock=False
        )  # after rotate, the former key
        assert await former.offered("shop.example") == []
    locked = settings.model_copy(update={"vault_lock": True})
    async with open_store(f"sqlite:///{folder}/pilothouse.db") as store:
        vault = TestedVault(store, folder, wants_lock=True)
        key = vault.file.read_text().strip()
        await vault.book.unlock("local", PASSPHRASE)
        assert in_folder(folder, key) == []  # with a passphrase, and with it after rotate
    assert await rotate(locked, lambda: PASSPHRASE) == 1
    async with open_store(f"sqlite:///{folder}/pilothouse.db") as store:
        vault = TestedVault(store, folder, wants_lock=True)
        with pytest.raises(VaultLocked):
            await vault.offered("shop.example")
        await vault.book.unlock("local", PASSPHRASE)
        assert await vault.offered("shop.example") == ["shop.example"]


@pytest.mark.parametrize("steps", range(4))
async def test_a_rotation_that_ends_early_leaves_all_readable(
    store: Store, tmp_path: Path, steps: int
) -> None:
    vault = TestedVault(store, tmp_path)
    for number in range(3):
        await vault.add(f"shop{number}.example", title=f"shop {number}")
    rotating = KeyRing(vault.file, wants_lock=False)
    if steps > 0:
        rotating.add_key()
    if steps > 1:
        await vault.rows.encrypt_anew(rotating.fernet().rotate)
    if steps > 2:
        rotating.drop_old_keys()
    after = TestedVault(store, tmp_path)
    assert [await after.offered(f"shop{number}.example") for number in range(3)] == [
        ["shop 0"], ["shop 1"], ["shop 2"],
    ]  # fmt: skip
    assert [await vault.offered(f"shop{number}.example") for number in range(3)] == [
        ["shop 0"], ["shop 1"], ["shop 2"],
    ]  # fmt: skip
