"""Instructions, notes, pointers and replay links on both databases, with two processes that share one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from server.agent.context import NOTHING_KNOWN
from server.agent.pointing.pointer import Pointer, read_pointers, to_json
from server.errors import Unauthorized
from server.events import now
from server.knowledge.knowledge import EMPTY_SECONDS, KnowledgeBook
from server.ops.json_types import JsonObject
from server.store import Store
from server.store.records import AcceptedMessage
from tests.support.databases import open_store

SHOP = "https://www.shop.example/list"
FACT = "Search works only after Enter"


@pytest.fixture
async def stores(database_url: str) -> AsyncIterator[tuple[Store, Store]]:
    async with AsyncExitStack() as stack:
        one, other = [await stack.enter_async_context(open_store(database_url)) for _ in range(2)]
        yield one, other


async def begun(store: Store, pointers: Sequence[JsonObject] = ()) -> AcceptedMessage:
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=9)
    return await store.accept(session.id, "press 1", pointers=pointers)


async def nothing(_: str) -> None:
    return None


async def test_what_one_process_keeps_a_run_of_the_other_reads_soon(stores: tuple[Store, Store]) -> None:
    one, other = stores
    run, moment = (await begun(other)).run, [0.0]
    own = KnowledgeBook(other, nothing, clock=lambda: moment[0]).of_run(run)
    assert await own.known(SHOP, "") == NOTHING_KNOWN
    await one.set_instructions("Answer in German.")
    note = await one.add_note("shop.example", FACT, "person", kept=True)
    moment[0] += EMPTY_SECONDS + 0.1
    known = await own.known(SHOP, "")
    assert "Answer in German." in known.instructions
    assert FACT in known.notes
    assert [(it.id, it.used_count) for it in await one.notes(kept=True)] == [(note.id, 1)]
    await one.remove_notes()
    assert (await own.known(SHOP, "")).notes == ""


async def test_two_processes_propose_for_one_run_at_most_two_and_count_its_use_once(
    stores: tuple[Store, Store],
) -> None:
    run = (await begun(stores[0])).run
    texts = ["Amounts use a decimal comma", "The list is long", FACT, "The menu is on the left"]
    await asyncio.gather(
        *(
            store.propose_notes("shop.example", [text], "run", session_id=run.session_id, run_id=run.id)
            for store, text in zip(stores * 2, texts, strict=True)
        )
    )
    proposed = await stores[1].notes()
    assert len(proposed) == 2
    ids = [it.id for it in proposed]
    await asyncio.gather(*(store.count_notes(ids, run.id) for store in stores))
    assert [it.used_count for it in await stores[0].notes()] == [1, 1]


async def test_pointers_and_a_link_are_those_of_both(stores: tuple[Store, Store]) -> None:
    one, other = stores
    pointer = Pointer(
        n=1, url=SHOP, picture="/shots/1.jpg", box=(1, 2, 3, 4), view="d1:1x1@0,0", note="cheap"
    )
    accepted = await begun(one, pointers=to_json([pointer]))
    (message,) = [it for it in (await other.overview(accepted.run.session_id)).messages if it.role == "user"]
    assert read_pointers(message.meta_json) == (pointer,)
    link = await one.add_replay_link(
        accepted.run.session_id, "secret", now() + timedelta(days=1), with_files=False
    )
    assert (await other.replay_link("secret")).id == link.id
    await other.end_replay_link(accepted.run.session_id, link.id)
    with pytest.raises(Unauthorized):
        await one.replay_link("secret")
