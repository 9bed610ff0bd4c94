"""Routes for stored logins. No answer holds a secret, and none shows one again; only an export does."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field, SecretStr
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, Text
from server.auth import Logins, peer_of
from server.errors import BadRequest, Forbidden, Unauthorized, Unavailable
from server.extras.vault.answers import (
    ImportedLogin,
    ImportedLogins,
    LoginGrants,
    NamedId,
    StoredLogin,
    StoredLoginList,
    VaultLog,
    VaultLogEntry,
    VaultSource,
    VaultStatus,
)
from server.extras.vault.book import ImportRow, ListedRow, LoginBook, LoginChange
from server.extras.vault.key_ring import MIN_PASSPHRASE
from server.extras.vault.sealed import LoginSecret
from server.extras.vault.sites import read_host
from server.extras.vault.vault import masked
from server.runtime import Runtime
from wording.catalogue import sentence

router = APIRouter(prefix="/api")

MAX_FILE = 900_000
MAX_HOSTS = 20
LOG_PAGE = 100
HostName = Annotated[Text, Field(min_length=1, max_length=2000)]
Hosts = Annotated[list[HostName], Field(min_length=1, max_length=MAX_HOSTS)]
Title = Annotated[Text, Field(max_length=200)]
Secret = Annotated[SecretStr, Field(max_length=1000)]
GivenSecret = Annotated[SecretStr, Field(min_length=1, max_length=2000)]
Ids = Annotated[list[Annotated[Text, Field(max_length=64)]], Field(max_length=200)]
NO_SECRET = SecretStr("")


class NewLogin(Body):
    hosts: Hosts
    """Names or addresses; the first is its own, the others are further ones on which it may be used."""
    title: Title = ""
    user: Secret = NO_SECRET
    password: Annotated[SecretStr, Field(min_length=1, max_length=1000)]
    totp: Secret = NO_SECRET
    """An `otpauth:` address or the bare secret."""
    exact: bool = False


class GrantChange(Body):
    """Which sessions and automations use it without a question; a list replaces the former one."""

    sessions: Ids | None = None
    automations: Ids | None = None


class LoginPatch(Body):
    hosts: Hosts | None = None
    title: Title | None = None
    user: Secret | None = None
    password: Annotated[SecretStr, Field(min_length=1, max_length=1000)] | None = None
    totp: Secret | None = None
    """An empty one takes the codes away."""
    exact: bool | None = None
    grant: GrantChange | None = None


class LoginFile(Body):
    text: Annotated[SecretStr, Field(min_length=1, max_length=MAX_FILE)]
    """A CSV file of Chrome, Firefox, Safari, 1Password or Bitwarden, or an export of this server."""
    passphrase: Secret = NO_SECRET
    """Of an export of this server."""
    keep: bool = False
    """Without it nothing is kept: the answer is a preview."""
    replace: bool = False
    """Also change the passwords of those that are `changed`."""


class ExportOrder(Body):
    password: GivenSecret
    """That of this server, again."""
    passphrase: Secret | None = None
    """The file can be read with it only. Null: plain text, which `plain` has to confirm."""
    plain: bool = False


class Unlocking(Body):
    secret: GivenSecret
    """The passphrase; of a source its token or password."""
    source: Literal["local", "op", "bw"] = "local"


class Locking(Body):
    source: Literal["local", "op", "bw"] = "local"
    """Of `op` the stored token is removed, too."""


def book_of(runtime: Runtime) -> LoginBook:
    """Raises Unavailable where the vault is switched off."""
    if runtime.logins is None:
        raise Unavailable(sentence("vault.off"), code="vault_off")
    return runtime.logins


@router.get("/logins")
async def list_logins(runtime: RuntimeDep) -> StoredLoginList:
    """All logins, without their values."""
    book = book_of(runtime)
    names = await book.names()
    return StoredLoginList(items=[_described(listed, *names) for listed in await book.logins()])


@router.post("/logins", status_code=201)
async def add_login(body: NewLogin, runtime: RuntimeDep) -> StoredLogin:
    book = book_of(runtime)
    hosts = _hosts_of(body.hosts)
    secret = LoginSecret(_open(body.user), _open(body.password), _open(body.totp))
    row = await book.add(hosts, body.title, secret, exact=body.exact)
    return await _shown(book, row.id)


@router.patch("/logins/{login_id}")
async def change_login(login_id: Text, body: LoginPatch, runtime: RuntimeDep) -> StoredLogin:
    book = book_of(runtime)
    grant = body.grant or GrantChange()
    changed = LoginChange(
        title=body.title, hosts=_hosts_of(body.hosts) if body.hosts else None, exact=body.exact,
        user=_given(body.user), password=_given(body.password), totp=_given(body.totp),
        sessions=grant.sessions, automations=grant.automations,
    )  # fmt: skip
    await book.change(login_id, changed)
    return await _shown(book, login_id)


@router.delete("/logins/{login_id}", status_code=204)
async def remove_login(login_id: Text, runtime: RuntimeDep) -> Response:
    await book_of(runtime).remove(login_id)
    return Response(status_code=204)


@router.post("/logins/import")
async def import_logins(body: LoginFile, runtime: RuntimeDep) -> ImportedLogins:
    """Read a file in memory; it is never stored. With `keep`, add what is new."""
    book = book_of(runtime)
    kind, rows = await book.read_import(_open(body.text), _open(body.passphrase))
    kept = await book.keep_import(rows, replace=body.replace) if body.keep else 0
    return ImportedLogins(kind=kind, items=[_described_row(row) for row in rows], kept=kept)


@router.post("/logins/export", response_class=Response)
async def export_logins(body: ExportOrder, request: Request, runtime: RuntimeDep) -> Response:
    """All logins of this server as a file. Logged, and announced by all channels."""
    book = book_of(runtime)
    check_password_again(request, _open(body.password))
    passphrase = _given(body.passphrase)
    if passphrase is None and not body.plain:
        raise BadRequest(sentence("vault.not_sure"), code="not_confirmed")
    if passphrase is not None and len(passphrase) < MIN_PASSPHRASE:
        raise BadRequest(sentence("vault.short_passphrase", n=MIN_PASSPHRASE), code="short_passphrase")
    text = await book.export(passphrase)
    runtime.delivery.wake()
    name, kind = ("logins.csv", "text/csv") if passphrase is None else ("logins.json", "application/json")
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=kind, headers=headers)


@router.get("/vault")
async def vault(runtime: RuntimeDep) -> VaultStatus:
    book = book_of(runtime)
    state, reason = await book.state()
    sources = [
        VaultSource(name=one.name, installed=one.is_installed(), unlocked=bool(one.secret))
        for one in book.sources
    ]
    return VaultStatus(state=state, reason=reason, has_lock=runtime.settings.vault_lock, sources=sources)


@router.post("/vault/unlock")
async def unlock_vault(body: Unlocking, runtime: RuntimeDep) -> VaultStatus:
    await book_of(runtime).unlock(body.source, _open(body.secret))
    return await vault(runtime)


@router.post("/vault/lock")
async def lock_vault(body: Locking, runtime: RuntimeDep) -> VaultStatus:
    await book_of(runtime).lock(body.source)
    return await vault(runtime)


@router.get("/vault/log")
async def vault_log(
    runtime: RuntimeDep, login_id: Text | None = None, before: Text | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = LOG_PAGE,
) -> VaultLog:  # fmt: skip
    """What happened to logins in the last 400 days, without values."""
    rows = await book_of(runtime).log(login_id, before, limit)
    items = [VaultLogEntry.model_validate(row) for row in rows]
    return VaultLog(items=items, next_before=rows[-1].id if len(rows) == limit else None)


def check_password_again(request: Request, password: str) -> None:
    """Raises Forbidden, not Unauthorized: the person stays logged in. Raises TooMany as a login does."""
    logins: Logins = request.app.state.logins
    try:
        logins.check_password(password, peer_of(request.scope))
    except Unauthorized:
        raise Forbidden(sentence("vault.wrong_password"), code="wrong_password") from None


def _hosts_of(given: list[str]) -> list[str]:
    return list(dict.fromkeys(map(read_host, given)))


def _open(secret: SecretStr) -> str:
    """Raises BadRequest for what no field of a page can have."""
    text = secret.get_secret_value()
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise BadRequest(sentence("fault.nul"))
    return text


def _given(secret: SecretStr | None) -> str | None:
    return None if secret is None else _open(secret)


async def _shown(book: LoginBook, login_id: str) -> StoredLogin:
    names = await book.names()
    (found,) = [listed for listed in await book.logins() if listed.row.id == login_id]
    return _described(found, *names)


def _described(listed: ListedRow, sessions: dict[str, str], automations: dict[str, str]) -> StoredLogin:
    row, secret = listed.row, listed.secret
    grant = LoginGrants(
        sessions=_named(row.grant.get("sessions", ()), sessions),
        automations=_named(row.grant.get("automations", ()), automations),
    )
    return StoredLogin(
        id=row.id, site=row.site, hosts=row.hosts, exact=row.exact, title=row.title,
        account=masked(secret.user) if secret else None, has_code=secret.has_code if secret else None,
        source=row.source, grant=grant, created_at=row.created_at, last_used_at=row.last_used_at, uses=row.uses,
    )  # fmt: skip


def _named(ids: list[str], names: dict[str, str]) -> list[NamedId]:
    return [NamedId(id=one, name=names[one]) for one in ids if one in names]


def _described_row(found: ImportRow) -> ImportedLogin:
    login = found.login
    return ImportedLogin(
        row=found.row, host=login.hosts[0] if login.hosts else "", title=login.title, account=masked(login.user),
        has_code=bool(login.totp), state=found.state,
    )  # fmt: skip
