"""Scrolling over an element and to a text, in real pages: long ones, lists that scroll by themselves, feeds."""

from __future__ import annotations

from time import monotonic

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.sites import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROWS = "".join(f"<tr><td>Member {at}</td><td><button>Remind</button></td></tr>" for at in range(300))
PANE = """<title>Pane</title><style>body{margin:0;overflow:hidden}#pane{width:300px;height:400px;overflow:auto;
position:relative}.row{position:absolute;height:40px}</style><div id=pane><div style="height:5600px"></div></div>
<p>Right</p><script>
const draw = () => { for (const old of pane.querySelectorAll('button')) old.remove();
  const first = Math.floor(pane.scrollTop / 40);
  for (let at = first; at < first + 11; at++) { const row = document.createElement('button'); row.className = 'row';
    row.style.top = at * 40 + 'px'; row.textContent = 'Person ' + at; pane.append(row); } };
pane.addEventListener('scroll', draw); draw();</script>"""
FEED = """<title>Feed</title><div id=feed></div><script>
let count = 0;
const more = () => { for (let at = 0; at < 5; at++, count++) { const post = document.createElement('p');
  post.style.height = '200px'; post.textContent = 'Post ' + count; feed.append(post); } };
more();
addEventListener('scroll', () => { if (count < 40 && innerHeight + scrollY > feed.scrollHeight - 50)
  setTimeout(more, 80); });</script>"""


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("scrolling")


def names(seen) -> list[str]:
    return [one.name for one in seen.interactive if one.visible]


async def test_a_row_far_down_comes_into_view_by_its_words(browser: SessionBrowser, site: Site):
    await browser.navigate(site.add("/rows", f"<title>Rows</title><table>{ROWS}</table>"))
    assert "Member 250" not in (await browser.observe()).text()
    assert (await browser.scroll_to("member 250")).ok
    seen = await browser.observe()
    found = [one for one in seen.interactive if one.visible and "Member 250" in one.context]
    assert [one.name for one in found] == ["Remind"]
    outcome = await browser.scroll_to("Member 999")
    assert not outcome.ok
    assert "no such text" in outcome.text


async def test_a_list_scrolls_under_an_element_of_it_and_not_the_window(browser: SessionBrowser, site: Site):
    await browser.navigate(site.add("/pane", PANE))
    first = element(await browser.observe(), "Person 2")
    assert (await browser.scroll("down", 400, first)).ok
    shown = names(await browser.observe())
    assert "Person 15" in shown
    assert "Person 2" not in shown


async def test_a_list_with_only_what_is_in_view_is_searched_to_a_row(browser: SessionBrowser, site: Site):
    await browser.navigate(site.add("/pane", PANE))
    first = element(await browser.observe(), "Person 2")
    assert (await browser.scroll_to("Person 93", over=first)).ok
    assert "Person 93" in names(await browser.observe())


@pytest.mark.parametrize(("query", "is_there"), [("Post 33", True), ("Post 77", False)])
async def test_a_feed_that_loads_more_is_scrolled_until_the_text_or_its_end(
    browser: SessionBrowser, site: Site, query: str, is_there: bool
):
    await browser.navigate(site.add("/feed", FEED))
    assert (await browser.scroll_to(query)).ok == is_there
    assert (query in (await browser.observe()).text()) == is_there


BARS = """<title>Bars</title><style>body{{margin:0}}p{{height:{gap}px}}
header,footer{{position:fixed;left:0;right:0;background:#ccc}}header{{top:0;height:{top}px}}footer{{bottom:0;height:{bottom}px}}
</style><header>Shop</header><p>a<p>b<p>c<p><button onclick="this.textContent = 'Pressed'">Save</button><p>d<p>e<p>f
<footer>Chat with us <button>OK</button></footer>"""


@pytest.mark.parametrize(
    ("gap", "top", "bottom"),
    [(300, 0, 90), (200, 120, 500), (150, 0, 250)],
    ids=["below", "narrow", "in view"],
)
async def test_a_bar_at_the_edge_of_the_window_covers_no_click(
    browser: SessionBrowser, site: Site, gap: int, top: int, bottom: int
):
    await browser.navigate(site.add("/bars", BARS.format(gap=gap, top=top, bottom=bottom)))
    began = monotonic()
    outcome = await browser.click(element(await browser.observe(), "Save"))
    assert outcome.ok, outcome.text
    assert monotonic() - began < 6, "the tool server alone gives up after 8 s"
    assert element(await browser.observe(), "Pressed")
