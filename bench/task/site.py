"""The site of the tasks: the pages in `pages/`, those that are made by functions, and what the pages fetch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.documents import article_page, make_pdf, table_page
from tests.support.shop_site import open_shop
from tests.support.sites import Answer, Page, Site, Visit, document

FOLDER = Path(__file__).parent / "pages"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
EFFECTS = (
    "flights", "ferry", "hotel", "trash", "star", "archive", "delete", "snooze", "starred", "like", "remind", "edit",
    "journey", "invite", "seats", "code", "details", "later", "review", "removed", "viewed", "delivery", "heating", "comment",
    "seat", "drawing", "moved", "order_saved",
)  # fmt: skip
"""What pages report with `report(NAME, FIELDS)`; the site keeps each as an effect of this name."""
STATIONS = (
    "Bergen", "Berlin Hbf", "Berlin Ostbahnhof", "Bern", "Hamburg Altona", "Hamburg Dammtor", "Hamburg Hbf",
    "Hamburg Harburg", "Hamm", "Oslo S", "Osnabrück",
)  # fmt: skip
RESULTS, PER_PAGE = 48, 8
MAKERS = ("Nordtre", "Hay & Sons", "Kielwerk", "Lumo")
ITEMS = ("Oak desk", "Reading lamp", "Pine shelf", "Office chair", "Hall mirror", "Wool rug", "Coat stand")


def open_site(site: Site) -> None:
    """Adds all pages to the shop's and the site's own."""
    open_shop(site)
    for path in FOLDER.iterdir():
        site.pages[f"/{path.name}"] = _file(path)
    for name in EFFECTS:
        site.pages[f"/effect/{name}"] = lambda _: Answer(status=204)
    site.add("/mills", article_page())
    site.add("/parts", table_page())
    site.pages |= {
        "/application": lambda _: document("Thank you", "<h1>Thank you</h1><p>Your number is V-2231.</p>"),
        "/catalogue": _catalogue, "/api/stations": _stations, "/readings.csv": _readings,
        "/report_2024.pdf": _report(2024, 3.1), "/report_2025.pdf": _report(2025, 2.7),
    }  # fmt: skip


def _file(path: Path) -> Page:
    kind = f"{TYPES[path.suffix]}; charset=utf-8"
    return lambda _: Answer(path.read_bytes(), type=kind)


def item(number: int) -> tuple[str, str, int]:
    """Name, maker and price in euros of the catalogue's item `number`, from 0."""
    name = "Walnut desk" if number == 37 else ITEMS[number % len(ITEMS)]
    return (
        f"{name} {number + 1}",
        MAKERS[number * 3 % 4 if number % 3 else number % 4],
        30 + number * 47 % 400,
    )


def _catalogue(visit: Visit) -> str:
    """Results in pages; the links below them are those of a usual shop."""
    page, last = visit.number("page", 1), RESULTS // PER_PAGE
    cards = "".join(
        f'<article><h2><a href="/catalogue/{number}">{name}</a></h2><p>by {maker}</p><p>€{price}.00</p>'
        "<button>Compare</button></article>"
        for number in range((page - 1) * PER_PAGE, page * PER_PAGE)
        for name, maker, price in [item(number)]
    )
    pages = " ".join(
        f"<strong>{at}</strong>" if at == page else f'<a href="/catalogue?page={at}">{at}</a>'
        for at in range(1, last + 1)
    )
    following = f'<a href="/catalogue?page={page + 1}" rel=next>Next ›</a>' if page < last else ""
    return document(
        "Furniture",
        f"<header><a href=/>Home</a></header><h1>Furniture</h1><p>{RESULTS} results, page {page} of {last}</p>{cards}"
        f"<nav aria-label=Pages>{pages} {following}</nav><footer><a href=/imprint>Imprint</a></footer>",
        "<link rel=stylesheet href=/page.css>",
    )


def _stations(visit: Visit) -> Answer:
    visit.site.pause(0.08)
    asked = visit.query.get("q", "").casefold()
    found = [
        {"id": 10 + at, "name": name}
        for at, name in enumerate(STATIONS)
        if asked and asked in name.casefold()
    ]
    return Answer(json.dumps(found).encode(), type="application/json")


def _report(year: int, losses: float) -> Callable[[Visit], Answer]:
    filler = "\n".join(f"Section {n}: pumps and pipes were maintained as planned." for n in range(30))
    figures = (
        f"Figures for {year}\nWater sold: {year * 3} million litres\nLosses in the network: {losses} percent"
    )
    pdf = make_pdf(f"Annual report {year}\n{filler}", filler, figures)
    return lambda _: Answer(pdf, type="application/pdf")


def reading(month: int) -> int:
    return 400 + month * 37 % 90


def _readings(visit: Visit) -> Answer:
    rows = "\n".join(f"2025-{month:02},{reading(month)},{month % 3}" for month in range(1, 13))
    headers = {"Content-Disposition": 'attachment; filename="readings.csv"'}
    return Answer(f"month,cubic metres,alarms\n{rows}\n".encode(), type="text/csv", headers=headers)
