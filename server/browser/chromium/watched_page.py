"""A tab as the watch over a session's pages knows it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from server.browser.addresses import without_login

URL_CHARS, TITLE_CHARS = 8000, 300
"""What is kept of an address and of a title; Chromium gives up to two million and 4,096 characters."""


@dataclass(slots=True)
class Dialog:
    """A question of the page that waits for an answer; the page stands still until then."""

    kind: str
    message: str


@dataclass(slots=True)
class WatchedPage:
    """`target` and `session` are DevTools' own ids of the tab and of our connection to it."""

    target: str
    url: str
    """As the address bar shows it: a navigation that has not committed yet may be shown already."""
    title: str = ""
    session: str = ""
    opener: str | None = None
    dialog: Dialog | None = None
    is_crashed: bool = False
    inner: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Sessions of the frames of other sites in it: (session around it, frame id), outer ones first."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    document: str = "about:blank"
    """Address of the document that is in it, as Chromium told when it committed."""
    moves: int | None = None
    """How often a document of another origin has committed in it; None before anything is known."""

    def show(self, url: str, title: str) -> None:
        """What the browser shows for the tab."""
        self.url, self.title = short_url(url), _title(url, title)

    def arrive(self, url: str) -> None:
        """A document committed, or its address changed."""
        url = short_url(url)
        if self.moves is None or origin_of(url) != origin_of(self.document):
            self.moves = (self.moves or 0) + 1
        self.document = url


def short_url(url: str) -> str:
    """Cut to a bounded length, without a login in it."""
    return without_login(url[:URL_CHARS])


def origin_of(url: str) -> tuple[str, str]:
    """Scheme and authority; two addresses with different ones belong to different sites."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, ""
    return parts.scheme, parts.netloc.rpartition("@")[2]


def _title(url: str, title: str) -> str:
    """Chromium gives the address, with or without its scheme, where a document has no title."""
    return "" if title in (url, url.partition("://")[2]) else title[:TITLE_CHARS]
