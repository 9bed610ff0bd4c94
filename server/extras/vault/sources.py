"""Logins that 1Password or Bitwarden keep, read by their command lines: listed without secrets, one secret for one fill.

Nothing secret is among a program's arguments, its output is never logged, and what it matched itself does not count.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from server.agent.logins import VaultLocked
from server.errors import BadRequest, Unavailable
from server.extras.vault.sites import read_host
from wording.catalogue import sentence

SourceName = Literal["op", "bw"]
PROGRAM_SECONDS = 30.0
LISTED_SECONDS = 600.0
"""How long a list of 1Password is good for: small plans have 1,000 reads an hour."""
REST_SECONDS = 900.0
"""Without a use, after which Bitwarden's session key is forgotten."""
MAX_LISTED = 2000
PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "BITWARDENCLI_APPDATA_DIR", "OP_CONFIG_DIR", "TMPDIR")
"""Of the environment; nothing else of it reaches the programs."""
SERVICE_TOKEN = "ops_"
"""With what a service account's token begins; anything else is the password of the person's account."""
_NEVER = 5
"""Bitwarden's number for an address at which an item must not be filled."""
_NARROW = (1, 2, 3, 4)
"""Those for less than a whole domain."""
_REFERENCE = re.compile(r"[A-Za-z0-9][\w-]{0,79}(/[A-Za-z0-9][\w-]{0,79})?")
"""Never what a program would take for an option."""


@dataclass(frozen=True, slots=True)
class ListedLogin:
    """An item as a source lists it. `ref` finds it again; `hosts` are those of its addresses, the main one first."""

    ref: str
    title: str
    user: str
    hosts: tuple[str, ...]
    exact: bool = False
    has_code: bool = True
    """True also where only asking for one can show it."""


class RunProgram(Protocol):
    async def __call__(
        self, command: Sequence[str], environment: Mapping[str, str], given: str = ""
    ) -> str: ...


class SourceFailed(Unavailable):
    """The program is missing, has refused or has not answered; the text never has its output."""

    def __init__(self, name: str) -> None:
        super().__init__(sentence("vault.source_failed", source=name), code="source_failed")


async def run_program(
    command: Sequence[str],
    environment: Mapping[str, str],
    given: str = "",
    *,
    seconds: float = PROGRAM_SECONDS,
) -> str:
    """What the program prints. `given` goes to its standard input. Raises SourceFailed."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=kept | dict(environment), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        raise SourceFailed(command[0]) from None
    try:
        async with asyncio.timeout(seconds):
            printed, _ = await process.communicate(given.encode())
    except TimeoutError:
        raise SourceFailed(command[0]) from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        raise SourceFailed(command[0])
    return printed.decode(errors="replace")


class LoginProgram(Protocol):
    """One program. Each method raises SourceFailed; those that read raise VaultLocked before `unlock`."""

    name: SourceName
    secret: str
    """What unlocks it, in memory only; "" while it is locked."""

    def is_installed(self) -> bool: ...

    async def unlock(self, given: str) -> None:
        """By a token or a password. Raises BadRequest if it is refused."""
        ...

    async def listed(self, origin: str) -> tuple[list[ListedLogin], bool] | None:
        """Items that may fit the origin, and whether they are all that there are; None if the last list still holds."""
        ...

    async def password(self, ref: str) -> str: ...

    async def code(self, ref: str) -> str: ...


class OnePassword:
    name: SourceName = "op"

    def __init__(self, run: RunProgram = run_program, clock: Callable[[], float] = time.monotonic) -> None:
        self._run = run
        self._clock = clock
        self._listed_at: float | None = None
        self.secret = ""
        """A service account's token, or `USER=SESSION` after a sign-in."""

    def is_installed(self) -> bool:
        return shutil.which("op") is not None

    async def unlock(self, given: str) -> None:
        self._listed_at = None
        try:
            if given.startswith(SERVICE_TOKEN):
                await self._run(["op", "whoami", "--format", "json"], {"OP_SERVICE_ACCOUNT_TOKEN": given})
                self.secret = given
                return
            accounts = _json(await self._run(["op", "account", "list", "--format", "json"], {}), self.name)
            user = str(accounts[0]["user_uuid"]) if accounts else ""
            session = await self._run(["op", "signin", "--account", user, "--raw"], {}, f"{given}\n")
        except SourceFailed:
            raise BadRequest(
                sentence("vault.source_refused", source=self.name), code="wrong_passphrase"
            ) from None
        except (KeyError, TypeError, LookupError):
            raise SourceFailed(self.name) from None
        self.secret = f"{user}={session.strip()}"

    async def listed(self, origin: str) -> tuple[list[ListedLogin], bool] | None:
        if self._listed_at is not None and self._clock() < self._listed_at + LISTED_SECONDS:
            return None
        items = await self._json("item", "list", "--categories", "Login", "--format", "json")
        self._listed_at = self._clock()
        return [one for item in items[:MAX_LISTED] if (one := _item_of_op(item))], True

    async def password(self, ref: str) -> str:
        vault, _, item = ref.partition("/")
        field = await self._json(
            "item", "get", item, "--vault", vault, "--fields", "label=password", "--reveal", "--format", "json",
        )  # fmt: skip
        try:
            return str(field["value"])
        except (KeyError, TypeError):
            raise SourceFailed(self.name) from None

    async def code(self, ref: str) -> str:
        vault, _, item = ref.partition("/")
        return (await self._read("item", "get", item, "--vault", vault, "--otp")).strip()

    async def _json(self, *arguments: str) -> Any:
        return _json(await self._read(*arguments), self.name)

    async def _read(self, *arguments: str) -> str:
        if not self.secret:
            raise VaultLocked
        if self.secret.startswith(SERVICE_TOKEN):
            environment = {"OP_SERVICE_ACCOUNT_TOKEN": self.secret}
        else:
            user, _, session = self.secret.partition("=")
            environment = {f"OP_SESSION_{user}": session}
        return await self._run(["op", *arguments], environment)


class Bitwarden:
    name: SourceName = "bw"

    def __init__(self, run: RunProgram = run_program, clock: Callable[[], float] = time.monotonic) -> None:
        self._run = run
        self._clock = clock
        self._secret = ""
        self._used_at = 0.0
        self._listed_at: dict[str, float] = {}
        """By origin."""

    @property
    def secret(self) -> str:
        """The session key; "" after `REST_SECONDS` without a use."""
        if self._secret and self._clock() > self._used_at + REST_SECONDS:
            self._secret = ""
        return self._secret

    @secret.setter
    def secret(self, value: str) -> None:
        self._secret, self._used_at = value, self._clock()

    def is_installed(self) -> bool:
        return shutil.which("bw") is not None

    async def unlock(self, given: str) -> None:
        command = ["bw", "unlock", "--raw", "--passwordenv", "BW_GIVEN", "--nointeraction"]
        try:
            self.secret = (await self._run(command, {"BW_GIVEN": given})).strip()
        except SourceFailed:
            raise BadRequest(
                sentence("vault.source_refused", source=self.name), code="wrong_passphrase"
            ) from None

    async def listed(self, origin: str) -> tuple[list[ListedLogin], bool] | None:
        """Its answer has the passwords: only what is named here is kept of it."""
        if self._clock() < self._listed_at.get(origin, -LISTED_SECONDS) + LISTED_SECONDS:
            return None
        items = _json(await self._read("list", "items", "--url", origin), self.name)
        self._listed_at[origin] = self._clock()
        return [one for item in items[:MAX_LISTED] if (one := _item_of_bw(item))], False

    async def password(self, ref: str) -> str:
        return (await self._read("get", "password", ref)).removesuffix("\n")

    async def code(self, ref: str) -> str:
        return (await self._read("get", "totp", ref)).strip()

    async def _read(self, *arguments: str) -> str:
        if not self.secret:
            raise VaultLocked
        self._used_at = self._clock()
        return await self._run(["bw", *arguments, "--nointeraction"], {"BW_SESSION": self.secret})


def _item_of_op(item: Any) -> ListedLogin | None:
    try:
        urls = sorted(item.get("urls") or (), key=lambda url: not url.get("primary"))
        hosts = _hosts_of(str(url["href"]) for url in urls)
        ref = f"{item['vault']['id']}/{item['id']}"
        title, user = str(item["title"]), str(item.get("additional_information") or "")
    except (KeyError, TypeError, AttributeError):
        return None
    return ListedLogin(ref, title, user, hosts) if hosts and _REFERENCE.fullmatch(ref) else None


def _item_of_bw(item: Any) -> ListedLogin | None:
    try:
        login, ref = item["login"], str(item["id"])
        uris = [uri for uri in login.get("uris") or () if uri.get("match") != _NEVER]
        hosts = _hosts_of(str(uri["uri"]) for uri in uris)
        is_narrow = any(uri.get("match") in _NARROW for uri in uris)
        title, user, has_code = str(item["name"]), str(login.get("username") or ""), bool(login.get("totp"))
    except (KeyError, TypeError, AttributeError):
        return None
    found = ListedLogin(ref, title, user, hosts, exact=is_narrow, has_code=has_code)
    return found if hosts and _REFERENCE.fullmatch(ref) else None


def _hosts_of(addresses: Iterable[str]) -> tuple[str, ...]:
    """Each once, in their order; what is no address of a page is left out."""
    hosts = dict[str, None]()
    for address in addresses:
        with suppress(BadRequest):
            hosts[read_host(address)] = None
    return tuple(hosts)


def _json(printed: str, name: str) -> Any:
    try:
        return json.loads(printed)
    except ValueError:
        raise SourceFailed(name) from None
