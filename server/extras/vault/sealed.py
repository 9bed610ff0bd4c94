"""A login as it is encrypted, together with what says where it belongs: then no row can take the place of another."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from server.database.models import LoginRow
from server.errors import Conflict
from server.ops.json_types import JsonObject
from wording.catalogue import sentence


@dataclass(frozen=True, slots=True, repr=False)
class LoginSecret:
    """`password` is "" and `totp` too where another program keeps them. There is no `repr`: it would show them."""

    user: str
    password: str = ""
    totp: str = ""
    has_code: bool = False


def seal(row: LoginRow, secret: LoginSecret, encrypt: Callable[[bytes], bytes]) -> bytes:
    return encrypt(json.dumps(_place_of(row) | asdict(secret)).encode())


def unseal(row: LoginRow, decrypt: Callable[[bytes], bytes]) -> LoginSecret:
    """Raises Conflict if the row was changed outside of the vault."""
    from cryptography.fernet import InvalidToken

    try:
        found = json.loads(decrypt(row.cipher))
    except InvalidToken:
        found = {}
    place = _place_of(row)
    if {name: found.get(name) for name in place} != place:
        raise Conflict(sentence("vault.row_changed", title=row.title), code="login_changed")
    return LoginSecret(found["user"], found["password"], found["totp"], found["has_code"])


def _place_of(row: LoginRow) -> JsonObject:
    return {
        "id": row.id, "site": row.site, "hosts": row.hosts, "exact": row.exact, "source": row.source,
        "ref": row.source_ref,
    }  # fmt: skip
