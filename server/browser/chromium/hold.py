"""Holds requests at the browser's edge: those that an act sets off and that have an effect which was not approved.

`Fetch.enable` of a browser-level session, made before the first page, pauses requests of all pages, frames, workers
and tabs that close. It is never disabled: that, and a session that ends, would send what is paused, so `fail` comes
first. Requests without an effect are continued at once.

Messages over WebSockets are held in the browser's proxy: their bytes wait there until the message is judged, and their
connection is cut if it is failed.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit
from weakref import WeakSet

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.devtools import DevToolsAccess
from server.browser.chromium.egress import Egress, SocketConnection
from server.browser.chromium.socket_watch import SocketWatch, WatchedSocket
from server.browser.chromium.watched_page import origin_of
from server.browser.outgoing.assessment import ActPage, Hold, assess_request, in_words
from server.browser.outgoing.held import ActTerms, HeldRequest, binding_of
from server.browser.outgoing.message import MESSAGE, read_message
from server.browser.outgoing.request import OutgoingRequest, read_request, site_of_url
from server.browser.sent import PATH_CHARS, SAFE_METHODS, key_of, key_of_text
from server.ops.background_tasks import BackgroundTasks
from server.ops.json_types import JsonObject
from server.text import cut
from wording.catalogue import parts_of

log = logging.getLogger(__name__)

HELD_SECONDS = 25.0
"""Seconds for which a request waits for a yes."""
AFTER_ACT_SECONDS = 3.0
"""Seconds after the end of an act in which what is sent counts as set off by it."""
_GREETING = 5.0
"""Seconds for all pages to be listened to before a socket is opened."""
MAX_SHAPES = 500
"""Shapes of a site that are remembered."""
_HELD_TYPES = ("Document", "XHR", "Fetch", "Ping", "Other")


@dataclass(frozen=True, slots=True)
class _Sending:
    """What a page is about to send; `socket` is set of a message only."""

    id: str
    request: OutgoingRequest
    binding: str
    network_id: str = ""
    session: str | None = None
    frame: str = ""
    socket: WatchedSocket | None = None
    form: JsonObject | None = None
    """The request as DevTools has it, of a form that can be sent again."""

    @property
    def name(self) -> str:
        """A redirect has the id of the request before it, and is judged on its own."""
        return f"{self.network_id or self.id} {self.request.url}"


@dataclass(frozen=True, slots=True)
class _Form:
    """A form that a tab was about to open: failed at once, and sent again as it was after a yes."""

    tab: str
    page: str
    """The address of the page that stays."""
    request: JsonObject
    body: bytes


@dataclass(frozen=True, slots=True)
class _WaitingForYes:
    held: HeldRequest
    outgoing: _Sending
    patience: asyncio.TimerHandle | None
    """None for a form: nothing waits for it."""

    def rest(self) -> None:
        if self.patience:
            self.patience.cancel()


class ChromiumHold:
    """Implements `OutgoingHold`, and `SocketGate` if it is given the browser's proxy and DevTools."""

    def __init__(
        self,
        cdp: Cdp,
        *,
        egress: Egress | None = None,
        devtools: DevToolsAccess | None = None,
        patience: float = HELD_SECONDS,
    ) -> None:
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
        self._waiting: dict[str, _WaitingForYes] = {}
        """By request id."""
        self._forms: dict[str, _Form] = {}
        """By request id: of `_waiting`, those that are failed already."""
        self._again: _Form | None = None
        """What the next document of its tab is sent as."""
        self._egress = egress
        self._watch = SocketWatch(devtools, self._on_message) if devtools else None
        self._known = WeakSet[SocketConnection]()
        self._messages = 0
        self._at_gate = 0
        """Bytes of messages that came within an act's time and are not judged yet."""
        self._decided = asyncio.Event()
        self._held: Callable[[HeldRequest], None] | None = None
        self._tasks = BackgroundTasks(CdpError)

    async def start(self) -> None:
        """Raises CdpError."""
        self._cdp.on("Fetch.requestPaused", self._on_paused)
        self._cdp.on("Fetch.authRequired", self._on_login)
        await self._enable(None)
        if self._egress and self._watch:
            self._egress.gates.append(self)
        for target in (await self._cdp.send("Target.getTargets")).get("targetInfos") or ():
            if target["type"] == "page" and target["url"].startswith("http"):  # reopened by a start
                where = {"targetId": target["targetId"], "flatten": True}
                with suppress(CdpError):
                    session = (await self._cdp.send("Target.attachToTarget", where))["sessionId"]
                    await self._enable(session)
                    self._sessions.append(session)

    def close(self) -> None:
        """Its browser has ended, or another one is used: then `fail` comes first."""
        if self._watch:
            self._watch.close()
        if self._egress and self in self._egress.gates:
            self._egress.gates.remove(self)

    async def _enable(self, session: str | None) -> None:
        patterns = [{"urlPattern": "*", "resourceType": kind} for kind in _HELD_TYPES]
        enabled = {"patterns": patterns, "handleAuthRequests": True}
        await self._cdp.send("Fetch.enable", enabled, session=session)

    def listen(self, held: Callable[[HeldRequest], None]) -> None:
        self._held = held

    def abandon(self) -> None:
        """Its user has gone: fail what is held, and what the user's last act still sends."""
        self._held = None
        self._terms = ActTerms()
        if self._until == float("inf"):
            self._until = asyncio.get_running_loop().time() + HELD_SECONDS
        self._tasks.start(self._fail([*self._waiting]))

    async def begin(self, terms: ActTerms, url: str, *, is_passive: bool) -> None:
        await self._fail([one for one in self._waiting if one not in terms.release])
        site = site_of_url(url)
        self._terms, self._is_passive = terms, is_passive
        self._page = ActPage(site, terms.is_private, terms.is_doubted, terms.is_typing, self._custom[site])
        self._sent = {}
        self._until = float("inf")

    async def end(self) -> None:
        if self._until == float("inf"):
            self._until = asyncio.get_running_loop().time() + AFTER_ACT_SECONDS

    async def waits(self, request_ids: Sequence[str]) -> bool:
        waiting = [one for one in request_ids if one in self._waiting]
        return any(await asyncio.gather(*map(self._still_waits, waiting)))

    async def _still_waits(self, request_id: str) -> bool:
        """There is no question for it: a paused request refuses this one in other words than one that is gone."""
        outgoing = self._waiting[request_id].outgoing
        if outgoing.form:
            form = self._forms.get(request_id)
            return form is not None and await self._address_of(form.tab) == form.page
        if outgoing.socket:
            return bool(self._connections(outgoing.socket))
        try:
            await self._cdp.send("Fetch.getResponseBody", {"requestId": request_id}, session=outgoing.session)
        except CdpError as error:
            return "Invalid InterceptionId" not in str(error) and not self._cdp.closed.is_set()
        return True

    async def release(self, request_ids: Sequence[str]) -> list[str]:
        return [one for one in request_ids if one in self._waiting and await self._let_go(one)]

    async def _let_go(self, request_id: str) -> bool:
        one = self._waiting[request_id]
        held = one.held
        if held.binding in self._sent:  # a page that tries again, or sends twice: one yes is for one
            await self._fail([request_id])
            return False
        is_open = one.outgoing.socket is None or bool(self._connections(one.outgoing.socket))
        del self._waiting[request_id]
        one.rest()
        self._remember(one.outgoing.name)
        self._standing.pop(held.shape, None)
        if not is_open:
            return False
        self._sent[held.binding] = held.kind, held.network_id
        if one.outgoing.socket:
            self._tell_gate()
            return True
        if one.outgoing.form:
            if (form := self._forms.pop(request_id, None)) and await self._send_again(form):
                return True
            self._sent.pop(held.binding, None)  # of a frame, or the tab has gone
            return False
        try:
            await self._pass(request_id, one.outgoing.session)
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
                one.rest()
                self._forms.pop(request_id, None)
                works.append(self._drop(one.outgoing))
        await asyncio.gather(*works)

    async def _drop(self, outgoing: _Sending) -> None:
        if outgoing.socket is None:
            return await self._abort(outgoing.id, outgoing.session)
        for connection in self._connections(outgoing.socket):
            connection.cut()
        self._tell_gate()

    def _connections(self, socket: WatchedSocket) -> list[SocketConnection]:
        """Those over which its messages may go."""
        every = self._egress.sockets if self._egress else []
        return [one for one in every if socket.may_use(one.host, one.port)]

    async def _abort(self, request_id: str, session: str | None) -> None:
        with suppress(CdpError):
            params = {"requestId": request_id, "errorReason": "Aborted"}
            await self._cdp.send("Fetch.failRequest", params, session=session)

    async def _abort_document(self, outgoing: _Sending) -> None:
        """A tab that was opened for it stays empty, in front of the page that is worked on: it is closed."""
        await self._abort(outgoing.id, outgoing.session)
        info = await self._tab(outgoing.frame)
        if info["type"] == "page" and info.get("openerId") and info["url"] in ("", "about:blank"):
            await self._cdp.send("Target.closeTarget", {"targetId": outgoing.frame})
        elif info["type"] == "page" and outgoing.form and outgoing.id in self._waiting:
            self._forms[outgoing.id] = _Form(
                outgoing.frame, info["url"], outgoing.form, _body_of(outgoing.form) or b""
            )

    async def _tab(self, frame: str) -> JsonObject:
        """Raises CdpError for a frame that is no tab's outermost one."""
        found: JsonObject = (await self._cdp.send("Target.getTargetInfo", {"targetId": frame}))["targetInfo"]
        return found

    async def _address_of(self, tab: str) -> str:
        with suppress(CdpError):
            return str((await self._tab(tab))["url"])
        return ""

    async def _send_again(self, form: _Form) -> bool:
        """Open the form's address in its tab, as the very request that the page made.

        The page itself would not: many take a form once, and have taken this one.
        """
        where = {"targetId": form.tab, "flatten": True}
        self._again = form
        with suppress(CdpError):
            session = (await self._cdp.send("Target.attachToTarget", where))["sessionId"]
            opened = {"url": form.request["url"], "referrer": form.page}
            await self._cdp.send("Page.navigate", opened, session=session)
            await self._cdp.send("Target.detachFromTarget", {"sessionId": session})
        is_sent, self._again = self._again is None, None
        return is_sent

    async def _pass_as(self, request_id: str, session: str | None, form: _Form) -> None:
        asked = form.request
        headers = [{"name": name, "value": str(value)} for name, value in asked["headers"].items()]
        await self._cdp.send(
            "Fetch.continueRequest",
            {
                "requestId": request_id, "method": asked["method"], "headers": headers,
                "postData": b64encode(form.body).decode(),
            },
            session=session,
        )  # fmt: skip

    # Requests

    def _on_paused(self, params: Params, session: str | None) -> None:
        if session not in self._sessions:
            return
        if self._again and self._is_again(params, self._again):
            self._tasks.start(self._pass_as(params["requestId"], session, self._again))
            self._again = None
            return
        try:
            outgoing = self._read(params, session)
            hold = self._judge(outgoing)
        except Exception:
            log.exception("a request could not be judged; it is not sent")
            self._tasks.start(self._abort(params["requestId"], session))
            return
        if hold is None:
            self._tasks.start(self._pass(params["requestId"], session))
        else:
            self._keep(outgoing, hold)

    @staticmethod
    def _is_again(params: Params, form: _Form) -> bool:
        is_document = params["resourceType"] == "Document" and params.get("frameId") == form.tab
        return is_document and params["request"]["url"] == form.request["url"]

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

    def _read(self, params: Params, session: str | None) -> _Sending:
        request = read_request(params["request"], params["resourceType"])
        return _Sending(
            params["requestId"], request, binding_of(request.shape, key_of(params["request"])), str(params.get("networkId", "")),
            session, str(params.get("frameId")), form=_form_of(params),
        )  # fmt: skip

    def _on_message(self, socket: WatchedSocket, opcode: int, text: str) -> None:
        self._messages += 1
        request = read_message(socket.url, opcode, text)
        binding = binding_of(request.shape, key_of_text(f"{socket.url}\n{text}"))
        name = f"{MESSAGE} {self._messages}"
        outgoing = _Sending(name, request, binding, name, socket=socket)
        if hold := self._judge(outgoing):
            self._keep(outgoing, hold)

    async def pass_bytes(self, connection: SocketConnection) -> None:
        assert self._watch is not None
        if connection not in self._known:  # from its first bytes, so that its socket is known
            self._known.add(connection)
            with suppress(CdpError, TimeoutError):
                async with asyncio.timeout(_GREETING):
                    await self._watch.catch_up()
        if not self._is_of_act() and not any(one.startswith(MESSAGE) for one in self._standing):
            return
        self._at_gate += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._watch.catch_up()
        except (TimeoutError, CdpError):
            connection.cut()
        finally:
            self._at_gate -= 1
        while any(
            one.outgoing.socket and one.outgoing.socket.may_use(connection.host, connection.port)
            for one in self._waiting.values()
        ):
            await self._decided.wait()

    def _tell_gate(self) -> None:
        self._decided.set()
        self._decided = asyncio.Event()

    def _is_of_act(self) -> bool:
        return asyncio.get_running_loop().time() < self._until

    def _judge(self, outgoing: _Sending) -> Hold | None:
        request = outgoing.request
        is_quick = request.method in SAFE_METHODS and request.type != "Document" and not self._page.is_doubted
        if is_quick or self._rests or outgoing.name in self._released:
            return None
        is_of_act = self._is_of_act() or (outgoing.socket is not None and self._at_gate > 0)
        is_standing = bool(self._standing) and request.shape in self._standing
        if not is_of_act and not is_standing:
            self._learn(request)
            return None
        if self._is_passive and not is_standing:
            self._learn(request)
        hold = assess_request(request, self._page)
        if hold is None and self._page.is_typing and not is_standing:
            self._learn(request)
        if hold is None and not is_standing:
            return None
        hold = hold or Hold("unknown_submit", "it was refused before")
        if is_of_act and self._covers(outgoing, hold):
            self._sent[outgoing.binding] = hold.kind, outgoing.network_id
            self._standing.pop(request.shape, None)
            self._remember(outgoing.name)
            return None
        return hold

    def _covers(self, outgoing: _Sending, hold: Hold) -> bool:
        kinds = {kind for kind, _ in self._sent.values()}
        _, before = self._sent.get(outgoing.binding, ("", None))
        is_repeated = before is not None and before != outgoing.network_id  # and no redirect of it
        approved = self._terms.approved
        return approved.covers(
            outgoing.request.site, hold.kind, outgoing.binding, kinds, is_repeated=is_repeated
        )

    def _learn(self, request: OutgoingRequest) -> None:
        known = self._custom[request.site]
        if request.method not in SAFE_METHODS and len(known) < MAX_SHAPES:
            known[request.shape] = None

    def _remember(self, name: str) -> None:
        self._released[name] = None
        if len(self._released) > MAX_SHAPES:
            del self._released[next(iter(self._released))]

    def _keep(self, outgoing: _Sending, hold: Hold) -> None:
        """Keep it paused, or fail it at once: a document would leave its page without scripts, so it is sent again."""
        request, loop = outgoing.request, asyncio.get_running_loop()
        is_late = not self._is_of_act() and self._at_gate == 0  # kept by a page of an act that is long over
        is_lost = request.type == "Document" and not outgoing.form
        parts = urlsplit(request.url)
        words = in_words(request, hold)
        held = HeldRequest(
            id=outgoing.id, network_id=outgoing.network_id, kind=hold.kind, words=words, words_parts=parts_of(words), method=request.method,
            place=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", path=cut(parts.path or "/", PATH_CHARS),
            site=request.site, binding=outgoing.binding,
            is_over=is_lost or is_late or self._held is None, is_further=bool(self._sent),
        )  # fmt: skip
        log.info("held: %s %s (%s)", request.method, request.host, hold.kind)
        self._standing[request.shape] = None
        if held.is_over and outgoing.socket:
            self._tasks.start(self._drop(outgoing))
        elif request.type == "Document":
            if not held.is_over:
                self._waiting[outgoing.id] = _WaitingForYes(held, outgoing, None)
            self._tasks.start(self._abort_document(outgoing))
        elif held.is_over:
            self._tasks.start(self._abort(outgoing.id, outgoing.session))
        else:
            timer = loop.call_later(self._patience, lambda: self._tasks.start(self._fail([outgoing.id])))
            self._waiting[outgoing.id] = _WaitingForYes(held, outgoing, timer)
        if self._held:
            self._held(held)


def _form_of(params: Params) -> JsonObject | None:
    """The request of a form that opens in its tab and whose body is known to the last byte.

    To its own origin only: what is sent again has the cookies of an address that a person enters, so that a page of
    another site would get those that `SameSite` keeps from it.
    """
    request: JsonObject = params["request"]
    is_form = params["resourceType"] == "Document" and request["method"] == "POST"
    is_own = origin_of(request["headers"].get("Origin", "")) == origin_of(request["url"])
    return request if is_form and is_own and _body_of(request) is not None else None


def _body_of(request: JsonObject) -> bytes | None:
    """None where a part of it is a file, which DevTools does not give."""
    entries = request.get("postDataEntries") or ()
    has_body = request.get("hasPostData") or request.get("postData")
    if not all("bytes" in entry for entry in entries) or (has_body and not entries):
        return None
    return b"".join(b64decode(entry["bytes"]) for entry in entries)
