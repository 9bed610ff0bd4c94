"""Holds requests at the browser's edge: those that an act sets off and that have an effect which was not approved.

`Fetch.enable` of a browser-level session, made before the first page, pauses requests of all pages, frames, workers
and tabs that close. It is never disabled: that, and a session that ends, would send what is paused, so `fail` comes
first. Requests without an effect are continued at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.outgoing.assessment import SAFE, ActPage, Hold, assess_request, in_words
from server.browser.outgoing.held import ActTerms, HeldRequest, binding_of
from server.browser.outgoing.request import OutgoingRequest, read_request, site_of_url
from server.browser.sent import PATH_CHARS, key_of
from server.ops.background_tasks import BackgroundTasks
from server.text import cut

log = logging.getLogger(__name__)

PATIENCE = 25.0
"""Seconds for which a request waits for a yes."""
GRACE = 3.0
"""Seconds after the end of an act in which what is sent counts as set off by it."""
MOST_SHAPES = 500
"""Shapes of a site that are remembered."""
_TYPES = ("Document", "XHR", "Fetch", "Ping", "Other")


class ChromiumHold:
    """Implements `OutgoingHold`."""

    def __init__(self, cdp: Cdp, *, patience: float = PATIENCE) -> None:
        self._cdp = cdp
        self._patience = patience
        self._sessions: list[str | None] = [None]
        """Those that pause requests: the browser's, and those of pages that were there before it."""
        self._terms = ActTerms()
        self._page = ActPage()
        self._is_passive = False
        self._rests = False
        self._sent: dict[str, tuple[str, str]] = {}
        """What effects the act has sent, by binding: their kind and network id."""
        self._until = 0.0
        """When the act's time ends, by the loop's clock; infinite during it."""
        self._custom: dict[str, dict[str, None]] = defaultdict(dict)
        """By site: shapes of what its pages have sent without an act."""
        self._standing: dict[str, None] = {}
        """Shapes that were failed or are asked about: a page may keep them and send them later."""
        self._released: dict[str, None] = {}
        """What may leave, as `_name`: a page older than this hold is paused twice."""
        self._waiting: dict[str, tuple[HeldRequest, str | None, asyncio.TimerHandle, str]] = {}
        """By request id: it, its session, the end of its patience, and its name."""
        self._held: Callable[[HeldRequest], None] | None = None
        self._tasks = BackgroundTasks(CdpError)

    async def start(self) -> None:
        """Raises CdpError."""
        self._cdp.on("Fetch.requestPaused", self._on_paused)
        self._cdp.on("Fetch.authRequired", self._on_login)
        await self._enable(None)
        for target in (await self._cdp.send("Target.getTargets")).get("targetInfos") or ():
            if target["type"] == "page" and target["url"].startswith("http"):  # reopened by a start
                where = {"targetId": target["targetId"], "flatten": True}
                with suppress(CdpError):
                    session = (await self._cdp.send("Target.attachToTarget", where))["sessionId"]
                    await self._enable(session)
                    self._sessions.append(session)

    async def _enable(self, session: str | None) -> None:
        patterns = [{"urlPattern": "*", "resourceType": kind} for kind in _TYPES]
        enabled = {"patterns": patterns, "handleAuthRequests": True}
        await self._cdp.send("Fetch.enable", enabled, session=session)

    def listen(self, held: Callable[[HeldRequest], None]) -> None:
        self._held = held

    def abandon(self) -> None:
        """Its user has gone: fail what is held, and what the user's last act still sends."""
        self._held = None
        self._terms = ActTerms()
        if self._until == float("inf"):
            self._until = asyncio.get_running_loop().time() + PATIENCE
        self._tasks.start(self._fail([*self._waiting]))

    async def begin(self, terms: ActTerms, url: str, *, is_passive: bool) -> None:
        await self._fail([one for one in self._waiting if one not in terms.release])
        site = site_of_url(url)
        self._terms, self._is_passive = terms, is_passive
        self._page = ActPage(site, terms.is_private, self._custom[site])
        self._sent = {}
        self._until = float("inf")

    async def end(self) -> None:
        if self._until == float("inf"):
            self._until = asyncio.get_running_loop().time() + GRACE

    async def waits(self, request_ids: Sequence[str]) -> bool:
        waiting = [one for one in request_ids if one in self._waiting]
        return any(await asyncio.gather(*map(self._still_waits, waiting)))

    async def _still_waits(self, request_id: str) -> bool:
        """There is no question for it: a paused request refuses this one in other words than one that is gone."""
        try:
            session = self._waiting[request_id][1]
            await self._cdp.send("Fetch.getResponseBody", {"requestId": request_id}, session=session)
        except CdpError as error:
            return "Invalid InterceptionId" not in str(error) and not self._cdp.closed.is_set()
        return True

    async def release(self, request_ids: Sequence[str]) -> bool:
        waiting = [one for one in request_ids if one in self._waiting]
        return any([await self._let_go(one) for one in waiting])

    async def _let_go(self, request_id: str) -> bool:
        held, session, timer, name = self._waiting[request_id]
        if held.binding in self._sent:  # a page that tries again, or sends twice: one yes is for one
            await self._fail([request_id])
            return False
        del self._waiting[request_id]
        timer.cancel()
        self._remember(name)
        self._standing.pop(held.shape, None)
        self._sent[held.binding] = held.kind, held.network_id
        try:
            await self._cdp.send("Fetch.continueRequest", {"requestId": request_id}, session=session)
        except CdpError:  # `Invalid InterceptionId`: the page has given it up
            self._sent.pop(held.binding, None)
            return False
        return True

    async def fail(self) -> None:
        await self._fail([*self._waiting])

    def rest(self, *, rests: bool) -> None:
        self._rests, self._until = rests, 0.0
        self._tasks.start(self._fail([*self._waiting]))

    async def _fail(self, request_ids: Sequence[str]) -> None:
        works = []
        for request_id in request_ids:
            if (one := self._waiting.pop(request_id, None)) is not None:
                one[2].cancel()
                works.append(self._abort(request_id, one[1]))
        await asyncio.gather(*works)

    async def _abort(self, request_id: str, session: str | None) -> None:
        with suppress(CdpError):
            params = {"requestId": request_id, "errorReason": "Aborted"}
            await self._cdp.send("Fetch.failRequest", params, session=session)

    async def _abort_document(self, request_id: str, session: str | None, frame: str) -> None:
        """A tab that was opened for it stays empty, in front of the page that is worked on: it is closed."""
        await self._abort(request_id, session)
        info = (await self._cdp.send("Target.getTargetInfo", {"targetId": frame}))[
            "targetInfo"
        ]  # of a tab only
        if info["type"] == "page" and info.get("openerId") and info["url"] in ("", "about:blank"):
            await self._cdp.send("Target.closeTarget", {"targetId": frame})

    # Requests

    def _on_paused(self, params: Params, session: str | None) -> None:
        if session not in self._sessions:
            return
        try:
            hold, request = self._judge(params)
        except Exception:
            log.exception("a request could not be judged; it is not sent")
            self._tasks.start(self._abort(params["requestId"], session))
            return
        if hold is None:
            self._tasks.start(self._pass(params["requestId"], session))
        else:
            self._keep(params, session, request, hold)

    def _on_login(self, params: Params, session: str | None) -> None:
        """Show what the site says without a login: a page that waits for one, even of a frame, takes no clicks.

        During a take-over the person may answer.
        """
        if session in self._sessions:
            is_site = params["authChallenge"].get("source") == "Server"
            answer = {"response": "CancelAuth" if is_site and not self._rests else "Default"}
            given = {"requestId": params["requestId"], "authChallengeResponse": answer}
            self._tasks.start(self._cdp.send("Fetch.continueWithAuth", given, session=session))

    async def _pass(self, request_id: str, session: str | None) -> None:
        await self._cdp.send("Fetch.continueRequest", {"requestId": request_id}, session=session)

    def _judge(self, params: Params) -> tuple[Hold | None, OutgoingRequest]:
        request = read_request(params["request"], params["resourceType"])
        is_quick = request.method in SAFE and request.type != "Document"
        if is_quick or self._rests or self._name(params) in self._released:
            return None, request
        is_of_act = asyncio.get_running_loop().time() < self._until
        is_standing = bool(self._standing) and request.shape in self._standing
        if not is_of_act and not is_standing:
            self._learn(request)
            return None, request
        if self._is_passive and not is_standing:
            self._learn(request)
        hold = assess_request(request, self._page)
        if hold is None and not is_standing:
            return None, request
        hold = hold or Hold("unknown_submit", "it was refused before")
        binding = binding_of(request.shape, key_of(params["request"]))
        if is_of_act and self._covers(params, request, hold, binding):
            self._sent[binding] = hold.kind, str(params.get("networkId", ""))
            self._standing.pop(request.shape, None)
            self._remember(self._name(params))
            return None, request
        return hold, request

    def _covers(self, params: Params, request: OutgoingRequest, hold: Hold, binding: str) -> bool:
        kinds = {kind for kind, _ in self._sent.values()}
        _, before = self._sent.get(binding, ("", None))
        is_repeated = before is not None and before != params.get("networkId")  # and no redirect of it
        approved = self._terms.approved
        return approved.covers(request.site, hold.kind, binding, kinds, is_repeated=is_repeated)

    def _learn(self, request: OutgoingRequest) -> None:
        known = self._custom[request.site]
        if request.method not in SAFE and len(known) < MOST_SHAPES:
            known[request.shape] = None

    def _remember(self, name: str) -> None:
        self._released[name] = None
        if len(self._released) > MOST_SHAPES:
            del self._released[next(iter(self._released))]

    def _name(self, params: Params) -> str:
        """A redirect has the id of the request before it, and is judged on its own."""
        return f"{params.get('networkId') or params['requestId']} {params['request']['url']}"

    def _keep(self, params: Params, session: str | None, request: OutgoingRequest, hold: Hold) -> None:
        """Keep it paused, or fail it at once: a document would leave its page without scripts."""
        loop, request_id = asyncio.get_running_loop(), params["requestId"]
        is_late = loop.time() >= self._until  # kept by a page of an act that is long over
        parts = urlsplit(request.url)
        held = HeldRequest(
            id=request_id, network_id=str(params.get("networkId", "")), kind=hold.kind, words=in_words(request, hold), method=request.method,
            place=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", path=cut(parts.path or "/", PATH_CHARS),
            site=request.site, binding=binding_of(request.shape, key_of(params["request"])),
            is_over=request.type == "Document" or is_late or self._held is None, is_further=bool(self._sent),
        )  # fmt: skip
        log.info("held: %s %s (%s)", request.method, request.host, hold.kind)
        self._standing[request.shape] = None
        if held.is_over:
            self._tasks.start(self._abort_document(request_id, session, str(params.get("frameId"))))
        else:
            timer = loop.call_later(self._patience, lambda: self._tasks.start(self._fail([request_id])))
            self._waiting[request_id] = held, session, timer, self._name(params)
        if self._held:
            self._held(held)
