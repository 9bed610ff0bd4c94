"""`vault rotate`: a new key for all stored logins, while no server uses them.

Each step leaves a state in which everything can be read: the file has both keys from before the first cipher is replaced
until after the last one is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack

from server.agent.logins import VaultLocked
from server.extras.vault.key_ring import KeyRing
from server.extras.vault.opening import key_file
from server.extras.vault.storage import LoginStore, log_row
from server.settings import Settings
from server.store import Ownership
from server.store.opening import open_store


async def rotate(settings: Settings, ask: Callable[[], str]) -> int:
    """Returns how many logins have the new key. `ask` gives the passphrase, if there is one.

    Raises NotReady while a server uses the database, VaultLocked, KeyLost, and BadRequest for a wrong passphrase.
    """
    keys = KeyRing(key_file(settings), wants_lock=settings.vault_lock)
    alone = settings.model_copy(update={"redis_url": None})
    async with AsyncExitStack() as stack:
        store, _ = await open_store(stack, alone, Ownership)
        logins = LoginStore(store.database)
        if keys.needs_passphrase:
            if not keys.has_passphrase:
                raise VaultLocked
            keys.unlock(ask(), has_logins=await logins.has_any())
        keys.ensure(has_logins=await logins.has_any())
        keys.add_key()
        count = await logins.encrypt_anew(keys.fernet().rotate)
        keys.drop_old_keys()
        await logins.record(log_row("rotated", "person", reason=str(count)))
        return count
