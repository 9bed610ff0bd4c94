"""A site with a harmless-looking button that sends an order, and a player of the model that presses it."""

from __future__ import annotations

import re

from tests.support.cluster import move
from tests.support.model_reply import Asked, Reply
from tests.support.sites import Answer, Effect, Site

ORDER = Effect("orders", {"item": "kettle"})
SAYS = "new orders to 127.0.0.1 (item)"
PICTURE = """<title>Picture</title><h1>A walk</h1><p role=status id=said></p><button type=button
onclick="fetch('/orders', {method: 'POST', body: 'item=kettle'}).then(() => { said.textContent = 'Sent' })">Zoom in</button>"""


class PictureSite(Site):
    def __init__(self) -> None:
        super().__init__()
        self.pages |= {"/picture": lambda _: PICTURE, "/orders": lambda _: Answer(b"{}", 201)}


class PicturePlayer:
    """Opens `start` and presses the button until the page says that it was sent. `seen` is what it was shown."""

    def __init__(self) -> None:
        self.start = ""
        self.seen: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        text = asked.last_text
        self.seen.append(text)
        if "Sent" in text:
            return move("stop", final_response="It was sent.")
        if button := re.search(r'\[(e\d+)\] button "Zoom in"', text):
            return move("click", eid=button[1])
        return move("navigate", url=self.start)
