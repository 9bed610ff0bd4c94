"""The logins with what is in them: the only place that seals and opens them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence

from server.agent.logins import VaultLocked
from server.browser.sites import fits, site_of_host
from server.database.models import LoginRow
from server.errors import AppError, Conflict
from server.events import now
from server.extras.vault.key_ring import KeyRing
from server.extras.vault.sealed import LoginSecret, seal, unseal
from server.extras.vault.sources import ListedLogin, LoginProgram
from server.extras.vault.storage import LoginStore, log_row
from server.store.records import new_id

log = logging.getLogger(__name__)

MAX_TITLE = 200


class Contents:
    """Shared by what agents and what the person do. All methods raise VaultLocked where values are needed."""

    def __init__(self, store: LoginStore, keys: KeyRing, sources: Sequence[LoginProgram]) -> None:
        self.store = store
        self.keys = keys
        self.sources: dict[str, LoginProgram] = {source.name: source for source in sources}
        self.using_keys = asyncio.Lock()
        """`keys` are for one thread at a time."""

    async def open(self, row: LoginRow) -> LoginSecret:
        """Raises Conflict if the row was changed outside of the vault."""
        async with self.using_keys:
            return await asyncio.to_thread(lambda: unseal(row, self.keys.fernet().decrypt))

    async def open_all(self, rows: Sequence[LoginRow]) -> list[tuple[LoginRow, LoginSecret]]:
        """Those that can be opened: one that was changed outside keeps none of the others."""

        def opened() -> list[tuple[LoginRow, LoginSecret]]:
            decrypt, found = self.keys.fernet().decrypt, list[tuple[LoginRow, LoginSecret]]()
            for row in rows:
                try:
                    found.append((row, unseal(row, decrypt)))
                except Conflict as error:
                    log.warning("%s", error.detail)
            return found

        async with self.using_keys:
            return await asyncio.to_thread(opened) if rows else []

    async def seal(self, rows: Iterable[tuple[LoginRow, LoginSecret]]) -> None:
        """Set the rows' ciphers. The key file is made where it may be."""
        has_logins = await self.store.has_any()

        def sealed() -> None:
            self.keys.ensure(has_logins=has_logins)
            encrypt = self.keys.fernet().encrypt
            for row, secret in rows:
                row.cipher = seal(row, secret, encrypt)

        async with self.using_keys:
            await asyncio.to_thread(sealed)

    async def add(self, logins: Sequence[tuple[LoginRow, LoginSecret]], event: str, host: str) -> None:
        await self.seal(logins)
        rows = [row for row, _ in logins]
        only = rows[0] if len(rows) == 1 else None
        reason = "" if only else str(len(rows))
        await self.store.add(rows, log_row(event, "person", only, host=host, reason=reason))

    async def near(self, host: str) -> list[LoginRow]:
        """Those that fit the host, those of this very host first."""
        rows = await self.store.near(site_of_host(host), host)
        fitting = [row for row in rows if fits(host, tuple(row.hosts), exact=row.exact)]
        return sorted(fitting, key=lambda row: host not in row.hosts)

    async def read_sources(self, host: str) -> None:
        """Bring what unlocked sources list for the host into the table. One that fails is logged and left out."""
        for source in self.sources.values():
            if not source.secret:
                continue
            try:
                listed = await source.listed(f"https://{host}")
                if listed:
                    await self._keep_listed(source, *listed)
            except VaultLocked:
                raise
            except AppError as error:
                log.warning("%s", error.detail)

    async def _keep_listed(self, source: LoginProgram, items: Sequence[ListedLogin], is_all: bool) -> None:
        ids = await self.store.ids_of(source.name)
        logins = [
            (
                new_row(
                    item.hosts,
                    item.title,
                    id=ids.get(item.ref),
                    exact=item.exact,
                    source=source.name,
                    ref=item.ref,
                ),
                LoginSecret(item.user, has_code=item.has_code),
            )
            for item in items
        ]
        if logins:
            await self.seal(logins)
        listed = {item.ref for item in items} if is_all else None
        await self.store.keep_listed(source.name, [row for row, _ in logins], listed)


def new_row(
    hosts: Sequence[str], title: str, *, id: str | None = None, exact: bool = False, source: str = "local",
    ref: str | None = None,
) -> LoginRow:  # fmt: skip
    """Without its cipher."""
    return LoginRow(
        id=id or new_id(), site=site_of_host(hosts[0]), hosts=list(hosts), exact=exact, title=title[:MAX_TITLE] or hosts[0],
        source=source, source_ref=ref, grant={}, created_at=now(), uses=0,
    )  # fmt: skip
