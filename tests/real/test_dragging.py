"""Cards of a board: what can be dragged and where to are elements, and a drag between them drops the card."""

from __future__ import annotations

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.sites import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

BOARD = """<title>Board</title><style>#board{display:flex;gap:9px}.column{width:260px;min-height:300px}
.card{margin:9px;padding:9px}</style><h1>Move</h1><div id=board>
<section class=column><h2>To do</h2><div class=card draggable=true>Cancel the lease <button>Edit</button></div>
<div class=card draggable=true>Order boxes</div></section>
<section class=column aria-label="Doing now"><h2>Doing</h2></section>
<section class=column><h2>Done</h2><div class=card draggable=true>Sign</div></section></div>
<p id=state>Nothing moved</p><script>
let held = null;
board.addEventListener('dragstart', event => { held = event.target; event.dataTransfer.setData('text/plain', ''); });
board.addEventListener('dragover', event => event.preventDefault());
board.addEventListener('drop', event => { const column = event.target.closest('.column'); column.append(held);
  state.textContent = `${held.firstChild.data.trim()} is in ${column.querySelector('h2').textContent}`; });
</script>"""


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("dragging")


async def test_cards_and_columns_have_lines_of_their_own_and_keep_their_buttons(
    browser: SessionBrowser, site: Site
):
    await browser.navigate(site.add("/board", BOARD))
    seen = await browser.observe()
    found = [(one.role, one.name) for one in seen.interactive]
    assert [name for role, name in found if role == "draggable"] == [
        "Cancel the lease",
        "Order boxes",
        "Sign",
    ]
    assert [name for role, name in found if role == "dropzone"] == ["To do", "Doing now", "Done"]
    assert ("button", "Edit") in found


async def test_a_card_is_dropped_into_an_empty_column_and_onto_another_card(
    browser: SessionBrowser, site: Site
):
    await browser.navigate(site.add("/board", BOARD))
    seen = await browser.observe()
    assert (await browser.drag(element(seen, "Order boxes"), element(seen, "Doing now"))).ok
    seen = await browser.observe()
    assert "Order boxes is in Doing" in seen.text()
    assert (await browser.drag(element(seen, "Cancel the lease"), element(seen, "Sign"))).ok
    assert "Cancel the lease is in Done" in (await browser.observe()).text()
