"""The state of a tab, as tracked by the page monitor."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from server.browser.addresses import without_login

MAX_URL_CHARS, TITLE_CHARS = 8000, 300
"""Maximum stored characters of a URL and a title; Chromium sends up to two million and 4,096."""


@dataclass(slots=True)
class Dialog:
    """An open dialog of the page, which is blocked until it is answered."""

    kind: str
    message: str


@dataclass(slots=True)
class WatchedPage:
    """One tab. `target` and `session` are the DevTools ids of the tab and of our session with it."""

    target: str
    url: str
    """As in the address bar: it may be the URL of a navigation that has not committed yet."""
    title: str = ""
    session: str = ""
    opener: str | None = None
    dialog: Dialog | None = None
    is_crashed: bool = False
    inner: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By session of a frame of another site: (parent session, frame id), outer ones first."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    is_replaced: bool = False
    """An empty tab was opened in its place, and it is being closed."""
    replacement: str = ""
    """`target` of that empty tab."""
    is_stand_in: bool = False
    """It is the empty tab that was opened in place of one that has been closed."""
    document: str = "about:blank"
    """URL of the current document, as of its commit."""
    loads_on: str = ""
    """URL of a document that says for long that it loads: what says so is not waited for again."""
    holds_input: bool = False
    """The user entered something in its current document during a takeover."""
    moves: int | None = None
    """Number of documents with another origin than the previous one, from 1; None before the first."""

    @property
    def has_closed(self) -> bool:
        """It is gone, and not by a crash."""
        return self.gone.is_set() and not self.is_crashed

    def show(self, url: str, title: str) -> None:
        """Set the URL and title that the browser shows for the tab."""
        self.url, self.title = short_url(url), _title(url, title)

    def arrive(self, url: str) -> None:
        """Record that a document was committed, or that its URL changed."""
        url = short_url(url)
        if self.moves is None or origin_of(url) != origin_of(self.document):
            self.moves = (self.moves or 0) + 1
        self.document = url


def short_url(url: str) -> str:
    """Cut a URL to MAX_URL_CHARS and remove user name and password."""
    return without_login(url[:MAX_URL_CHARS])


def origin_of(url: str) -> tuple[str, str]:
    """Return scheme and authority of a URL; URLs that differ in them belong to different sites."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, ""
    return parts.scheme, parts.netloc.rpartition("@")[2]


def _title(url: str, title: str) -> str:
    """Return "" if `title` is the URL, with or without scheme: Chromium sends that for untitled documents."""
    return "" if title in (url, url.partition("://")[2]) else title[:TITLE_CHARS]
