"""Queries for what the user sets while the server runs: preferences and provider keys; and for secrets made by it."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, select, text

from server.database import Database, reading, writing
from server.database.models import PreferenceRow, ProviderKeyRow, SecretRow, SettingValue
from server.events import now
from server.store.rows import get, insert


class PreferenceQueries:
    database: Database

    @reading
    def preferences(self, db: Connection) -> dict[str, SettingValue]:
        return {row.name: row.value for row in db.execute(select(PreferenceRow))}

    @writing
    def set_preferences(self, db: Connection, values: Mapping[str, SettingValue | None]) -> None:
        """Store preferences; None removes one, so that the environment's value applies again."""
        for name, value in values.items():
            db.execute(delete(PreferenceRow).where(PreferenceRow.name == name))
            if value is not None:
                insert(db, PreferenceRow(name=name, value=value))

    @reading
    def provider_keys(self, db: Connection) -> dict[str, bytes]:
        return {row.provider: row.ciphertext for row in db.execute(select(ProviderKeyRow))}

    @writing
    def set_provider_key(self, db: Connection, provider: str, ciphertext: bytes | None) -> None:
        db.execute(delete(ProviderKeyRow).where(ProviderKeyRow.provider == provider))
        if ciphertext is not None:
            insert(db, ProviderKeyRow(provider=provider, ciphertext=ciphertext, updated_at=now()))

    @reading
    def secret(self, db: Connection, name: str) -> bytes | None:
        row = get(db, SecretRow, name)
        return row.ciphertext if row else None

    @writing
    def put_secret(self, db: Connection, name: str, ciphertext: bytes, former: bytes | None) -> None:
        """Replace `former`, or None, by a new secret, unless another process was faster."""
        db.execute(delete(SecretRow).where(SecretRow.name == name, SecretRow.ciphertext == former))
        db.execute(
            text("INSERT INTO secrets (name, ciphertext) VALUES (:name, :ciphertext) ON CONFLICT DO NOTHING"),
            {"name": name, "ciphertext": ciphertext},
        )

    @writing
    def remove_secret(self, db: Connection, name: str) -> None:
        db.execute(delete(SecretRow).where(SecretRow.name == name))
