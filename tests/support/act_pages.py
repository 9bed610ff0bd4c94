"""Serves the pages of tests/pages/acts, each of which answers acts as pages of its kind do.

A page posts what came of an act to `/said`, or sends its form to `/got`; `received` is the last of them.
"""

from __future__ import annotations

import wave
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from scripts.shell import ROOT
from tests.support.documents import make_pdf
from tests.support.sites import PAGES, Answer, Page, Site
from tests.support.widgets import widget_site

FOLDER = ROOT / "tests" / "pages" / "acts"
REPORT = "station,rain\nLeeds,12\n"
PAPER = "Minutes of the harbour board"
_MODULES = {
    "codemirror": "codemirror", "@codemirror/lang-json": "lang-json", "lexical": "lexical-core",
    "@lexical/plain-text": "plain-text", "prosemirror-state": "prosemirror-state", "prosemirror-view": "prosemirror-view",
    "prosemirror-schema-basic": "prosemirror-schema-basic", "prosemirror-example-setup": "prosemirror-example-setup",
}  # fmt: skip
"""Packages that pages import as modules, and the files of tests/widgets/src/modules that carry them."""


@contextmanager
def act_pages(folder: Path) -> Iterator[Site]:
    """A site with the pages below `/p/`; the widgets that they use are bundled into `folder`."""
    with widget_site(folder) as site, Site() as other:
        site.folders |= {"/vendor/": site.folders["/npm/"]}
        for one in FOLDER.glob("*.html"):
            content = (
                one.read_text().replace("OTHER_ORIGIN", other.url().rstrip("/")).replace("FRAME", "/hang")
            )
            for at in (site, other):
                at.add(f"/p/{one.name}", content)
        for name, file in _MODULES.items():
            site.pages[f"/npm/{name}"] = _redirect(f"/bundled/{file}.js")
        site.pages |= {
            "/said": lambda _: Answer(status=204),
            "/got": lambda _: "<!doctype html><title>Got</title><h1>Thank you</h1>",
            "/never": PAGES["/hang"],
            "/tone.wav": lambda _: Answer(tone(), type="audio/wav"),
            "/x.pdf": lambda _: Answer(make_pdf(PAPER), type="application/pdf"),
            "/report.csv": lambda _: Answer(
                REPORT.encode(),
                type="text/csv",
                headers={"Content-Disposition": "attachment; filename=report.csv"},
            ),
        }
        yield site


def tone() -> bytes:
    """Half a minute of silence."""
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes([128]) * 240_000)
    return file.getvalue()


def _redirect(to: str) -> Page:
    return lambda _: Answer(status=302, headers={"Location": to})


def received(site: Site) -> dict[str, str]:
    """What the page has sent last; of a list of several values they are joined."""
    if said := [one.fields for one in site.effects if one.name == "said"]:
        return said[-1]
    got: dict[str, str] = {}
    for path in [one for one in site.paths if one.startswith("/got")][-1:]:
        for name, value in parse_qsl(urlsplit(path).query, keep_blank_values=True):
            got[name] = f"{got[name]}, {value}" if name in got else value
    return got


def forget(site: Site) -> None:
    site.effects.clear()
    site.paths.clear()
