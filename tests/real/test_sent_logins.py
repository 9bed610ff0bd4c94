"""What a person types into login forms during a takeover, as far as it is read when the form is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from server.browser.takeover.chromium_view import CdpScreen
from server.browser.takeover.sent_logins import SentLogin
from server.browser.takeover.user_input import ClickElement, KeyPress, TypeInto
from tests.support.eventually import eventually
from tests.support.login_pages import MadeUpHosts, made_up_hosts

pytestmark = pytest.mark.asyncio(loop_scope="module")

USER, PASSWORD = "ann.canary@example.org", "c4nary Pass#1"
SHOP = "https://shop.example"
USER_FIELD = "<label>User name <input name=user autocomplete=username></label>"
PASSWORD_FIELD = "<label>Password <input name=pass type=password></label>"
BUTTON = "<button>Sign in</button>"
ORDINARY = f"<form method=post action=/in>{USER_FIELD}{PASSWORD_FIELD}{BUTTON}</form>"
BOTH = {"User name": USER, "Password": PASSWORD}
SHADOW = f"<log-in></log-in><script>document.querySelector('log-in').attachShadow({{mode: 'open'}}).innerHTML = `{ORDINARY}`</script>"
CLEARS = "<script>document.forms[0].addEventListener('submit', (e) => { e.preventDefault(); e.target.reset() })</script>"


@dataclass(frozen=True)
class Case:
    name: str
    html: str
    typed: dict[str, str]
    read: tuple[str, str] | None
    """User and password."""
    by: str = "Sign in"
    """The button that is pressed; "" for Enter."""


CASES = [
    Case("a form", ORDINARY, BOTH, (USER, PASSWORD)),
    Case("by Enter", ORDINARY, BOTH, (USER, PASSWORD), by=""),
    Case("kept and cleared by a script", ORDINARY + CLEARS, BOTH, (USER, PASSWORD)),
    Case("without a form", f"<div>{USER_FIELD}{PASSWORD_FIELD}<button type=button>Sign in</button></div>", BOTH, (USER, PASSWORD)),
    Case("a shadow root", SHADOW, BOTH, (USER, PASSWORD)),
    Case("a user name that was there", ORDINARY.replace("name=user", f"name=user value={USER}"), {"Password": PASSWORD}, (USER, PASSWORD)),
    Case("the first of two steps", f"<form action=/next>{USER_FIELD}{BUTTON}</form>", {"User name": USER}, (USER, "")),
    Case("a password that the page wrote", ORDINARY.replace("name=pass", "name=pass value=theirs"), {"User name": USER}, None),
    Case("a new account", ORDINARY.replace("name=pass", "name=pass autocomplete=new-password"), BOTH, None),
    Case("sent by nobody", ORDINARY.replace("<button>", "<button type=button>"), BOTH, None),
    Case("a search", "<form action=/find><label>Search <input name=q></label><button>Go</button></form>", {"Search": "shoes"}, None, by="Go"),
]  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("logins")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosts(browser: SessionBrowser) -> AsyncIterator[MadeUpHosts]:
    async with made_up_hosts(browser) as hosts:
        yield hosts


async def sign_in(case: Case, browser: SessionBrowser, hosts: MadeUpHosts, *, reads: bool) -> list[SentLogin]:
    """What was read."""
    hosts.pages.clear()
    end = "<!doctype html><title>End</title>"
    hosts.pages |= {f"{SHOP}/{page}": end for page in ("in", "next", "find")}
    hosts.pages[f"{SHOP}/login"] = f"<!doctype html><title>Start</title><body>{case.html}"
    await browser.navigate(f"{SHOP}/login")
    found: list[SentLogin] = []
    screen = CdpScreen(
        lambda: browser, lambda: asyncio.sleep(0, browser), lambda host, port: None, lambda: reads
    )
    screen.on_login_sent = found.append
    screen.hold()
    try:
        named = {one.name: one.eid for one in (await screen.elements()).items}
        for name, text in case.typed.items():
            await screen.do(TypeInto(type="type", eid=named[name], text=text))
        if case.by:
            await screen.do(ClickElement(type="click", eid=named[case.by]))
        else:
            for kind in ("down", "up"):
                await screen.press(KeyPress(type="key", kind=kind, key="Enter", code="Enter"))
        if case.read and reads:
            await eventually(lambda: found, message="the login")
    finally:
        changes = await screen.hand_back()
    assert PASSWORD not in changes
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_login_is_read_when_a_person_sends_its_form(
    case: Case, browser: SessionBrowser, hosts: MadeUpHosts
) -> None:
    found = await sign_in(case, browser, hosts, reads=True)
    assert {(one.user, one.password) for one in found} == ({case.read} if case.read else set())
    assert all(one.host == "shop.example" and one.form.origins == (SHOP,) for one in found)


async def test_nothing_is_read_where_no_offers_are_wanted(
    browser: SessionBrowser, hosts: MadeUpHosts
) -> None:
    assert await sign_in(CASES[0], browser, hosts, reads=False) == []
