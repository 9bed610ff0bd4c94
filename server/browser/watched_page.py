"""A tab as the watch over a session's pages knows it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


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
    title: str = ""
    session: str = ""
    opener: str | None = None
    dialog: Dialog | None = None
    is_crashed: bool = False
    inner: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Sessions of the frames of other sites in it: (session around it, frame id), outer ones first."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
