"""Sends a message by the Apprise library: ntfy, Telegram, Slack, Discord, e-mail and a hundred services more."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from server.browser.chromium.reach import Reach
from server.channels.checked_connection import checked_connections
from server.channels.destination import SendFailed
from server.channels.messages import in_words
from server.ops.json_types import JsonObject
from wording.catalogue import ENGLISH, sentence

DESKTOP = frozenset({"dbus", "glib", "gnome", "kde", "qt", "macosx", "windows", "syslog", "rsyslog"})
"""Services of the server's own desktop and log: they do not reach a person who is away."""

_threads = ThreadPoolExecutor(4, "apprise")


async def describe(url: str) -> str:
    """The service that the URL names, as it may be shown: without tokens. Raises SendFailed."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _describe, url)


def _describe(url: str) -> str:
    service = _open(url)
    return f"{service.service_name} ({url.partition('://')[0].lower()}://…)"


async def send_by_service(url: str, body: JsonObject, reach: Reach, language: str = ENGLISH) -> None:
    """Raises SendFailed."""
    await asyncio.get_running_loop().run_in_executor(_threads, _send, url, body, reach, language)


def _send(url: str, body: JsonObject, reach: Reach, language: str) -> None:
    service = _open(url)
    title, text = in_words(body, language)
    with checked_connections(reach) as connections:
        try:
            is_sent = service.notify(title=title, body=text)
        except Exception as error:  # any error of the service's plugin
            reason = connections.refused or sentence("channel.service_failed", why=type(error).__name__)
            raise SendFailed(reason) from None
    if not is_sent:
        raise SendFailed(connections.refused or sentence("channel.service_refused"))


def _open(url: str) -> Any:
    import apprise  # takes a second: only servers with such a channel wait for it

    if url.partition("://")[0].lower() in DESKTOP:
        raise SendFailed(sentence("channel.desktop_only"))
    service = apprise.Apprise.instantiate(url, suppress_exceptions=True)
    if service is None:
        raise SendFailed(sentence("channel.unknown_service"))
    service.redirects = False  # whatever its URL says: a redirect may lead to a private address
    return service
