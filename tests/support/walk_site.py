"""Pages of a small shop with an article, a contact form, a login, icons, a canvas and an upload: a walk through the product.

with Site() as site:
    open_walk(site)
    site.url("/article.html")
"""

from __future__ import annotations

from tests.support.shop_site import open_shop
from tests.support.sites import Answer, Site, Visit, document

PARAGRAPH = (
    "<p>The harbour of Port Ellis was built in 1871 and enlarged twice since, part {n} of its history.</p>"
)
TARIFFS = {2022: "0.25", 2023: "0.27", 2024: "0.31"}
SENTENCE = "The tariff was raised in 2024 to 31 cents per ton"


def open_walk(site: Site) -> None:
    """Adds all pages; effects in addition to those of the shop are `contact` and `upload`."""
    open_shop(site)
    site.pages |= {
        "/article.html": _article,
        "/contact": _contact,
        "/upload.html": _upload,
        "/missing.json": _missing,
        "/two": _two,
    }


def _article(visit: Visit) -> str:
    before = "".join(PARAGRAPH.format(n=n) for n in range(40))
    rows = "".join(f"<tr><td>{year}</td><td>{tariff}</td></tr>" for year, tariff in TARIFFS.items())
    return document(
        "History of Port Ellis",
        f"<h1>History of Port Ellis</h1>{before}<p>{SENTENCE}.</p>{before}"
        f"<table><tr><th>Year</th><th>Tariff</th></tr>{rows}</table>",
    )


def _contact(visit: Visit) -> str:
    if visit.command == "POST":
        return document("Sent", "<h1>Thank you, we will write to you</h1>")
    return document(
        "Contact",
        """<h1>Contact</h1><form method=post><label>Name <input name=name></label>
        <label>Email <input name=email></label><label>Message <textarea name=message></textarea></label>
        <button>Send</button></form>""",
    )


def _upload(visit: Visit) -> str:
    if visit.command == "POST":
        return document("Uploaded", "<h1>The file has arrived</h1>")
    return document(
        "Upload",
        """<h1>Upload</h1><form method=post action=/upload.html enctype=multipart/form-data>
        <label>Your file <input type=file name=file></label><button>Save</button></form>""",
    )


def _missing(visit: Visit) -> Answer:
    return Answer(b'{"error": "no such thing"}', 404, "application/json")


def _two(visit: Visit) -> str:
    return document(
        "Two doors",
        "<h1>Two doors</h1><header><a href=/sign-in>Log in</a></header><main><p>For shops: <a href=/account>Log in</a></p></main>",
    )
