"""What an approved act sent is proved: the real operator and browser, the model over its real wire."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.operator_tasks import task
from tests.support.operator_world import World
from tests.support.scripted_model import click, navigate, stop
from tests.support.sites import Answer, Effect, Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHOP = """<title>Shop</title><h1>Basket</h1><p>Total 43.90</p><p role=status id=said></p>
<button onclick="send()">Place order</button><script>
const send = async () => { said.textContent = ''
  const answer = await fetch('%s?session=s3cret', {method: 'POST', body: 'item=kettle'}).catch(() => ({status: 0}))
  said.textContent = answer.status === 201 ? 'Order 1001 is placed' : 'Your order was not taken' }
</script>"""
FORM = """<title>Form</title><h1>Basket</h1><form method=post action=/form-order>
<input type=hidden name=item value=kettle><button>Place order</button></form>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.add("/good", SHOP % "/orders")
        site.add("/refused", SHOP % "/closed")
        site.add("/lost", SHOP % "/broken")
        site.add("/form", FORM)
        site.add("/thanks", "<title>Thanks</title><h1>Thank you for your order</h1>")
        site.pages |= {
            "/orders": lambda _: Answer(b"{}", 201),
            "/closed": lambda _: Answer(b"{}", 403),
            "/broken": lambda _: None,
            "/form-order": lambda _: Answer(b"", 302, headers={"Location": "/thanks"}),
        }
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> SessionBrowser:
    browser = cast(SessionBrowser, await pool.get("effects"))
    await browser.navigate("about:blank")
    site.effects.clear()
    return browser


async def ordered(it: World) -> str | None:
    assert await it.say("order it") is None
    return await it.answer(True)


def proof(it: World) -> tuple[str, list[tuple[Any, ...]], str]:
    end = it.of("tool_end")[-1]
    sent = [(one["method"], one["path"], one.get("status") or one["failure"]) for one in end["effects"]]
    return end["effect"], sent, end["page_says"]


async def test_an_order_that_was_taken_is_proved(browser: SessionBrowser, site: Site) -> None:
    async with task(browser, navigate(site.url("/good")), click("Place order"), stop("Ordered.")) as it:
        assert await ordered(it) == "Ordered."
        assert proof(it) == ("accepted", [("POST", "/orders", 201)], "Order 1001 is placed")
        assert "s3cret" not in str(it.of("tool_end"))
        assert "kettle" not in str(it.of("tool_end")) + str(it.values["sent"])
        assert f"sent POST 127.0.0.1:{site.port}/orders 201" in it.options["server"].requests[-1].text


async def test_sent_cannot_be_said_over_a_refusal(browser: SessionBrowser, site: Site) -> None:
    claims = [stop("Your order was sent."), stop("Really, your order was sent.")]
    async with task(browser, navigate(site.url("/refused")), click("Place order"), *claims) as it:
        answer = await ordered(it)
        assert proof(it) == ("refused", [("POST", "/closed", 403)], "Your order was not taken")
        fact = f"POST 127.0.0.1:{site.port}/closed"
        assert (
            f"it does not say that a request was refused: {fact} 403"
            in it.options["server"].requests[-1].text
        )
        assert answer == f"Really, your order was sent.\n\nRefused: {fact} — 403"
        assert it.spoken == answer


async def test_whether_an_order_over_a_broken_connection_arrived_is_not_known(
    browser: SessionBrowser, site: Site
) -> None:
    async with task(browser, navigate(site.url("/lost")), click("Place order"), stop("I do not know.")) as it:
        assert await ordered(it) == "I do not know."
        assert proof(it) == ("unknown", [("POST", "/broken", "dropped")], "Your order was not taken")
        assert "not known whether it arrived: POST" in it.options["server"].requests[-1].text


async def test_a_form_that_opens_a_page_is_proved_with_the_page(browser: SessionBrowser, site: Site) -> None:
    async with task(browser, navigate(site.url("/form")), click("Place order"), stop("Ordered.")) as it:
        await ordered(it)
        sent = [("POST", "/form-order", 302), ("GET", "/thanks", 200)]
        assert proof(it) == ("accepted", sent, "Thank you for your order")


async def test_the_second_of_two_equal_orders_is_marked(browser: SessionBrowser, site: Site) -> None:
    turns = (navigate(site.url("/good")), click("Place order"), click("Place order"), stop("Ordered twice."))
    async with task(browser, *turns) as it:
        assert await ordered(it) is None
        assert await it.answer(True) == "Ordered twice."
        assert [end["effects"][0]["repeated"] for end in it.of("tool_end")[1:]] == [False, True]
        assert ", the same as before" in it.options["server"].requests[-1].text
    assert site.effects == [Effect("orders", {"item": "kettle"})] * 2


async def test_a_click_that_needs_no_approval_waits_for_nothing(browser: SessionBrowser, site: Site) -> None:
    async with task(browser, navigate(site.url("/good")), stop("Seen.")) as it:
        assert await it.say("look at it") == "Seen."
        assert "effect" not in it.of("tool_end")[0]
