"""After an act the page is looked at when it is quiet: what comes a little later is there at once."""

from __future__ import annotations

from time import monotonic

import pytest
import pytest_asyncio

from server.agent.effects import new_text
from server.browser.browser import Field
from server.browser.mcp.playwright_server import SERVER_WAITS
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from server.ops.program_files import PROGRAM_FILES
from tests.support.browsers import element
from tests.support.sites import Answer, Site, Visit

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = """<title>Late</title><style>#menu{visibility:hidden;transition:visibility 0s .3s}
#menu.on{visibility:visible}
@keyframes spin{to{transform:rotate(360deg)}}.turn{display:inline-block;animation:spin 1s infinite linear}</style>
<p class=turn>Advert</p>
<button onclick="setTimeout(() => says('Eighty'), 80)">Timer</button>
<button onclick="fetch('/slow').then(() => setTimeout(() => says('Fetched'), 60))">Fetch and render</button>
<button onclick="setTimeout(() => fetch('/slow').then(() => says('Fetched late')), 70)">Fetch late</button>
<button onclick="history.pushState(0, '', '/route'); says(''); fetch('/slow').then(() => says('Route'))">Route</button>
<button onclick="out.innerHTML = '<p role=status>Searching…</p>'; setTimeout(() => says('Found'), 700)">Search</button>
<button onclick="out.innerHTML = '<i class=spinner>wait</i>'; setTimeout(() => says('Loaded'), 700)">Load</button>
<button onclick="steps(1)">Steps</button>
<button onclick="menu.className = 'on'">Menu</button>
<button onclick="setTimeout(() => location = '/next', 60)">Leave late</button>
<button onclick="setTimeout(() => confirm('Sure?'), 60)">Ask late</button>
<button onclick="says('Now')">At once</button>
<button onclick="out.innerHTML = '<p role=status>Order 4711 placed</p>'; setTimeout(() => says('Thanks'), 350);
  fetch('/never')">Order</button>
<div id=menu>Entries</div><label>City <input id=city autocomplete=off></label><div id=out></div><script>
const says = text => { out.innerHTML = text && `<p>Says: ${text}</p>`; };
const steps = at => { says('step ' + at); if (at < 8) setTimeout(() => steps(at + 1), 30); };
let waiting;
city.oninput = () => { clearTimeout(waiting); waiting = setTimeout(() =>
  fetch('/slow').then(() => says('Bergen, Bern')), 200); };
setInterval(() => { document.title = 'Late ' + Date.now(); }, 1000);
</script>"""


def slow(visit: Visit) -> Answer:
    visit.site.pause(0.8)  # longer than a look takes on a busy machine
    return Answer(b"{}")


def never(visit: Visit) -> Answer:
    visit.site.pause(60)
    return Answer(b"{}")


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> SessionBrowser:
    site.add("/late", PAGE)
    site.add("/next", "<title>Next</title><h1>The next page</h1>")
    site.pages |= {"/slow": slow, "/never": never, "/dead.gif": never}
    return await pool.get("quiet")


@pytest.mark.parametrize(
    ("button", "text"),
    [
        ("Timer", "Says: Eighty"),
        ("Fetch and render", "Says: Fetched"),
        ("Fetch late", "Says: Fetched late"),
        ("Route", "Says: Route"),
        ("Search", "Says: Found"),
        ("Load", "Says: Loaded"),
        ("Steps", "Says: step 8"),
        ("Menu", "Entries"),
        ("Leave late", "The next page"),
        ("At once", "Says: Now"),
    ],
)
async def test_what_a_click_brings_a_little_later_is_seen_at_once(
    browser: SessionBrowser, site: Site, button: str, text: str
) -> None:
    await browser.navigate(site.url("/late"))
    assert (await browser.click(element(await browser.observe(), button))).ok
    assert text in (await browser.observe()).text()


async def test_a_list_that_comes_while_typing_is_seen_at_once(browser: SessionBrowser, site: Site) -> None:
    await browser.navigate(site.url("/late"))
    field = element(await browser.observe(), "City")
    assert (await browser.type([Field(field, "Ber")])).ok
    assert "Bergen, Bern" in (await browser.observe()).text()


async def test_a_dialog_that_opens_meanwhile_ends_the_wait(browser: SessionBrowser, site: Site) -> None:
    await browser.navigate(site.url("/late"))
    assert (await browser.click(element(await browser.observe(), "Ask late"))).ok
    assert "Sure?" in "\n".join((await browser.observe()).notes)
    assert (await browser.answer_dialog(True)).ok
    assert "Ask late" in (await browser.observe()).text()


@pytest.mark.parametrize(
    ("sends", "seconds"),
    [
        ("fetch('/count', {method: 'POST'})", 1.0),
        ("fetch('/count').then(answer => answer.ok)", 1.0),
        ("fetch('/never')", 4.0),
    ],
    ids=["unread", "head only", "never answered"],
)
async def test_an_answer_that_nobody_reads_costs_little(
    browser: SessionBrowser, site: Site, sends: str, seconds: float
) -> None:
    site.pages["/count"] = lambda _: Answer(b"x" * 3_000_000)
    await browser.navigate(
        site.add("/counting", f"""<button onclick="{sends}; this.textContent += '.'">Count</button>""")
    )
    lasted = []
    for clicks in range(4):
        button = element(await browser.observe(), f"Count{'.' * clicks}")
        began = monotonic()
        assert (await browser.click(button)).ok
        lasted.append(monotonic() - began)
    assert min(lasted) < seconds, "the tool server alone waits 5 s for it"
    assert element(await browser.observe(), "Count....")


async def test_a_picture_that_never_comes_is_not_waited_for_at_each_act(
    browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.add("/dead", f"{PAGE}<img src=/dead.gif>"))
    lasted = []
    for _ in range(4):
        button = element(await browser.observe(), "At once")
        began = monotonic()
        assert (await browser.click(button)).ok
        lasted.append(monotonic() - began)
    assert min(lasted) < 1.5, lasted


async def test_a_message_that_passes_while_an_act_is_waited_for_is_kept(
    browser: SessionBrowser, site: Site
) -> None:
    await browser.navigate(site.url("/late"))
    before = await browser.observe()
    assert (await browser.click(element(before, "Order"))).ok
    after = await browser.observe()
    assert "Says: Thanks" in after.text()
    assert 'The page showed for a moment: "Order 4711 placed"' in after.notes
    assert "Order 4711 placed" in new_text(before, after)
    assert "Order 4711 placed" not in (await browser.observe()).text()


async def test_the_pinned_tool_server_has_the_waits_that_are_left_out() -> None:
    source = (PROGRAM_FILES / "node_modules/playwright-core/lib/coreBundle.js").read_text(encoding="utf-8")
    assert [source.count(wait) for wait, _ in SERVER_WAITS] == [1] * len(SERVER_WAITS)
