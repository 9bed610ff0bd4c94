"""What agents are given of the logins: the values of one for one fill, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Literal

from server.agent.logins import (
    MIN_CODE_SECONDS,
    CodeNotReady,
    LoginCode,
    LoginEvent,
    LoginGone,
    LoginGrant,
    LoginOffer,
    LoginValues,
    RunOfLogin,
    SeenLogin,
    VaultLocked,
)
from server.browser.sites import fits, site_of_host
from server.database.models import LoginRow
from server.errors import Conflict, NotFound
from server.extras.vault.codes import CODE_PERIOD, code_at, period_at, period_of
from server.extras.vault.contents import Contents, new_row
from server.extras.vault.sealed import LoginSecret
from server.extras.vault.sources import SourceFailed
from server.extras.vault.storage import NEVER_OFFER, log_row
from wording.catalogue import sentence


class LoginVault:
    """Implements `server.agent.logins.Vault`. `clock` gives seconds since 1970, by which codes are made."""

    def __init__(self, contents: Contents, clock: Callable[[], float] = time.time) -> None:
        self._contents = contents
        self._store = contents.store
        self._clock = clock

    async def offers(self, host: str, run: RunOfLogin) -> Sequence[LoginOffer]:
        await self._contents.read_sources(host)
        opened = await self._contents.open_all(await self._contents.near(host))
        return [_offer(row, secret, host, run) for row, secret in opened]

    async def values(self, login_id: str, host: str, run: RunOfLogin) -> LoginValues:
        row = await self._fitting(login_id, host)
        try:
            return await self._values(row)
        except (Conflict, SourceFailed) as error:
            raise LoginGone(error.detail) from None

    async def code(self, login_id: str, host: str, run: RunOfLogin) -> LoginCode:
        row = await self._fitting(login_id, host)
        try:
            secret = await self._contents.open(row)
            seconds = period_of(secret.totp) if secret.totp else CODE_PERIOD
            source = self._contents.sources.get(row.source)
            if not secret.totp and source is None:
                raise LoginGone(sentence("vault.no_code", title=row.title))
            fetched = "" if source is None else await source.code(row.source_ref or "")
        except (Conflict, SourceFailed) as error:
            raise LoginGone(error.detail) from None
        moment = self._clock()
        left = seconds - moment % seconds
        is_fresh = left >= MIN_CODE_SECONDS
        if not is_fresh or not await self._store.take_period(row.id, period_at(moment, seconds)):
            raise CodeNotReady(left)
        return LoginCode(fetched or code_at(secret.totp, moment), left)

    async def allow(self, login_id: str, grant: LoginGrant, run: RunOfLogin) -> None:
        kind, allowed = _grant_of(grant, run)
        row = await self._store.find(login_id)
        if row is None or allowed is None or grant == "ask":
            raise LoginGone(sentence("login.gone"))
        event = log_row(
            "allowed", "person", row, session_id=run.session_id, run_id=run.run_id, reason=grant
        )  # fmt: skip
        try:
            await self._store.grant(login_id, kind, allowed, event)
        except NotFound as error:
            raise LoginGone(error.detail) from None

    async def record(self, event: LoginEvent) -> None:
        row = await self._store.find(event.login_id)
        logged = log_row(
            event.kind, "agent", row, host=event.host, fields=event.fields, session_id=event.run.session_id,
            run_id=event.run.run_id, reason=event.reason,
        )  # fmt: skip
        logged.login_id = event.login_id or None
        await self._store.record(logged, is_use=event.kind == "filled")

    async def filled(self, session_id: str) -> Sequence[LoginValues]:
        rows = await self._store.filled_in(session_id)
        try:
            return [await self._values(row) for row in rows]
        except (Conflict, SourceFailed):
            raise VaultLocked from None  # its values cannot be masked

    async def is_new(self, seen: SeenLogin) -> Literal["new", "changed", ""]:
        if await self._store.is_declined(site_of_host(seen.host)):
            return ""
        same = await self._same_user(seen)
        if same is None:
            return "new"
        row, secret = same
        return "changed" if row.source == "local" and secret.password != seen.values.password else ""

    async def save(self, seen: SeenLogin, session_id: str) -> None:
        same, values = await self._same_user(seen), seen.values
        if same is None:
            row = new_row([seen.host], seen.host)
            await self._contents.seal([(row, LoginSecret(values.user, values.password))])
            event = log_row("saved", "person", row, host=seen.host, session_id=session_id)
            await self._store.add([row], event)
        elif same[0].source == "local":
            row, secret = same
            changed = LoginSecret(secret.user, values.password, secret.totp, secret.has_code)
            await self._contents.seal([(row, changed)])
            event = log_row("saved", "person", row, host=seen.host, session_id=session_id, reason="changed")
            await self._store.change(row.id, event, cipher=row.cipher)

    async def never_offer(self, host: str) -> None:
        await self._store.record(log_row(NEVER_OFFER, "person", host=site_of_host(host)))

    async def _fitting(self, login_id: str, host: str) -> LoginRow:
        row = await self._store.find(login_id)
        if row is None or not fits(host, tuple(row.hosts), exact=row.exact):
            raise LoginGone(sentence("login.gone"))
        return row

    async def _values(self, row: LoginRow) -> LoginValues:
        secret = await self._contents.open(row)
        source = self._contents.sources.get(row.source)
        password = secret.password if source is None else await source.password(row.source_ref or "")
        return LoginValues(secret.user, password)

    async def _same_user(self, seen: SeenLogin) -> tuple[LoginRow, LoginSecret] | None:
        user = seen.values.user.casefold()
        opened = await self._contents.open_all(await self._contents.near(seen.host))
        return next(((row, secret) for row, secret in opened if secret.user.casefold() == user), None)


def masked(user: str) -> str:
    """`a...@example.org`: enough to know which of one's own accounts it is."""
    name, at, domain = user.rpartition("@")
    return f"{(name or domain)[:1]}...{at}{domain if at else ''}" if user else ""


def _offer(row: LoginRow, secret: LoginSecret, host: str, run: RunOfLogin) -> LoginOffer:
    return LoginOffer(
        row.id, row.title, row.site, masked(secret.user), secret.has_code, grant_for(row, run), host in row.hosts
    )  # fmt: skip


def grant_for(row: LoginRow, run: RunOfLogin) -> LoginGrant:
    for grant in ("automation", "session"):
        kind, allowed = _grant_of(grant, run)
        if allowed and allowed in row.grant.get(kind, ()):
            return grant
    return "ask"


def _grant_of(grant: LoginGrant, run: RunOfLogin) -> tuple[str, str | None]:
    """Under which name a row has the ids, and the id."""
    return ("automations", run.automation_id) if grant == "automation" else ("sessions", run.session_id)
