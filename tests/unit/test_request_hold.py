"""The hold at the browser's edge, on scripted events of DevTools: what leaves, what waits, what is failed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
import pytest_asyncio

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.devtools import DevToolsConnection
from server.browser.chromium.egress import Egress, SocketConnection
from server.browser.chromium.hold import ChromiumHold
from server.browser.chromium.reach import Reach
from server.browser.outgoing.assessment import Approved
from server.browser.outgoing.held import ActTerms, HeldRequest
from tests.support.paused_requests import ORDER, PAGE, Edge

UNKNOWN = ("POST", "https://shop.example/zap", '{"zip": 1}')
YES = Approved(kinds=frozenset({"order"}), sites=frozenset({"shop.example"}))


@dataclass
class World:
    edge: Edge
    hold: ChromiumHold
    held: list[HeldRequest]

    async def act(self, approved: Approved | None = None, *, is_passive: bool = False, **more: Any) -> None:
        await self.hold.begin(ActTerms(approved=approved or Approved(), **more), PAGE, is_passive=is_passive)

    async def outcome(self, asked: tuple[str, str, str], **more: Any) -> str:
        return self.edge.outcome(await self.edge.pause(asked, **more))


@pytest_asyncio.fixture
async def it() -> AsyncIterator[World]:
    edge = Edge()
    world = World(edge, ChromiumHold(cast(Cdp, edge)), [])
    await world.hold.start()
    world.hold.listen(world.held.append)
    yield world
    await world.hold.fail()


async def test_an_unapproved_order_waits_and_a_read_does_not(it: World) -> None:
    await it.act()

    assert await it.outcome(ORDER) == "waits"
    assert await it.outcome(("GET", "https://shop.example/orders", "")) == "sent"
    assert await it.outcome(("POST", "https://shop.example/api/search", "{}")) == "sent"
    assert [one.kind for one in it.held] == ["order"]


async def test_without_an_act_everything_passes_and_becomes_the_custom_of_the_page(it: World) -> None:
    assert await it.outcome(ORDER) == "sent"
    assert await it.outcome(UNKNOWN) == "sent"
    await it.act()
    assert await it.outcome(UNKNOWN) == "sent"
    assert await it.outcome(ORDER) == "waits"


async def test_what_a_page_sends_while_it_is_opened_is_its_custom_but_a_verb_is_held(it: World) -> None:
    await it.act(is_passive=True)

    assert await it.outcome(UNKNOWN) == "sent"
    assert await it.outcome(ORDER) == "waits"


async def test_a_yes_lets_the_very_request_go_and_a_further_one_is_held_again(it: World) -> None:
    await it.act()
    order = await it.edge.pause(ORDER)
    await it.act(YES, release=(order,))

    assert await it.hold.release([order])
    assert it.edge.outcome(order) == "sent"
    assert await it.outcome(("POST", "https://shop.example/payments", "{}")) == "sent"
    assert await it.outcome(("POST", "https://shop.example/account/close", "{}")) == "waits"
    assert it.held[-1].is_further


async def test_one_yes_lets_one_of_two_equal_requests_go(it: World) -> None:
    await it.act()
    orders = [await it.edge.pause(ORDER), await it.edge.pause(ORDER)]
    bound = YES.model_copy(update={"bound": frozenset({it.held[0].binding})})
    await it.act(bound, release=tuple(orders))

    assert await it.hold.release(orders)
    assert [it.edge.outcome(one) for one in orders] == ["sent", "Aborted"]
    assert await it.outcome(ORDER) == "waits"  # tried again
    assert await it.outcome(ORDER, network="n1") == "sent"  # a redirect of the first


async def test_a_request_that_the_page_gave_up_is_not_released(it: World) -> None:
    await it.act()
    order = await it.edge.pause(ORDER)
    assert await it.hold.waits([order])
    it.edge.given_up.add(order)

    await it.act(YES.model_copy(update={"bound": frozenset({it.held[0].binding})}), release=(order,))
    assert not await it.hold.waits([order])
    assert not await it.hold.release([order])
    assert not await it.hold.release(["unknown"])
    assert await it.outcome(ORDER) == "sent"  # the act is done again


async def test_of_two_requests_the_one_that_the_page_gave_up_is_not_among_those_let_go(it: World) -> None:
    await it.act()
    order, other = await it.edge.pause(ORDER), await it.edge.pause(UNKNOWN)
    it.edge.given_up.add(other)
    await it.act(YES, release=(order, other))

    assert await it.hold.release([order, other]) == [order]


async def test_the_next_act_fails_what_still_waits_and_its_shape_stays_held(it: World) -> None:
    await it.act()
    order = await it.edge.pause(ORDER)
    await it.act()

    assert it.edge.outcome(order) == "Aborted"
    it.hold.rest(rests=False)
    assert await it.outcome(ORDER) == "Aborted"  # sent by the page itself, long after the act
    await it.act(YES)
    assert await it.outcome(ORDER) == "sent"
    it.hold.rest(rests=False)
    assert await it.outcome(ORDER) == "sent"  # the yes has ended it


async def test_a_document_is_failed_at_once(it: World) -> None:
    await it.act()

    assert await it.outcome(ORDER, kind="Document") == "Aborted"
    assert await it.outcome(("GET", "https://shop.example/items/7/delete", ""), kind="Document") == "Aborted"
    assert await it.outcome(("GET", "https://shop.example/items/7", ""), kind="Document") == "sent"
    assert all(one.is_over for one in it.held)


@pytest.mark.parametrize(
    "origin", ["https://shop.example", "https://evil.example", "http://shop.example", "null"]
)
async def test_a_form_is_sent_again_only_to_its_own_origin(it: World, origin: str) -> None:
    await it.act()
    form = await it.edge.pause(ORDER, kind="Document", Origin=origin)

    assert it.edge.outcome(form) == "Aborted"
    await it.act(YES, release=(form,))
    is_own = origin == "https://shop.example"
    assert await it.hold.release([form]) == ([form] if is_own else [])
    assert await it.outcome(("GET", ORDER[1], ""), kind="Document") == "sent"
    assert it.edge.changed == ([("POST", ORDER[2].encode())] if is_own else [])


async def test_a_form_whose_tab_cannot_open_it_changes_no_later_request(it: World) -> None:
    it.edge.opens = False
    await it.act()
    form = await it.edge.pause(ORDER, kind="Document", Origin="https://shop.example")
    await it.act(YES, release=(form,))

    assert await it.hold.release([form]) == []
    assert await it.outcome(("GET", ORDER[1], ""), kind="Document") == "sent"
    assert it.edge.changed == []


async def test_a_redirect_of_an_approved_request_is_judged_on_its_own(it: World) -> None:
    await it.act(YES)

    assert await it.outcome(ORDER, network="one") == "sent"
    assert await it.outcome(ORDER, network="one") == "sent"  # paused twice: by its page, too
    assert await it.outcome(("POST", "https://other.example/orders", "{}"), network="one") == "waits"


async def test_patience_ends(it: World) -> None:
    hold = ChromiumHold(cast(Cdp, it.edge), patience=0.01)
    await hold.start()
    await hold.begin(ActTerms(), PAGE, is_passive=False)
    order = await it.edge.pause(ORDER)
    await asyncio.sleep(0.05)

    assert it.edge.outcome(order) == "Aborted"


async def test_a_bound_yes_sends_the_same_body_only(it: World) -> None:
    await it.act()
    await it.edge.pause(ORDER)
    bound = YES.model_copy(update={"bound": frozenset({it.held[0].binding})})
    await it.act(bound)

    assert await it.outcome(("POST", "https://shop.example/orders", '{"item": 2}')) == "waits"
    assert await it.outcome(ORDER) == "sent"


async def test_a_take_over_holds_nothing(it: World) -> None:
    await it.act()
    it.hold.rest(rests=True)

    assert await it.outcome(ORDER) == "sent"
    it.hold.rest(rests=False)
    await it.act()
    assert await it.outcome(ORDER) == "waits"


async def test_what_the_last_act_of_a_lost_user_sends_is_failed(it: World) -> None:
    await it.act()
    order = await it.edge.pause(ORDER)
    it.hold.abandon()
    await asyncio.sleep(0.01)

    assert it.edge.outcome(order) == "Aborted"
    assert await it.outcome(("POST", "https://shop.example/payments", "{}")) == "Aborted"


async def test_a_request_that_cannot_be_judged_is_not_sent(it: World) -> None:
    await it.act()

    assert await it.outcome(("POST", "https://[broken/orders", "{}")) == "Aborted"


async def test_a_login_of_the_browser_is_left_to_the_person_during_a_take_over_only(it: World) -> None:
    ask = it.edge.listeners["Fetch.authRequired"]
    for source, rests in (("Server", False), ("Proxy", False), ("Server", True)):
        it.hold.rest(rests=rests)
        ask({"requestId": f"{source} {rests}", "authChallenge": {"source": source}}, None)
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert it.edge.done == [
        ("Server False", "CancelAuth"),
        ("Proxy False", "Default"),
        ("Server True", "Default"),
    ]


class Gone:
    """A browser whose DevTools cannot be reached any more."""

    async def attach(self, receive: object, lost: object) -> DevToolsConnection:
        raise ConnectionError("the browser is gone")


async def test_bytes_of_a_socket_that_nobody_can_judge_do_not_leave(it: World) -> None:
    egress = Egress(Reach(private_network="always"))
    hold = ChromiumHold(cast(Cdp, it.edge), egress=egress, devtools=Gone())
    await hold.start()
    await hold.begin(ActTerms(), PAGE, is_passive=False)
    assert egress.gates == [hold]
    visit = asyncio.create_task(asyncio.Event().wait())
    connection = SocketConnection("shop.example", 443, cast("asyncio.Task[None]", visit))

    await hold.pass_bytes(connection)
    await asyncio.gather(visit, return_exceptions=True)
    assert visit.cancelled()
    await hold.end()
    hold.rest(rests=False)  # no act any more
    await hold.pass_bytes(connection)
    hold.close()
    assert egress.gates == []
