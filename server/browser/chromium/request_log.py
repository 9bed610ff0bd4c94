"""Records what a tab sends, from DevTools' Network events: requests with an effect, without their bodies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol, Self

from server.browser.chromium import frames
from server.browser.chromium.cdp import CdpError, Params
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage
from server.browser.outgoing.assessment import only_reads
from server.browser.outgoing.message import MESSAGE
from server.browser.outgoing.request import read_request
from server.browser.sent import (
    SAFE_METHODS,
    Failure,
    RequestLog,
    SentRequest,
    SentRequests,
    key_of,
    place_of_url,
)
from server.ops.background_tasks import BackgroundTasks

SENT_BODY_SECONDS = 3.0
"""Seconds to wait for answers."""
QUIET = 0.25
"""Seconds without a new request after which an act is considered to have sent all of its own."""
MAX_REQUESTS = 20
MAX_FOLLOWED = 200
"""Requests of one act that are followed at all."""
BODY_BYTES = 100_000
"""Requests with larger bodies are not compared."""

_REPORTS = frozenset({"Preflight", "CSPViolationReport"})
_UNREACHABLE_ERRORS = re.compile(
    r"net::ERR_(NAME_|CONNECTION_REFUSED|CONNECTION_FAILED|ADDRESS_|INTERNET_DISCONNECTED|TUNNEL_|PROXY_|SOCKS_|CERT_"
    r"|SSL_|UNSAFE_|DISALLOWED_|UNKNOWN_URL_SCHEME|INVALID_URL)"
)


class HeldOfAct(Protocol):
    """What the hold has done with requests of an act, by their ids of Network events."""

    def left_out(self) -> Sequence[str]: ...
    def added(self) -> dict[str, SentRequest]: ...


@dataclass(slots=True)
class _Followed:
    request: SentRequest
    is_open: bool = True
    refusal: Failure | None = None
    """The page was not given its answer, whose status code is still to come."""


class ChromiumRequestLog(RequestLog):
    """Follows the tab `page`, its frames and workers, and the tabs that it opens."""

    def __init__(self, monitor: PageMonitor, page: WatchedPage, acts: HeldOfAct | None = None) -> None:
        self._acts = acts
        self._monitor = monitor
        self._cdp = monitor.cdp
        self._page = page
        self._sessions: dict[str, str] = {}
        """The sessions that are listened to, with the id of the tab's outermost frame; "" for other sessions."""
        self._followed: dict[tuple[str, str], _Followed] = {}
        """By session and request id, as they were sent; a redirected one under a further name."""
        self._statuses: dict[tuple[str, str], int] = {}
        """Status codes that arrived before the answer itself, or without it: the page has gone on."""
        self._is_all = True
        self._messages = 0
        """Over sockets."""
        self._unseen: set[str] = set()
        """The sessions of new tabs of whose document nothing was seen: it was sent, or even answered, before."""
        self._changed = asyncio.Event()
        self._last = 0.0
        """When a request was last sent or answered, by the loop's clock."""
        self._tasks = BackgroundTasks(CdpError)
        self._stops: list[Callable[[], None]] = []

    async def __aenter__(self) -> Self:
        for event, listener in (
            ("Target.attachedToTarget", self._on_attached),
            ("Network.requestWillBeSent", self._on_request),
            ("Network.responseReceivedExtraInfo", self._on_status),
            ("Network.responseReceived", self._on_answer),
            ("Network.loadingFailed", self._on_failure),
            ("Network.webSocketFrameSent", self._on_message),
        ):
            self._stops.append(self._cdp.on(event, listener))
        self._sessions = {self._page.session: self._page.target} | dict.fromkeys(self._page.inner, "")
        self._monitor.logged.update(self._sessions)
        await asyncio.gather(*map(self._listen, [*self._sessions]))
        return self

    async def __aexit__(self, *_: object) -> None:
        for stop in self._stops:
            stop()
        self._tasks.cancel()
        self._monitor.logged.difference_update(self._sessions)
        # To its end also when the act is cancelled: new workers would never start.
        await asyncio.shield(asyncio.gather(*map(self._leave, self._sessions)))

    async def settled(self, patience: float = SENT_BODY_SECONDS) -> SentRequests:
        """Wait until all requests are answered and no further one was sent for QUIET, at most `patience` seconds."""
        clock = asyncio.get_running_loop().time
        self._last = clock()
        self._heed_hold()
        deadline = self._last + patience
        while True:
            is_open = any(one.is_open for one in self._followed.values())
            left = (deadline if is_open else min(self._last + QUIET, deadline)) - clock()
            if left <= 0:
                return self._sent()
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()

    def _heed_hold(self) -> None:
        """What is held has not been sent; what was held before this log began and was then let go is added."""
        if self._acts is None:
            return
        left_out = self._acts.left_out()
        self._messages -= sum(one.startswith(MESSAGE) for one in left_out)
        self._followed = {key: one for key, one in self._followed.items() if key[1] not in left_out}
        for network_id, request in self._acts.added().items():
            if self._was_sent_again(request):
                continue
            keys = [key for key in self._statuses if key[1] == network_id] or [
                (self._page.session, network_id)
            ]
            if self._followed.keys().isdisjoint(keys):
                self._followed[keys[0]] = _Followed(request)
            if request.method == MESSAGE:  # nothing answers it
                self._close(keys[0], None, "no_answer")
            if keys[0] in self._statuses:
                self._close(keys[0], self._statuses[keys[0]])

    def _was_sent_again(self, request: SentRequest) -> bool:
        """Whether it is a form whose address was opened in its place: the browser announces that as a `GET`."""
        opened = ("GET", request.host, request.path)
        for one in self._followed.values():
            if (one.request.method, one.request.host, one.request.path) == opened:
                one.request = replace(one.request, method=request.method)
                return True
        return False

    def _sent(self) -> SentRequests:
        for key, one in self._followed.items():
            if one.is_open:
                self._close(key, self._statuses.get(key), one.refusal or "no_answer")
        found: dict[tuple[SentRequest, int], int] = {}
        for at, one in enumerate(self._followed.values()):
            is_comparable = one.request.key or one.request.method in SAFE_METHODS
            same = one.request, 0 if is_comparable else at
            found[same] = found.get(same, 0) + 1
        every = [replace(request, times=times) for (request, _), times in found.items()]
        shown = every if len(every) <= MAX_REQUESTS else [one for one in every if not one.is_beacon]
        is_lost = self._page.is_crashed or self._page.gone.is_set()
        is_all = (
            self._is_all
            and self._messages <= 0
            and not (self._unseen or is_lost)
            and len(every) <= MAX_REQUESTS
        )
        return SentRequests(tuple(shown[:MAX_REQUESTS]), is_all)

    # Sessions

    async def _listen(self, session: str) -> None:
        """Workers that start from now on wait until they are listened to."""
        try:
            await asyncio.gather(
                self._cdp.send(
                    "Network.enable", {"maxPostDataSize": BODY_BYTES}, session=session, deadline=1
                ),
                frames.watch_frames(self._cdp, session, workers=True),
            )
        except CdpError:
            self._is_all = False

    async def _leave(self, session: str) -> None:
        with suppress(CdpError):
            await self._cdp.send("Network.disable", session=session, deadline=1)
            if session in (self._page.session, *self._page.inner):
                await frames.watch_frames(self._cdp, session, workers=self._monitor.holds_inner)

    def _on_attached(self, params: Params, session: str | None) -> None:
        info, attached = params["targetInfo"], params["sessionId"]
        is_tab = session is None and info["type"] == "page" and info.get("openerId") == self._page.target
        if is_tab or session in self._sessions:
            self._sessions[attached] = info["targetId"] if is_tab else ""
            self._monitor.logged.add(attached)
            if is_tab:
                self._unseen.add(attached)
            self._tasks.start(self._listen_to_tab(attached, is_waiting=params["waitingForDebugger"]))

    async def _listen_to_tab(self, session: str, *, is_waiting: bool) -> None:
        """Both commands are on their way before the first is answered: a target that waits answers late."""
        works = [self._cdp.send("Network.enable", {"maxPostDataSize": BODY_BYTES}, session=session)]
        if is_waiting:
            works.append(self._cdp.send("Runtime.runIfWaitingForDebugger", session=session))
        await asyncio.gather(*works)

    # Requests

    def _note_redirect(self, key: tuple[str, str], status: int, *, is_page: bool) -> None:
        if key in self._followed:
            self._close(key, status)
            self._followed[key[0], f"{key[1]} {len(self._followed)}"] = self._followed.pop(key)
        elif is_page:
            self._is_all = False  # a new tab, which sent its first request before it could be listened to

    def _on_request(self, params: Params, session: str | None) -> None:
        if session not in self._sessions:
            return
        key, asked = (session, params["requestId"]), params["request"]
        is_page = self._is_page(params, session)
        if is_page:
            self._unseen.discard(session)
        if "redirectResponse" in params:
            self._note_redirect(key, params["redirectResponse"]["status"], is_page=is_page)
        place = place_of_url(asked["url"])
        is_look = asked["method"] in SAFE_METHODS and not is_page
        if place is None or is_look or params.get("type") in _REPORTS:
            return
        if len(self._followed) >= MAX_FOLLOWED:
            self._is_all = False
            return
        kind = str(params.get("type"))
        request = SentRequest(
            asked["method"], *place, is_beacon=kind == "Ping", key=key_of(asked),
            only_reads=not is_page and only_reads(read_request(asked, kind)),
        )  # fmt: skip
        self._followed[key] = _Followed(request)
        self._note_change()

    def _is_page(self, params: Params, session: str) -> bool:
        """Whether the event is of the document of a tab."""
        return params.get("type") == "Document" and params.get("frameId") == self._sessions[session]

    def _on_status(self, params: Params, session: str | None) -> None:
        if (
            session in self._sessions and not 300 <= params["statusCode"] < 400
        ):  # a redirect is reported with the request that follows
            if len(self._statuses) > MAX_FOLLOWED:
                del self._statuses[next(iter(self._statuses))]
            key = session, params["requestId"]
            self._statuses[key] = params["statusCode"]
            if key in self._followed and self._followed[key].refusal:
                self._close(key, params["statusCode"])

    def _on_answer(self, params: Params, session: str | None) -> None:
        if session not in self._sessions:
            return
        key = (session, params["requestId"])
        if key in self._followed:
            self._close(key, params["response"]["status"])
        elif self._is_page(params, session):
            self._is_all = False  # likewise

    def _on_failure(self, params: Params, session: str | None) -> None:
        key = (session or "", params["requestId"])
        if key not in self._followed:
            return
        status, failure = self._statuses.get(key), _failure_of(params)
        if status is None and failure == "dropped" and "corsErrorStatus" in params:
            self._followed[key].refusal = failure  # events of two processes, in either order
        else:
            self._close(key, status, failure)

    def _on_message(self, _: Params, session: str | None) -> None:
        self._messages += session in self._sessions

    def _close(self, key: tuple[str, str], status: int | None, failure: Failure | None = None) -> None:
        one = self._followed[key]
        if one.is_open:
            failure = failure if status is None else None
            one.request, one.is_open = replace(one.request, status=status, failure=failure), False
            self._note_change()

    def _note_change(self) -> None:
        self._last = asyncio.get_running_loop().time()
        self._changed.set()


def _failure_of(params: Params) -> Failure:
    error = params.get("errorText", "")
    if params.get("blockedReason") or error.startswith("net::ERR_BLOCKED_BY_"):
        return "blocked"
    if cors := params.get("corsErrorStatus"):
        return "cors" if cors["corsError"].startswith("Preflight") else "dropped"
    if params.get("canceled") or error == "net::ERR_ABORTED":
        return "aborted"
    return "unreachable" if _UNREACHABLE_ERRORS.match(error) else "dropped"
