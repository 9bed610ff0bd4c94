"""The pages of mock mode, and their rendering as images."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from PIL import Image, ImageDraw

from server.browser.observation.page_script import Box

VIEWPORT = (1280, 720)
MOCK_BLANK = "about:blank"


@dataclass(frozen=True, slots=True)
class PageControl:
    role: str
    name: str
    leads_to: str | None = None
    sends: str | None = None
    """Path of the request that a click sends; the site accepts it."""
    asks: str | None = None
    """Message of a confirm dialog that a click opens."""

    @property
    def is_field(self) -> bool:
        return self.role.endswith("box")

    @property
    def is_secret(self) -> bool:
        return self.name == "Password"


@dataclass(frozen=True, slots=True)
class MockPage:
    title: str
    heading: str
    texts: tuple[str, ...] = ()
    controls: tuple[PageControl, ...] = ()

    def places(self) -> Iterator[tuple[PageControl, Box]]:
        """Yield the controls with their boxes."""
        top = 120 + 40 * len(self.texts)
        for number, control in enumerate(self.controls):
            yield control, (40, top + 60 * number, 220, 44)


SHOP = "https://shop.example"
MAIL = "https://mail.example"
MOCK_PAGES: dict[str, MockPage] = {
    MOCK_BLANK: MockPage("", ""),
    f"{SHOP}/": MockPage(
        "Kettles – Shop", "Kettles", ("Blue kettle €43.90, in stock", "Red kettle €51.00, two weeks"),
        (PageControl("searchbox", "Search"), PageControl("link", "Blue kettle", f"{SHOP}/kettle"), PageControl("link", "Red kettle", f"{SHOP}/")),
    ),
    f"{SHOP}/kettle": MockPage(
        "Blue kettle – Shop", "Blue kettle", ("€43.90", "1.7 litres, switches itself off"),
        (PageControl("button", "Add to basket", f"{SHOP}/basket"), PageControl("link", "All kettles", f"{SHOP}/")),
    ),
    f"{SHOP}/basket": MockPage(
        "Basket – Shop", "Your basket", ("1 × Blue kettle", "Total €43.90"),
        (PageControl("button", "Place order", f"{SHOP}/thanks", "/orders"), PageControl("link", "Go on shopping", f"{SHOP}/")),
    ),
    f"{SHOP}/thanks": MockPage("Thank you – Shop", "Thank you for your order", ("Order 1001, €43.90",)),
    **{
        f"{SHOP}/orders/{number}": MockPage(
            f"Order {number} – Shop", "Your order", (f"{number} × Blue kettle", "Total €43.90"),
            (PageControl("button", "Place order", f"{SHOP}/orders/{number + 1}", f"/orders/{number}"),) if number < 4 else (),
        )
        for number in range(1, 5)
    },
    f"{MAIL}/login": MockPage(
        "Log in – Mail", "Log in", (),
        (PageControl("textbox", "Address"), PageControl("textbox", "Password"), PageControl("button", "Log in", f"{MAIL}/inbox")),
    ),
    f"{MAIL}/inbox": MockPage("Inbox – Mail", "Inbox", ("3 new messages",),
        (PageControl("link", "Invoice 12"), PageControl("button", "Delete all", asks="Delete all messages?")),
    ),
}  # fmt: skip


def draw(
    page: MockPage, typed: Mapping[str, str], size: tuple[int, int] = VIEWPORT, *, focused: str | None = None
) -> bytes:
    """Render the page with its field values as a JPEG. CPU-bound."""
    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    canvas.text((40, 40), page.heading, fill="#14171c", font_size=32)
    for number, text in enumerate(page.texts):
        canvas.text((40, 100 + 40 * number), _drawable(text), fill="#4f5764", font_size=20)
    for control, (left, top, width, height) in page.places():
        color, line = ("#c2410c", 3) if control.name == focused else ("#2f5bd7", 2)
        canvas.rounded_rectangle((left, top, left + width, top + height), radius=6, outline=color, width=line)
        value = typed.get(control.name, "")
        shown = "*" * len(value) if control.is_secret else value
        canvas.text((left + 16, top + 10), _drawable(shown or control.name), fill="#2f5bd7", font_size=20)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()


def draw_icon() -> bytes:
    """The icon of all sites of mock mode, as a PNG. CPU-bound."""
    image = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    ImageDraw.Draw(image).rounded_rectangle((2, 2, 29, 29), radius=8, fill="#2f5bd7")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _drawable(text: str) -> str:
    """Replace the characters that Pillow's default font lacks."""
    return text.replace("€", "EUR ").replace("×", "x")
