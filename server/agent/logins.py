"""Stored logins as agents use them: the interface of a vault, and the null object where there is none.

A vault keeps the values. Agents name a login by its id; the values go from the vault to the fields of one page, and into
the session's mask. Nothing else may hold them. A host is one of `server.browser.sites.origin_host`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from server.browser.sites import site_of_host
from server.errors import Explained
from wording.catalogue import sentence

if TYPE_CHECKING:
    from server.agent.actions import AimedAction

LoginGrant = Literal["ask", "session", "automation"]
LoginEventKind = Literal["filled", "code", "refused", "allowed", "offered", "saved"]
MIN_CODE_SECONDS = 4.0
"""A code that is valid for less time is not typed any more."""


CODE_SECONDS = 600.0
"""After a fill: for so long the yes for it also covers a code of that login on the same site."""


class LoginGone(Explained, Exception):
    """The login was deleted, or is not for this host or run."""


class VaultLocked(Explained, Exception):
    """The person has to unlock the vault first."""

    def __init__(self) -> None:
        super().__init__(sentence("login.locked"))


class CodeNotReady(Exception):
    """There is no code now that was not used and is valid for `MIN_CODE_SECONDS`; the next one is there in `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the next code is there in {seconds:.0f} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class RunOfLogin:
    """For whom a login is used."""

    session_id: str
    run_id: str
    automation_id: str | None = None


@dataclass(frozen=True, slots=True)
class LoginOffer:
    """A login that fits a host, without its values."""

    id: str
    title: str
    site: str
    account: str
    """The user name, masked: `a...@example.org`."""
    has_code: bool = False
    grant: LoginGrant = "ask"
    """What allows its use by this run without a question."""
    is_exact_host: bool = True
    """False for another host of the same site."""
    allows_http: bool = False
    """The person has marked the host: its pages may be without encryption."""


@dataclass(frozen=True, slots=True)
class LoginValues:
    user: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoginCode:
    value: str = field(repr=False)
    seconds_left: float


@dataclass(frozen=True, slots=True)
class LoginEvent:
    """What happened to a login, for the vault's log. Without values."""

    kind: LoginEventKind
    login_id: str
    host: str
    run: RunOfLogin
    fields: tuple[str, ...] = ()
    """Which were filled: `user`, `password`, `code`."""
    reason: str = ""
    """Code of the rule that refused."""


@dataclass(frozen=True, slots=True)
class SeenLogin:
    """A login that the person typed into a page of `host` during a take-over."""

    host: str
    values: LoginValues


@dataclass(slots=True)
class FilledLogins:
    """What one execution of a run has filled: by site, the login and when, by the steady clock."""

    by_site: dict[str, tuple[str, float]] = field(default_factory=dict)
    next: tuple[AimedAction, bool] | None = None
    """The assistant's call that is about to be made, and whether the person has allowed it just now."""

    def covers_code(self, login_id: str, host: str, now: float) -> bool:
        """Whether the yes for a fill also covers a code of that login."""
        known, since = self.by_site.get(site_of_host(host), ("", 0.0))
        return known == login_id and now - since <= CODE_SECONDS


class Vault(Protocol):
    """All methods but `record` and `never_offer` raise VaultLocked while the person has to unlock it."""

    async def offers(self, host: str, run: RunOfLogin) -> Sequence[LoginOffer]:
        """The logins that fit the host, those of this very host first."""
        ...

    async def values(self, login_id: str, host: str, run: RunOfLogin) -> LoginValues:
        """For one fill. Checks again that the login fits. Raises LoginGone."""
        ...

    async def code(self, login_id: str, host: str, run: RunOfLogin) -> LoginCode:
        """A code that was not returned before, valid for at least `MIN_CODE_SECONDS`. Raises LoginGone, CodeNotReady."""
        ...

    async def allow(self, login_id: str, grant: LoginGrant, run: RunOfLogin) -> None:
        """Keep the person's yes for the run's session or automation. Raises LoginGone."""
        ...

    async def record(self, event: LoginEvent) -> None: ...

    async def filled(self, session_id: str) -> Sequence[LoginValues]:
        """The values that were filled in this session: what its mask must hold after a restart."""
        ...

    async def is_new(self, seen: SeenLogin) -> Literal["new", "changed", ""]:
        """Whether to offer to keep it: not if it is known as it is, nor where the person wants no offers."""
        ...

    async def save(self, seen: SeenLogin, session_id: str) -> None:
        """Keep it; a changed password replaces the old one."""
        ...

    async def never_offer(self, host: str) -> None: ...


class NoVault:
    """There are no stored logins."""

    async def offers(self, host: str, run: RunOfLogin) -> Sequence[LoginOffer]:
        return ()

    async def values(self, login_id: str, host: str, run: RunOfLogin) -> LoginValues:
        raise LoginGone(sentence("login.gone"))

    async def code(self, login_id: str, host: str, run: RunOfLogin) -> LoginCode:
        raise LoginGone(sentence("login.gone"))

    async def allow(self, login_id: str, grant: LoginGrant, run: RunOfLogin) -> None:
        raise LoginGone(sentence("login.gone"))

    async def record(self, event: LoginEvent) -> None:
        pass

    async def filled(self, session_id: str) -> Sequence[LoginValues]:
        return ()

    async def is_new(self, seen: SeenLogin) -> Literal["new", "changed", ""]:
        return ""

    async def save(self, seen: SeenLogin, session_id: str) -> None:
        pass

    async def never_offer(self, host: str) -> None:
        pass
