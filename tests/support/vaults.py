"""A vault on a store, with sources that a test scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from server.agent.logins import RunOfLogin
from server.extras.vault.book import LoginBook
from server.extras.vault.contents import Contents
from server.extras.vault.key_ring import KeyRing
from server.extras.vault.sealed import LoginSecret
from server.extras.vault.sources import LoginProgram
from server.extras.vault.storage import LoginStore
from server.extras.vault.vault import LoginVault
from server.fs.secret_box import SecretBox
from server.store import Store

RUN = RunOfLogin("s1", "r1")
SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""Of RFC 6238."""
ADA = LoginSecret("ada@mail.example", "pass-canary-71", SEED)


class TestedVault:
    __test__ = False

    def __init__(
        self, store: Store, folder: Path, *, wants_lock: bool = False, sources: Sequence[LoginProgram] = (),
        clock: Callable[[], float] = lambda: 1_000_000_000.0,
    ) -> None:  # fmt: skip
        self.file = folder / "vault.key"
        self.keys = KeyRing(self.file, wants_lock=wants_lock)
        self.contents = Contents(LoginStore(store.database), self.keys, sources)
        self.rows = self.contents.store
        self.book = LoginBook(self.contents, store, SecretBox(folder / "provider_keys.key"))
        self.vault = LoginVault(self.contents, clock)

    async def add(self, *hosts: str, secret: LoginSecret = ADA, exact: bool = False, title: str = "") -> str:
        return (await self.book.add(hosts, title, secret, exact=exact)).id

    async def offered(self, host: str, run: RunOfLogin = RUN) -> list[str]:
        """The titles of what is offered."""
        return [offer.title for offer in await self.vault.offers(host, run)]
