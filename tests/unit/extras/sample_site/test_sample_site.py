"""The sample site: the same in three languages, made up and saying so, reached through a browser's proxy only."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from server.browser.chromium.egress import Egress
from server.browser.chromium.reach import Reach
from server.extras.sample_site.site import HOST, LANGUAGES, SITE_FOLDER, SampleSite
from server.extras.sample_site.visit import MAX_BASKET_ITEMS, Visit
from server.settings import Settings

PATHS = (
    "",
    "/shop",
    "/shop/tide",
    "/basket",
    "/order",
    "/mail",
    "/mail/1",
    "/calendar",
    "/stock",
    "/account",
)


class Visitor:
    """Keeps its cookie, as a browser does."""

    def __init__(self) -> None:
        self._site = SampleSite()
        self.cookie = ""

    async def get(self, path: str) -> str:
        return await self._ask(f"GET {path} HTTP/1.1", "")

    async def post(self, path: str, **fields: str) -> str:
        """The page that the form leads to."""
        answer = await self._ask(f"POST {path} HTTP/1.1", urlencode(fields))
        place = re.search(r"location: (\S+)", answer)
        assert place, answer
        return await self.get(place[1])

    async def _ask(self, head: str, body: str) -> str:
        reader, writer = await self._site.connect()
        lines = (
            head,
            f"host: {HOST}",
            "connection: close",
            f"content-length: {len(body)}",
            f"cookie: visit={self.cookie}",
        )
        writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        answer = (await reader.read()).decode()
        writer.close()
        if cookie := re.search(r'set-cookie: visit="?([^";]*)', answer):
            self.cookie = cookie[1]
        return answer


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_each_page_says_that_all_is_made_up(lang: str) -> None:
    made_up = json.loads((SITE_FOLDER / f"texts/{lang}.json").read_text("utf-8"))["made_up"]
    visitor = Visitor()
    for path in PATHS:
        page = await visitor.get(f"/{lang}{path}")
        assert page.startswith("HTTP/1.1 200"), path
        assert made_up in page, path
    assert (await visitor.get(f"/{lang}/nowhere")).startswith("HTTP/1.1 404")


def keys_of(value: object, at: str = "") -> Iterator[str]:
    """The places of all texts; those of lists by their number."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield from (at,) if not isinstance(value, dict | list) else ()
    for key, part in pairs:
        yield from keys_of(part, f"{at}/{key}")


async def test_what_holds_nothing_and_draws_no_power_has_no_zero() -> None:
    shop = await Visitor().get("/en/shop")
    assert "<td>0</td>" not in shop
    assert "<td>0.0</td>" not in shop


def test_the_languages_have_the_same_texts() -> None:
    english, *others = (
        set(keys_of(json.loads(path.read_text("utf-8"))))
        for path in sorted((SITE_FOLDER / "texts").iterdir(), key=lambda one: one.name != "en.json")
    )
    assert all(other == english for other in others)


async def test_an_order_has_a_number_and_the_sum_of_the_basket() -> None:
    visitor = Visitor()
    basket = await visitor.post("/en/basket", add="tide")
    assert "Total: 43.90 EUR" in basket
    ordered = await visitor.post("/en/order", name="Ada", address="1 Quay Street")
    assert re.search(r"Order number: HK-\d{5}", ordered)
    assert "43.90 EUR. Nothing was charged" in ordered
    assert "Your basket is empty" in await visitor.get("/en/basket")


async def test_an_empty_basket_is_not_ordered() -> None:
    assert "There is no order yet" in await Visitor().post("/en/order", name="Ada")


async def test_a_reply_and_an_appointment_are_kept_for_this_browser_only() -> None:
    visitor = Visitor()
    assert "Friday &lt;b&gt;" in await visitor.post("/en/mail/1", text="Friday <b>")
    assert "Sauna" in await visitor.post("/en/calendar", title="Sauna", day="5", time="18:00")
    assert "Sauna" not in await Visitor().get("/en/calendar")


async def test_the_login_takes_the_password_that_the_page_names() -> None:
    visitor = Visitor()
    assert "The password is not right" in await visitor.post("/en/account", user="ada", password="x")
    assert "Hello, Ada Brook" in await visitor.post("/en/account", user="ada", password="kettle")
    assert "Log in" in await visitor.post("/en/account", leave="yes")


@pytest.mark.parametrize("cookie", ["", "x", "e30", "bnVsbA==", "eyJiYXNrZXQiOiA1fQ=="])
async def test_a_strange_cookie_is_a_new_visit(cookie: str) -> None:
    assert Visit.read(cookie) == Visit()


async def test_a_full_visit_fits_a_cookie() -> None:
    visitor = Visitor()
    for _ in range(MAX_BASKET_ITEMS + 3):
        await visitor.post("/ru/basket", add="tide")
    await visitor.post("/ru/mail/1", text="я" * 2000)
    for _ in range(7):
        await visitor.post("/ru/calendar", title="я" * 200, day="1", time="10:00")
    assert len(visitor.cookie) < 4000
    assert Visit.read(visitor.cookie).reply is not None


async def over(egress: Egress, host: str, port: int) -> bytes:
    """What a browser of this proxy gets: the answer of SOCKS and the first line."""
    reader, writer = await asyncio.open_connection("127.0.0.1", egress.port)
    writer.write(
        b"\x05\x01\x00" + b"\x05\x01\x00\x03" + bytes((len(host),)) + host.encode() + port.to_bytes(2)
    )
    answer = await reader.readexactly(12)
    if answer[3]:
        writer.close()
        return answer[3:4]
    writer.write(f"GET /en HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
    line = await reader.readline()
    writer.close()
    return line


@pytest.mark.parametrize(
    ("blocked", "port", "seen"),
    [
        ((), 80, b"HTTP/1.1 200 OK\r\n"),
        (("localhost",), 80, b"HTTP/1.1 403 Forbidden\r\n"),
        ((), 81, b"\x01"),
    ],
)
async def test_the_proxy_leads_to_it_where_the_rules_allow(
    blocked: tuple[str, ...], port: int, seen: bytes
) -> None:
    egress = Egress(Reach("never", blocked_hosts=blocked), inner_sites={HOST: SampleSite().connect})
    await egress.start()
    try:
        assert await over(egress, HOST, port) == seen
        egress.use(Reach("never", blocked_hosts=("other.example",)))
        assert await over(egress, HOST, port) == (seen if port != 80 else b"HTTP/1.1 200 OK\r\n")
    finally:
        await egress.close()


async def test_without_it_its_name_leads_nowhere() -> None:
    egress = Egress(Reach("never"))
    await egress.start()
    try:
        assert await over(egress, HOST, 80) != b"HTTP/1.1 200 OK\r\n"
    finally:
        await egress.close()


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ({}, "here"),
        ({"sample_site": False}, "off"),
        ({"agent_mode": "mock"}, "off"),
        ({"allowed_hosts": "example.com"}, "out of reach"),
        ({"allowed_hosts": "example.com,localhost"}, "here"),
        ({"browser_pool": "http://browsers:9000", "browser_secret": "s" * 32}, "out of reach"),
    ],
)
def test_whether_the_browsers_reach_it(given: dict[str, object], state: str) -> None:
    assert Settings(_env_file=None, **given).sample_site_state == state  # type: ignore[call-arg, arg-type]
