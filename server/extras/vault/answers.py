"""What the routes of the vault answer. Nothing here has a user name, a password or a seed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from server.api.schemas import ResponseModel
from server.extras.vault.book import RowState, VaultState
from server.extras.vault.transfer import FileKind

LoginSource = Literal["local", "op", "bw"]


class NamedId(ResponseModel):
    id: str
    name: str


class LoginGrants(ResponseModel):
    """What uses it without a question: sessions and automations that there are."""

    sessions: list[NamedId]
    automations: list[NamedId]


class StoredLogin(ResponseModel):
    id: str
    site: str
    """Registrable domain; a host with a port, an address or a local name as it is."""
    hosts: list[str]
    """Its own host, then those that the person has added. In punycode."""
    exact: bool
    """Only these hosts, no other ones of the site."""
    title: str
    account: str | None
    """The user name, masked: `a...@example.org`; null while the vault cannot be read."""
    has_code: bool | None
    """Whether it has one-time codes; null while the vault cannot be read."""
    source: LoginSource
    grant: LoginGrants
    created_at: datetime
    last_used_at: datetime | None
    uses: int


class StoredLoginList(ResponseModel):
    items: list[StoredLogin]


class VaultSource(ResponseModel):
    """Another program that keeps logins."""

    name: Literal["op", "bw"]
    installed: bool
    unlocked: bool


class VaultStatus(ResponseModel):
    state: VaultState
    """`new_passphrase`: VAULT_LOCK is set, and the person has not chosen one yet."""
    reason: str
    """Why it cannot be read, if its key is lost."""
    has_lock: bool
    """Whether a passphrase locks it."""
    sources: list[VaultSource]


class VaultLogEntry(ResponseModel):
    id: str
    at: datetime
    event: str
    login_id: str | None
    title: str
    host: str
    fields: list[str]
    """What was filled or changed."""
    actor: Literal["person", "agent", "server"]
    session_id: str | None
    run_id: str | None
    reason: str


class VaultLog(ResponseModel):
    items: list[VaultLogEntry]
    """Newest first."""
    next_before: str | None
    """`before` of the next page; null at the end."""


class ImportedLogin(ResponseModel):
    row: int
    """In the file, from 1."""
    host: str
    title: str
    account: str
    has_code: bool
    state: RowState
    """`known`: there is one with this user name and password for the site; `changed`: with another password."""


class ImportedLogins(ResponseModel):
    kind: FileKind
    items: list[ImportedLogin]
    kept: int
    """How many were added or changed; 0 for a preview."""
