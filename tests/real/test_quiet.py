"""After an act the page is looked at when it is quiet: what comes a little later is there at once."""

from __future__ import annotations

import pytest
import pytest_asyncio

from server.browser.browser import Field
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.sites import Answer, Site, Visit

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = """<title>Late</title><style>#menu{visibility:hidden;transition:visibility 0s .3s}
#menu.on{visibility:visible}
@keyframes spin{to{transform:rotate(360deg)}}.turn{animation:spin 1s infinite linear}</style>
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


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> SessionBrowser:
    site.add("/late", PAGE)
    site.add("/next", "<title>Next</title><h1>The next page</h1>")
    site.pages["/slow"] = slow
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
