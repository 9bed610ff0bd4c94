"""A person who takes over the browser of a session, enters something and gives it back."""

from __future__ import annotations

from server.browser.pool import BrowserPool
from server.browser.takeover.user_input import Mouse, Text
from tests.support.sites import Site

IN_FIELD, IN_FRAME = (150, 40), (150, 85)
_ASKING = """<!doctype html><title>Form</title><style>body{margin:0}input,iframe{display:block;width:300px;height:40px;border:0}</style>
<label>Name <input id=a></label><iframe src=%s></iframe><a href=/form>Elsewhere</a><script>
onbeforeunload = event => event.preventDefault()</script>"""
_INNER = "<!doctype html><style>body{margin:0}input{width:280px;height:30px}</style><input aria-label=Town>"


def asking_form(site: Site) -> str:
    """The address of a page that asks before it is left, with a field of its own and one in a frame of another site."""
    inner = site.add("/inner", _INNER).replace("127.0.0.1", "localhost")
    return site.add("/asks", _ASKING % inner)


async def enter_by_hand(pool: BrowserPool, session_id: str, at: tuple[int, int], words: str = "Ann") -> str:
    """Click at a point and enter the words; returns the report that the agent gets of it."""
    view = pool.live(session_id)
    viewer = view.join()
    await view.take(viewer)
    for kind in ("move", "down", "up"):
        view.act(viewer, Mouse(type="mouse", kind=kind, x=at[0], y=at[1], button=0))
    if words:
        view.act(viewer, Text(type="text", text=words))
    changes = await view.hand_back(viewer)
    view.leave(viewer)
    return changes
