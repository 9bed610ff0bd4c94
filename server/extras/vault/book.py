"""What the person does with the logins: add, change, import, export; unlock and lock; read the log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from server.agent.logins import VaultLocked
from server.browser.sites import site_of_host
from server.database.models import LoginRow, VaultLogRow
from server.errors import BadRequest, Conflict, NotFound
from server.extras.vault.codes import read_seed
from server.extras.vault.contents import MAX_TITLE, Contents, new_row
from server.extras.vault.key_ring import KeyLost
from server.extras.vault.sealed import LoginSecret
from server.extras.vault.sources import SERVICE_TOKEN, LoginProgram
from server.extras.vault.storage import log_row
from server.extras.vault.transfer import FileKind, FileLogin, read_file, write_own, write_plain
from server.fs.secret_box import SecretBox, SecretLost
from server.store import Store
from wording.catalogue import sentence

VaultState = Literal["open", "locked", "new_passphrase", "key_lost"]
RowState = Literal["new", "known", "changed", "no_host", "no_password"]
OP_TOKEN = "vault.op"
"""Under which the token of a service account is stored, as provider keys are."""
ASK = b"?"
LOCK = b"!"


@dataclass(frozen=True, slots=True)
class ListedRow:
    """`secret` is None where it cannot be opened now."""

    row: LoginRow
    secret: LoginSecret | None


@dataclass(frozen=True, slots=True)
class ImportRow:
    """What would become, or has become, of one row of a file; `row` counts from 1."""

    row: int
    login: FileLogin
    state: RowState


@dataclass(frozen=True, slots=True)
class LoginChange:
    """What is None stays as it is."""

    title: str | None = None
    hosts: Sequence[str] | None = None
    exact: bool | None = None
    user: str | None = None
    password: str | None = None
    totp: str | None = None
    sessions: Sequence[str] | None = None
    automations: Sequence[str] | None = None

    @property
    def is_of_contents(self) -> bool:
        """Whether what is encrypted changes."""
        of_contents = (self.hosts, self.exact, self.user, self.password, self.totp)
        return any(value is not None for value in of_contents)


class LoginBook:
    """`boxed` encrypts what this process shares with others, and the token of a service account."""

    def __init__(self, contents: Contents, server: Store, boxed: SecretBox) -> None:
        self._contents = contents
        self._store = contents.store
        self._server = server
        self._box = boxed
        self._broadcast: Callable[[bytes], None] = lambda _: None
        self._tasks: set[asyncio.Task[None]] = set()

    # Reading

    async def logins(self) -> list[ListedRow]:
        rows = await self._store.all()
        try:
            opened = {row.id: secret for row, secret in await self._contents.open_all(rows)}
        except VaultLocked:
            opened = {}
        return [ListedRow(row, opened.get(row.id)) for row in rows]

    async def names(self) -> tuple[dict[str, str], dict[str, str]]:
        return await self._store.names()

    async def log(self, login_id: str | None, before: str | None, most: int) -> list[VaultLogRow]:
        return await self._store.log(login_id, before, most)

    async def state(self) -> tuple[VaultState, str]:
        """How it is, and why it cannot be read if its key is lost."""
        has_logins = await self._store.has_any()
        keys = self._contents.keys

        def found() -> VaultState:
            if keys.needs_passphrase:
                return "locked" if keys.has_passphrase else "new_passphrase"
            if has_logins:
                keys.fernet()
            return "open"

        try:
            async with self._contents.using_keys:
                return await asyncio.to_thread(found), ""
        except KeyLost as lost:
            return "key_lost", lost.why

    @property
    def sources(self) -> Sequence[LoginProgram]:
        return tuple(self._contents.sources.values())

    # Changing

    async def add(self, hosts: Sequence[str], title: str, secret: LoginSecret, *, exact: bool) -> LoginRow:
        row = new_row(hosts, title.strip(), exact=exact)
        kept = LoginSecret(
            secret.user.strip(), secret.password, read_seed(secret.totp), bool(secret.totp.strip())
        )
        await self._contents.add([(row, kept)], "added", hosts[0])
        return row

    async def change(self, login_id: str, changed: LoginChange) -> LoginRow:
        """Raises NotFound, BadRequest; Conflict for contents that another program keeps."""
        row = await self._store.find(login_id)
        if row is None:
            raise NotFound(sentence("login.gone"), code="login_unknown")
        values: dict[str, object] = {}
        if changed.title is not None:
            values["title"] = changed.title.strip()[:MAX_TITLE] or row.hosts[0]
        granted = {"sessions": changed.sessions, "automations": changed.automations}
        if grant := {name: list(ids) for name, ids in granted.items() if ids is not None}:
            values["grant"] = {**row.grant, **grant}
        if changed.is_of_contents:
            values |= await self._changed_contents(row, changed)
        if not values:
            return row
        names = sorted({"grant", "title", "hosts", "exact"} & values.keys()) + ["contents"] * (
            "cipher" in values
        )
        event = log_row("changed", "person", row, host=row.hosts[0], fields=names)
        return await self._store.change(login_id, event, **values)

    async def _changed_contents(self, row: LoginRow, changed: LoginChange) -> dict[str, object]:
        if row.source != "local":
            raise Conflict(sentence("vault.kept_elsewhere", source=row.source), code="kept_elsewhere")
        secret = await self._contents.open(row)
        hosts = list(changed.hosts) if changed.hosts else row.hosts
        row.hosts, row.site = hosts, site_of_host(hosts[0])
        row.exact = row.exact if changed.exact is None else changed.exact
        totp = secret.totp if changed.totp is None else read_seed(changed.totp)
        kept = LoginSecret(
            secret.user if changed.user is None else changed.user.strip(),
            secret.password if changed.password is None else changed.password, totp, bool(totp),
        )  # fmt: skip
        await self._contents.seal([(row, kept)])
        return {"hosts": row.hosts, "site": row.site, "exact": row.exact, "cipher": row.cipher}

    async def remove(self, login_id: str) -> None:
        row = await self._store.find(login_id)
        if row is None:
            raise NotFound(sentence("login.gone"), code="login_unknown")
        await self._store.remove(login_id, log_row("deleted", "person", row, host=row.hosts[0]))

    # Files

    async def read_import(self, text: str, passphrase: str) -> tuple[FileKind, list[ImportRow]]:
        """What a file has, compared with what is there. Nothing is kept."""
        kind, found = await asyncio.to_thread(read_file, text, passphrase)
        known = {
            (row.site, secret.user.casefold()): secret
            for row, secret in await self._contents.open_all(await self._store.all())
            if row.source == "local"
        }
        rows = list[ImportRow]()
        for number, login in enumerate(found, start=1):
            state = _state_of(login, known)
            if login.hosts and login.password:
                known[_key_of(login)] = LoginSecret(login.user, login.password)
            rows.append(ImportRow(number, login, state))
        return kind, rows

    async def keep_import(self, rows: Sequence[ImportRow], *, replace: bool) -> int:
        """Add the new ones, and with `replace` change those whose password is another one. Returns how many."""
        new = [
            (new_row(login.hosts, login.title, exact=login.exact), _secret_of(login))
            for login in (one.login for one in rows if one.state == "new")
        ]
        if new:
            await self._contents.add(new, "imported", "")
        changed = [one.login for one in rows if one.state == "changed"] if replace else []
        if changed:
            opened = await self._contents.open_all(await self._store.all())
            ids = {
                (row.site, secret.user.casefold()): row.id for row, secret in opened if row.source == "local"
            }
            for login in changed:
                await self.change(
                    ids[_key_of(login)], LoginChange(password=login.password, totp=login.totp or None)
                )
        return len(new) + len(changed)

    async def export(self, passphrase: str | None) -> str:
        """All local logins as a file; without a passphrase as plain text. Logged, and announced by all channels."""
        opened = await self._contents.open_all(
            [row for row in await self._store.all() if row.source == "local"]
        )
        if not opened:
            raise Conflict(sentence("vault.nothing"), code="no_logins")
        logins = [
            FileLogin(row.title, tuple(row.hosts), secret.user, secret.password, secret.totp, row.exact)
            for row, secret in opened
        ]
        if passphrase is None:
            text = write_plain(logins)
        else:
            text = await asyncio.to_thread(write_own, logins, passphrase)
        # First what has happened, then the file: no file leaves without it.
        form = "plain" if passphrase is None else "passphrase"
        await self._store.record(log_row("exported", "person", reason=f"{form}, {len(logins)}"))
        plain, sealed = sentence("vault.exported_plain"), sentence("vault.exported")
        await self._server.put_notice(plain if passphrase is None else sealed)
        return text

    # Unlocking

    async def open_stored_token(self) -> None:
        """Use the stored token of a service account, if there is one that can be read."""
        if stored := await self._server.secret(OP_TOKEN):
            with suppress(SecretLost):  # it is asked for again
                self._contents.sources["op"].secret = (await self._box.decrypt(stored)).decode()

    async def unlock(self, source: str, given: str) -> None:
        """Raises BadRequest if it is not accepted, Conflict where there is no lock."""
        if source == "local":
            has_logins, keys = await self._store.has_any(), self._contents.keys
            async with self._contents.using_keys:
                await asyncio.to_thread(keys.unlock, given, has_logins=has_logins)
        else:
            unlocked = self._source(source)
            await unlocked.unlock(given)
            if given.startswith(SERVICE_TOKEN):
                former = await self._server.secret(OP_TOKEN)
                await self._server.put_secret(OP_TOKEN, await self._box.encrypt(given.encode()), former)
        await self._store.record(log_row("unlocked", "person", reason=source))
        await self._share_state()

    async def lock(self, source: str) -> None:
        if source == "local":
            async with self._contents.using_keys:
                await asyncio.to_thread(self._contents.keys.lock)
        else:
            self._source(source).secret = ""
            if source == "op":
                await self._server.remove_secret(OP_TOKEN)
        await self._store.record(log_row("locked", "person", reason=source))
        self._broadcast(LOCK + source.encode())

    def _source(self, name: str) -> LoginProgram:
        if name not in self._contents.sources:
            raise BadRequest(sentence("vault.unknown_source", source=name))
        return self._contents.sources[name]

    # Several processes

    def share(self, broadcast: Callable[[bytes], None]) -> Callable[[bytes], None]:
        """Unlock together with other processes: what was given to one reaches all, encrypted and on no disk."""
        self._broadcast = broadcast
        broadcast(ASK)
        return self._receive

    def _receive(self, sent: bytes) -> None:
        task = asyncio.get_running_loop().create_task(self._take(sent))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until what was received is taken."""
        await asyncio.gather(*self._tasks)

    async def _take(self, sent: bytes) -> None:
        keys, sources = self._contents.keys, self._contents.sources
        if sent == ASK:
            return await self._share_state()
        if sent.startswith(LOCK):
            name = sent.removeprefix(LOCK).decode()
            if name in sources:
                sources[name].secret = ""
            else:
                keys.forget()
            return None
        try:
            state = json.loads(await self._box.decrypt(sent))
        except (SecretLost, ValueError):  # of a process with another data folder
            return None
        if state["wrapping"]:
            async with self._contents.using_keys:
                await asyncio.to_thread(keys.adopt, state["wrapping"].encode())
        for name, secret in state["sources"].items():
            if name in sources and secret:
                sources[name].secret = secret
        return None

    async def _share_state(self) -> None:
        wrapping = self._contents.keys.wrapping
        secrets = {name: source.secret for name, source in self._contents.sources.items()}
        if wrapping or any(secrets.values()):
            state = {"wrapping": wrapping.decode() if wrapping else "", "sources": secrets}
            self._broadcast(await self._box.encrypt(json.dumps(state).encode()))


def _key_of(login: FileLogin) -> tuple[str, str]:
    return site_of_host(login.hosts[0]), login.user.casefold()


def _secret_of(login: FileLogin) -> LoginSecret:
    return LoginSecret(login.user, login.password, login.totp, bool(login.totp))


def _state_of(login: FileLogin, known: dict[tuple[str, str], LoginSecret]) -> RowState:
    if not login.hosts:
        return "no_host"
    if not login.password:
        return "no_password"
    same = known.get(_key_of(login))
    if same is None:
        return "new"
    return "known" if same.password == login.password else "changed"
