"""A read-only script that returns what a page shows as plain HTML: text, headings, lists, links and tables.

It runs in an isolated world of the page. Shadow roots and frames of the page's own site are included. Left out
are navigation, footers and side bars, all field values, and text that a reader cannot see: not displayed,
transparent, clipped to nothing, placed outside the page, or smaller than two pixels. Text in the colour of its
background is not detected.
"""

from pydantic import BaseModel

from server.browser.scripts import script


class PageContent(BaseModel, frozen=True):
    """What `CONTENT_SCRIPT` returns."""

    kind: str
    """The document's content type, such as `text/html` or `application/pdf`."""
    url: str = ""
    """The document's address."""
    html: str = ""
    truncated: bool = False
    """The page has more than was read: it is too large, or reading it took too long."""
    has_more_rows: bool = False
    """A list of the page draws only a part of its rows: those around its view, or one page of several."""
    goes_on: bool = False
    """Rows of such a list follow the last one that it draws."""


CONTENT_SCRIPT = script("content")
