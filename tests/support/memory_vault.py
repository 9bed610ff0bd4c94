"""A vault in memory, with the site rule of the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from server.agent.logins import (
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
from wording.catalogue import sentence


@dataclass
class Stored:
    id: str
    hosts: tuple[str, ...]
    user: str
    password: str
    codes: list[str] = field(default_factory=list)
    """Those of the next periods."""
    exact: bool = False
    allows_http: bool = False


@dataclass
class VaultInMemory:
    logins: list[Stored] = field(default_factory=list)
    is_locked: bool = False
    log: list[LoginEvent] = field(default_factory=list)
    grants: dict[tuple[str, str], LoginGrant] = field(default_factory=dict)
    """By login, and session or automation."""
    saved: list[SeenLogin] = field(default_factory=list)
    never: set[str] = field(default_factory=set)
    seconds_to_code: float = 0.0

    def _unlocked(self) -> None:
        if self.is_locked:
            raise VaultLocked

    def _fitting(self, host: str) -> list[Stored]:
        self._unlocked()
        return [one for one in self.logins if fits(host, one.hosts, exact=one.exact)]

    def _one(self, login_id: str, host: str) -> Stored:
        found = next((one for one in self._fitting(host) if one.id == login_id), None)
        if found is None:
            raise LoginGone(sentence("login.gone"))
        return found

    async def offers(self, host: str, run: RunOfLogin) -> Sequence[LoginOffer]:
        return [
            LoginOffer(
                one.id, one.hosts[0], site_of_host(one.hosts[0]), f"{one.user[:1]}...", bool(one.codes),
                self.grants.get((one.id, run.session_id)) or self.grants.get((one.id, run.automation_id or "")) or "ask",
                host in one.hosts, one.allows_http,
            )
            for one in self._fitting(host)
        ]  # fmt: skip

    async def values(self, login_id: str, host: str, run: RunOfLogin) -> LoginValues:
        found = self._one(login_id, host)
        return LoginValues(found.user, found.password)

    async def code(self, login_id: str, host: str, run: RunOfLogin) -> LoginCode:
        found = self._one(login_id, host)
        if self.seconds_to_code:
            wait, self.seconds_to_code = self.seconds_to_code, 0.0
            raise CodeNotReady(wait)
        return LoginCode(found.codes.pop(0), 20.0)

    async def allow(self, login_id: str, grant: LoginGrant, run: RunOfLogin) -> None:
        of = run.session_id if grant == "session" else run.automation_id or ""
        self.grants[login_id, of] = grant

    async def record(self, event: LoginEvent) -> None:
        self.log.append(event)

    async def filled(self, session_id: str) -> Sequence[LoginValues]:
        self._unlocked()
        ids = {one.login_id for one in self.log if one.kind == "filled" and one.run.session_id == session_id}
        return [LoginValues(one.user, one.password) for one in self.logins if one.id in ids]

    async def is_new(self, seen: SeenLogin) -> Literal["new", "changed", ""]:
        if seen.host in self.never:
            return ""
        known = [one for one in self._fitting(seen.host) if one.user == seen.values.user]
        return (
            ""
            if any(one.password == seen.values.password for one in known)
            else "changed"
            if known
            else "new"
        )

    async def save(self, seen: SeenLogin, session_id: str) -> None:
        self._unlocked()
        self.saved.append(seen)

    async def never_offer(self, host: str) -> None:
        self.never.add(host)
