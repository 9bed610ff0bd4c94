"""Puts the vault of a process together."""

from __future__ import annotations

from pathlib import Path

from server.extras.vault.book import LoginBook
from server.extras.vault.contents import Contents
from server.extras.vault.key_ring import KeyRing
from server.extras.vault.sources import Bitwarden, OnePassword
from server.extras.vault.storage import LoginStore
from server.extras.vault.vault import LoginVault
from server.fs.secret_box import SecretBox
from server.settings import Settings
from server.store import Store


def key_file(settings: Settings) -> Path:
    return settings.data_dir / "vault.key"


async def open_vault(settings: Settings, store: Store, boxed: SecretBox) -> tuple[LoginVault, LoginBook]:
    """What agents use, and what the person uses. `boxed` is that of provider keys."""
    keys = KeyRing(key_file(settings), wants_lock=settings.vault_lock)
    contents = Contents(LoginStore(store.database), keys, [OnePassword(), Bitwarden()])
    book = LoginBook(contents, store, boxed)
    await book.open_stored_token()
    return LoginVault(contents), book
