"""Stored logins on both databases: what several processes do to them at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path

from server.agent.logins import CodeNotReady, LoginEvent
from tests.support.databases import open_store
from tests.support.vaults import ADA, RUN, TestedVault


async def test_two_processes_share_logins_and_give_no_code_twice(database_url: str, tmp_path: Path) -> None:
    async with open_store(database_url, "one:1:a") as one, open_store(database_url, "two:2:b") as two:
        vaults = [TestedVault(store, tmp_path) for store in (one, two)]
        # The first logins of both: only one of the keys that they make may be kept.
        ids = await asyncio.gather(*(vault.add(f"shop{at}.example") for at, vault in enumerate(vaults)))
        for vault in vaults:
            for at, login in enumerate(ids):
                values = await vault.vault.values(login, f"www.shop{at}.example", RUN)
                assert values.password == ADA.password
        codes = await asyncio.gather(
            *(vault.vault.code(ids[0], "shop0.example", RUN) for vault in vaults * 4), return_exceptions=True
        )
        refused = [code for code in codes if isinstance(code, CodeNotReady)]
        assert (len(codes), len(refused)) == (8, 7)
        await asyncio.gather(*(vault.vault.allow(ids[0], "session", RUN) for vault in vaults))
        await asyncio.gather(
            *(vault.vault.record(LoginEvent("filled", ids[0], "shop0.example", RUN)) for vault in vaults)
        )
        row = await vaults[0].rows.find(ids[0])
        assert row is not None
        assert (row.uses, row.grant) == (2, {"sessions": [RUN.session_id]})
        assert await vaults[1].offered("shop0.example") == ["shop0.example"]
        page = await vaults[1].rows.log(None, None, 4)
        rest = await vaults[1].rows.log(None, page[-1].id, 4)
        assert sorted(row.event for row in page + rest) == ["added"] * 2 + ["allowed"] * 2 + ["filled"] * 2


async def test_rotation_reaches_a_process_that_has_the_former_keys(database_url: str, tmp_path: Path) -> None:
    async with open_store(database_url, "one:1:a") as store:
        vault = TestedVault(store, tmp_path)
        login = await vault.add("shop.example")
        rotating = TestedVault(store, tmp_path)
        rotating.keys.add_key()
        assert await rotating.rows.encrypt_anew(rotating.keys.fernet().rotate) == 1
        rotating.keys.drop_old_keys()
        assert (await vault.vault.values(login, "shop.example", RUN)).password == ADA.password
