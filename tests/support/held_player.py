"""A site with a harmless-looking button that sends an order, and a player of the model that presses it."""

from __future__ import annotations

import re

from tests.support.cluster import move
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.sites import Answer, Effect, Site

ORDER = Effect("orders", {"item": "kettle"})
DONE = "It was sent."
SAYS = "new orders to 127.0.0.1 (item)"
PICTURE = """<title>Picture</title><h1>A walk</h1><p role=status id=said></p><button type=button
onclick="fetch('/orders', {method: 'POST', body: 'item=kettle'}).then(() => { said.textContent = 'Sent' })">Zoom in</button>"""


class PictureSite(Site):
    def __init__(self) -> None:
        super().__init__()
        self.pages |= {"/picture": lambda _: PICTURE, "/orders": lambda _: Answer(b"{}", 201)}


class PicturePlayer:
    """Opens `start` and presses the button until the page says that it was sent. `seen` is what it was shown.

    `has_tools`: by the tools of the assistant, not by the moves of the operator.
    """

    def __init__(self, *, has_tools: bool = False) -> None:
        self.start = ""
        self.has_tools = has_tools
        self.seen: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        text = asked.last_text
        self.seen.append(text)
        if "Sent" in text:
            return say(DONE) if self.has_tools else move("stop", final_response=DONE)
        if button := re.search(r'\[(\w+)\] button "Zoom in"', text):
            if self.has_tools:
                return call("browser_click", {"element": "Zoom in", "target": button[1]})
            return move("click", eid=button[1])
        if self.has_tools:
            return call("browser_navigate", {"url": self.start})
        return move("navigate", url=self.start)
