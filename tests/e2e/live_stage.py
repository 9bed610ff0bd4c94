"""A scripted browser behind the live view's WebSocket: what it shows, who holds it, what reaches it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page, WebSocketRoute, expect
from pydantic import ValidationError

from tests.support.eventually import eventually_sync

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VIEWPORT = (1280, 720)
SHOP = "https://shop.example/basket"
ELEMENTS = [
    {"eid": "e1", "role": "textbox", "name": "Address", "value": ""},
    {"eid": "e2", "role": "textbox", "name": "Password"},
    {"eid": "e3", "role": "button", "name": "Log in"},
]


class LiveStage:
    """Serves `/live` of every session of a page. `heard` holds what the UI said, acknowledgements apart.

    It parses messages as the server does: what the server would refuse fails the test.
    """

    def __init__(self, page: Page, *, holder: str = "none", browser: str = "open") -> None:
        self.heard: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.acks = 0
        self.opened = 0
        self._is_closed = False
        self.state: dict[str, Any] = {
            "type": "state", "holder": holder, "browser": browser, "url": SHOP, "title": "Basket – Shop",
            "viewport": list(VIEWPORT), "tabs": [{"index": 0, "title": "Basket – Shop", "url": SHOP, "active": True}],
        }  # fmt: skip
        self._page = page
        self._socket: WebSocketRoute | None = None
        page.route_web_socket("**/live", self._open)

    def _open(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        self.opened += 1
        socket.on_close(lambda code, reason: setattr(self, "_is_closed", True))
        socket.on_message(self._hear)
        self.tell()
        if self.state["browser"] != "closed":
            self.show()

    def _hear(self, data: str | bytes) -> None:
        message = json.loads(data)
        try:
            _wanted().validate_python(message)
        except ValidationError as error:
            self.refused.append(str(error))
        match message["type"]:
            case "ack":
                self.acks += 1
                return
            case "take" if self.state["holder"] == "other":
                self.send(
                    {"type": "error", "code": "takeover_held", "message": "Another person has the browser."}
                )
            case "take":
                self.tell(holder="me")
            case "release":
                self.tell(holder="none")
            case "elements":
                self.send({"type": "elements", "items": ELEMENTS})
            case "go":
                self.tell(url=message["url"], browser="open")
        self.heard.append(message)

    def send(self, message: dict[str, Any]) -> None:
        assert self._socket
        self._socket.send(json.dumps(message))

    def tell(self, **changes: Any) -> None:
        """The state, changed like this."""
        self.state |= changes
        self.send(self.state)

    def show(self, words: str = "Your basket") -> None:
        """A frame with these words on it."""
        assert self._socket
        self.send({"type": "frame", "width": VIEWPORT[0], "height": VIEWPORT[1]})
        self._socket.send(picture(words))

    def drop(self) -> None:
        """The connection breaks."""
        assert self._socket
        self._socket.close(code=1011)

    def said(self, type_: str, /, **like: Any) -> list[dict[str, Any]]:
        """What the UI said of this type and with these fields."""
        assert self.refused == []
        return [it for it in self.heard if it["type"] == type_ and it.items() >= like.items()]

    def wait_for(self, type_: str, count: int = 1, /, **like: Any) -> list[dict[str, Any]]:
        """The same, when the UI has said it so often."""
        self._wait(lambda: len(self.said(type_, **like)) >= count, f"{count} {type_} {like}")
        return self.said(type_, **like)

    def wait_for_wheel(self, dy: float) -> float:
        """How far the UI has turned the wheel, when that is so far or more."""
        self._wait(lambda: self._turned() >= dy, f"the wheel is turned by {dy}")
        return self._turned()

    def _turned(self) -> float:
        return float(sum(message["dy"] for message in self.said("wheel")))

    def wait_for_connection(self, number: int) -> None:
        self._wait(lambda: self.opened >= number, f"connection {number}")

    def wait_for_acks(self, count: int) -> None:
        self._wait(lambda: self.acks >= count, f"{count} acknowledgements")

    def wait_for_close(self) -> None:
        self._wait(lambda: self._is_closed, "the end of the connection")

    def _wait(self, is_true: Callable[[], bool], what: str) -> None:
        eventually_sync(
            is_true,
            timeout=60,
            message=lambda: f"{what}; heard: {self.heard}, {self.acks} acknowledgements",
            interval=0.05,
            pause=lambda seconds: self._page.wait_for_timeout(1000 * seconds),
        )


def _wanted() -> TypeAdapter[Any]:
    """What the server takes of the UI. It is imported when a page has said something: it costs 2 s of CPU time."""
    from server.api.live import WANTED

    return WANTED


def picture(words: str) -> bytes:
    """A JPEG of a page that says this."""
    image = Image.new("RGB", VIEWPORT, "#fdfbf5")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, VIEWPORT[0], 64), fill="#1d4d4f")
    draw.text((40, 16), "Shop", fill="white", font=ImageFont.load_default(28))
    draw.text((40, 110), words, fill="#22302f", font=ImageFont.load_default(40))
    for row, text in enumerate(("1 x Blue kettle    EUR 43.90", "Delivery    free")):
        draw.text((40, 190 + 44 * row), text, fill="#455", font=ImageFont.load_default(24))
    draw.rounded_rectangle((40, 320, 260, 376), 8, fill="#c2410c")
    draw.text((76, 333), "Place order", fill="white", font=ImageFont.load_default(24))
    data = io.BytesIO()
    image.save(data, "JPEG", quality=70)
    return data.getvalue()


def frame_is_shown(page: Page) -> None:
    """Until something is painted on the page's canvas."""
    expect(page.locator("canvas")).to_be_visible()
    page.wait_for_function(
        "() => [...document.querySelectorAll('canvas')].some(c => c.width > 300 &&"
        " c.getContext('2d').getImageData(10, 10, 1, 1).data[1] > 40)"
    )
