"""Logins as files: exports of browsers and password managers are read, our own are written and read. Pure, in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from server.errors import BadRequest
from server.extras.vault.codes import read_seed
from server.extras.vault.key_ring import new_scrypt, wrapping_of
from server.extras.vault.sites import read_host
from wording.catalogue import sentence

FileKind = Literal["chrome", "firefox", "safari", "1password", "bitwarden", "pilothouse"]
MAX_VALUE = 1000
"""Characters of one value of a file."""


@dataclass(frozen=True, slots=True, repr=False)
class FileLogin:
    """`hosts` is empty where the file names none that can be read. There is no `repr`: it would show the values."""

    title: str
    hosts: tuple[str, ...]
    user: str
    password: str
    totp: str = ""
    exact: bool = False


@dataclass(frozen=True, slots=True)
class _Columns:
    """The names of a program's header row, in lower case."""

    address: str
    user: str
    password: str
    title: str = ""
    totp: str = ""
    also: tuple[str, ...] = ()
    """What no other program writes."""


_KINDS: Mapping[FileKind, _Columns] = {
    "bitwarden": _Columns("login_uri", "login_username", "login_password", "name", "login_totp"),
    "firefox": _Columns("url", "username", "password", also=("httprealm", "formactionorigin")),
    "1password": _Columns("url", "username", "password", "title", "otpauth", also=("favorite", "archived")),
    "safari": _Columns("url", "username", "password", "title", "otpauth"),
    "chrome": _Columns("url", "username", "password", "name"),
}
"""From the most special one to the most general one."""
PLAIN_HEADER = ("Title", "URL", "Username", "Password", "Notes", "OTPAuth")
"""As Safari writes it, which the others read."""


def read_file(text: str, passphrase: str = "") -> tuple[FileKind, list[FileLogin]]:
    """The logins of a file. Raises BadRequest if it is of no known kind, or the passphrase does not open it."""
    if text.lstrip().startswith("{"):
        return "pilothouse", _read_own(text, passphrase)
    try:
        rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
        names = {name.strip().lower(): name for name in rows.fieldnames or () if name}
        kind = _kind_of(names)
        columns = _KINDS[kind]
        return kind, [_login_of(row, names, columns) for row in rows if _is_login(row, names)]
    except csv.Error:
        raise BadRequest(sentence("vault.no_import"), code="unknown_file") from None


def _kind_of(names: Mapping[str, str]) -> FileKind:
    for kind, columns in _KINDS.items():
        needed = {columns.address, columns.user, columns.password, columns.title, columns.totp, *columns.also}
        if needed - {""} <= names.keys():
            return kind
    raise BadRequest(sentence("vault.no_import"), code="unknown_file")


def _is_login(row: Mapping[str, str], names: Mapping[str, str]) -> bool:
    """Bitwarden's file has notes and cards, too."""
    kind = row.get(names.get("type", ""), "login") if "login_uri" in names else "login"
    return kind == "login"


def _login_of(row: Mapping[str, str], names: Mapping[str, str], columns: _Columns) -> FileLogin:
    def value(column: str) -> str:
        return (row.get(names.get(column, ""), "") or "")[:MAX_VALUE]

    hosts = tuple(_hosts_in(value(columns.address)))
    try:
        totp = read_seed(value(columns.totp))
    except BadRequest:
        totp = ""
    return FileLogin(
        value(columns.title).strip(), hosts, value(columns.user).strip(), value(columns.password), totp
    )


def _hosts_in(addresses: str) -> Iterable[str]:
    """Bitwarden writes several with commas between them."""
    for address in addresses.split(","):
        try:
            yield read_host(address.strip())
        except BadRequest:
            continue


def write_plain(logins: Iterable[FileLogin]) -> str:
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(PLAIN_HEADER)
    for login in logins:
        rows.writerow((login.title, f"https://{login.hosts[0]}/", login.user, login.password, "", login.totp))
    return written.getvalue()


def write_own(logins: Sequence[FileLogin], passphrase: str) -> str:
    """A file that only the passphrase opens."""
    from cryptography.fernet import Fernet

    scrypt = new_scrypt()
    content = json.dumps([asdict(login) for login in logins]).encode()
    sealed = Fernet(wrapping_of(passphrase, scrypt)).encrypt(content).decode()
    return json.dumps({"pilothouse": "logins", "version": 1, "scrypt": scrypt, "logins": sealed})


def _read_own(text: str, passphrase: str) -> list[FileLogin]:
    from cryptography.fernet import Fernet, InvalidToken

    try:
        document = json.loads(text)
        sealed, scrypt = document["logins"].encode(), document["scrypt"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadRequest(sentence("vault.no_import"), code="unknown_file") from None
    try:
        content = json.loads(Fernet(wrapping_of(passphrase, scrypt)).decrypt(sealed))
        return [FileLogin(**{**one, "hosts": tuple(one["hosts"])}) for one in content]
    except (InvalidToken, ValueError, KeyError, TypeError, AttributeError):
        raise BadRequest(sentence("vault.wrong_passphrase"), code="wrong_passphrase") from None
