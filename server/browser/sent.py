"""What an act sent: its requests with an effect, without their bodies. The base of every browser's request log."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import urlsplit

from server.ops.json_types import JsonObject
from server.text import cut

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH", "QUERY", "TRACE"})
"""Methods without an effect of their own, those of WebDAV included."""
PATH_CHARS = 200
_DIGEST_KEY = secrets.token_bytes(32)
_BOUNDARY = re.compile(r"boundary=\"?([^\";,]+)")

Failure = Literal["blocked", "unreachable", "cors", "aborted", "dropped", "no_answer"]
"""Why a request has no status: it was not let out; the host could not be reached; refused by the site's rules
for other origins; ended by the page; the connection broke; not answered in the time that was waited."""
Outcome = Literal["accepted", "refused", "unknown"]

NOT_SENT = frozenset({"blocked", "unreachable", "cors"})
"""Failures after which the request has surely had no effect. A request to another origin that was sent
without asking first has a status: DevTools reports it although the page may not read it."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request, or several that are equal."""

    method: str
    host: str
    """With the port, if the address names one."""
    path: str
    """Without query and fragment, at most PATH_CHARS characters."""
    status: int | None = None
    failure: Failure | None = None
    """Set if and only if there is no status."""
    is_beacon: bool = False
    """Sent in the background of the page, such as statistics (`navigator.sendBeacon`)."""
    only_reads: bool = False
    """Its words say that it only asks for something, whatever its method is: `POST /settings/list`."""
    times: int = 1
    key: str = ""
    """Equal for requests with the same method, address, query and body; "" if the request cannot be compared.
    A hash keyed with a secret of this process: the body cannot be guessed from it."""

    @property
    def outcome(self) -> Outcome:
        """`unknown`: it may have arrived, but no answer was seen."""
        if self.status is not None:
            return "accepted" if self.status < 400 else "refused"
        return "refused" if self.failure in NOT_SENT else "unknown"


@dataclass(frozen=True, slots=True)
class SentRequests:
    requests: tuple[SentRequest, ...] = ()
    is_all: bool = True
    """False if the page sent something that is not in the list, such as a message over a WebSocket."""


class RequestLog:
    """Records requests while it is entered. This one knows of none: the browser has no DevTools.

    async with browser.requests() as log:
        ...
        sent = await log.settled()
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    async def settled(self) -> SentRequests | None:
        """Wait, for some seconds at most, until the requests are answered. None: nothing is known of them."""
        return None


def place_of_url(url: str) -> tuple[str, str] | None:
    """Host and path of an address as they are shown; None if it is not http or https."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return f"{parts.hostname}{port}", cut(parts.path.partition(";")[0] or "/", PATH_CHARS)


def key_of(request: JsonObject) -> str:
    """`SentRequest.key` of a request of DevTools."""
    body = request.get("postData")
    if request["method"] in SAFE_METHODS or (body is None and request.get("hasPostData")):
        return ""
    kind = next(
        (str(value) for name, value in request["headers"].items() if name.lower() == "content-type"), ""
    )
    if boundary := _BOUNDARY.search(kind):  # another one in each request
        body = str(body).replace(boundary[1], "")
    url = request["url"].partition("#")[0]
    return key_of_text("\n".join((request["method"], url, body or "")))


def key_of_text(text: str) -> str:
    whole = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(whole, key=_DIGEST_KEY, digest_size=8).hexdigest()
