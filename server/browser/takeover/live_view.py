"""Live view and takeover of one session's browser. Frames are passed on and never stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Protocol

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.watched_page import origin_of
from server.browser.takeover.browser_view import (
    BrowserSnapshot,
    Drive,
    FocusedField,
    InputRefused,
    Listing,
    LiveFrame,
    Screen,
)
from server.browser.takeover.handover import address_of
from server.browser.takeover.sent_logins import SENT_LOGIN_SECONDS, SentLogin, SentLogins
from server.browser.takeover.user_input import AnswerDialog, Input, Stroke
from server.browser.takeover.viewer import ElementPoller, InputQueue, Viewer, ViewerMessage
from server.errors import Conflict
from server.ops.background_tasks import BackgroundTasks
from wording.catalogue import Wording, parts_of, sentence

log = logging.getLogger(__name__)

TAKEOVER_LEASE_SECONDS = 30.0
"""A holder that sends nothing for longer loses control."""
VIEW_POLL_SECONDS = 0.25
DRAIN_SECONDS = 3.0
PAGES_NOTED = 20
"""The most pages of one takeover that are noted."""


class Timer(Protocol):
    def cancel(self) -> None: ...


CallLater = Callable[[float, Callable[[], None]], Timer]


class LiveView:
    """Any number of viewers, of which at most one, the holder, has control instead of the agent."""

    def __init__(
        self,
        screen: Screen,
        *,
        call_later: CallLater | None = None,
        place: Callable[[], int | None] = lambda: None,
        drove: Callable[[str], None] = lambda address: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`call_later` schedules the lease's expiry (default: the event loop's); `place` returns the
        browser's position in the queue, or None; `drove` gets a page of each site that a takeover comes to."""
        self._screen = screen
        screen.on_copied = self._hand_copied
        screen.on_focused = self._hand_focused
        screen.on_login_sent = self._note_login
        self._place = place
        self._drove = drove
        self._call_later = call_later
        self._viewers: set[Viewer] = set()
        self._holder: Viewer | None = None
        self._is_held = False
        self._took_at = 0.0
        self._driven: list[str] = []
        self._origins: set[tuple[str, str]] = set()
        self._drive: Drive | None = None
        self._changing = asyncio.Lock()
        self._lease_ends: Timer | None = None
        self._logins = SentLogins(self._forget_login_later)
        self._login_ends: Timer | None = None
        self._frame: LiveFrame | None = None
        self._inputs = InputQueue(self._do)
        self._changed = asyncio.Event()
        self._follower: asyncio.Task[None] | None = None
        self._opener: asyncio.Task[None] | None = None
        self._is_hopeless = False
        self._poller = ElementPoller(screen.elements)
        self._tasks = BackgroundTasks()
        self._clock = clock

    @property
    def is_watched(self) -> bool:
        return bool(self._viewers)

    @property
    def has_holder(self) -> bool:
        """Whether a viewer has control now."""
        return self._holder is not None

    @property
    def is_held(self) -> bool:
        """True from `take` until `hand_back`, even if the holder was lost in between."""
        return self._is_held

    # Viewers

    def join(self) -> Viewer:
        viewer = Viewer()
        self._viewers.add(viewer)
        self._send_states()
        if self._frame:
            viewer.show(self._frame)
        if self._follower is None or self._follower.done():
            self._follower = asyncio.create_task(self._follow(), name="live view")
        return viewer

    def leave(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        if viewer is self._holder:
            self._lose_holder()
        self._changed.set()

    async def aclose(self) -> None:
        tasks = [task for task in (self._follower, self._opener) if task]
        if self._lease_ends:
            self._lease_ends.cancel()
        for task in tasks:
            task.cancel()
        self._tasks.cancel()
        await asyncio.gather(*tasks, self._tasks.wait(), return_exceptions=True)
        await self._inputs.aclose()
        await self._poller.aclose()

    async def _follow(self) -> None:
        """Background task: while there are viewers, captures the foreground page and sends state changes."""
        while self._viewers:
            await self._screen.capture(self._take_frame)
            self._send_states()
            self._reopen()
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(VIEW_POLL_SECONDS):
                    await self._changed.wait()
            if not self._viewers:
                await self._screen.capture(None)
                self._frame = None

    def _take_frame(self, frame: LiveFrame) -> None:
        self._frame = frame
        for viewer in self._viewers:
            viewer.show(frame)

    def _send_states(self) -> None:
        sight, start = self._screen.sight(), self._screen.start
        if self._is_held:
            self._note_page(sight)
        for viewer in self._viewers:
            viewer.first_start = viewer.first_start or start
            state = self._state_for(viewer, sight, start)
            if state != viewer.sent_state:
                viewer.sent_state = state
                viewer.send(state)

    def _state_for(self, viewer: Viewer, sight: BrowserSnapshot | None, start: int) -> ViewerMessage:
        holder = "none" if self._holder is None else "me" if self._holder is viewer else "other"
        state: ViewerMessage = {
            "type": "state",
            "holder": holder,
            "held": self._is_held,
            "browser": "closed",
            "url": None,
            "title": None,
            "viewport": None,
            "tabs": [],
            "dialog": None,
            "security": None,
            "queue_place": self._place(),
        }
        if sight is None:
            return state
        dialog = sight.dialog
        return state | {
            "browser": "open" if start == viewer.first_start else "restarted",
            "url": sight.url, "title": sight.title, "viewport": list(sight.viewport),
            "tabs": [{"index": tab.index, "title": tab.title, "url": tab.url, "active": tab.active} for tab in sight.tabs],
            "dialog": {"kind": dialog.kind, "message": dialog.message} if dialog else None,
            "security": sight.security,
        }  # fmt: skip

    # Takeover

    async def take(self, viewer: Viewer) -> None:
        """Give the viewer control; the agent's captures stop. Raises Conflict `takeover_held`."""
        async with self._changing:
            if self._holder not in (None, viewer):
                raise Conflict(sentence("takeover.other_person"), code="takeover_held")
            self._holder = viewer
            self.renew(viewer)
            if not self._is_held:
                self._is_held = True
                self._took_at, self._driven, self._origins, self._drive = self._clock(), [], set(), None
                self._screen.hold()
            self._is_hopeless = False
            self._reopen()
            self._send_states()

    def renew(self, viewer: Viewer) -> None:
        """Renew the lease if `viewer` is the holder."""
        if viewer is not self._holder:
            return
        if self._lease_ends:
            self._lease_ends.cancel()
        self._lease_ends = self._after(TAKEOVER_LEASE_SECONDS, self._lose_holder)

    def _after(self, seconds: float, do: Callable[[], None]) -> Timer:
        return (self._call_later or asyncio.get_running_loop().call_later)(seconds, do)

    async def hand_back(self, viewer: Viewer | None = None) -> str:
        """End the takeover and return a text on what changed during it, without typed values.

        Allowed for the holder, or for any caller after the holder was lost. Raises Conflict `takeover_held`
        or `not_held`.
        """
        async with self._changing:
            if self._holder not in (None, viewer):
                raise Conflict(sentence("takeover.other_person"), code="takeover_held")
            if not self._is_held:
                raise Conflict(sentence("takeover.none"), code="not_held")
            await self._inputs.drain(DRAIN_SECONDS)
            self._let_go()
            await self._screen.lift()
            changes = await self._screen.hand_back()
            self._note_page(self._screen.sight())
            self._drive = Drive(self._clock() - self._took_at, tuple(self._driven))
            self._is_held = False
            self._send_states()
            return changes

    def take_drive(self) -> Drive | None:
        """The takeover that was handed back since the last call."""
        drive, self._drive = self._drive, None
        return drive

    def _note_page(self, sight: BrowserSnapshot | None) -> None:
        """Note the page in the foreground, if it is another one; report each new site."""
        if sight is None or not sight.url.startswith(("http://", "https://")):
            return
        address = address_of(sight.url)
        if (origin := origin_of(address)) not in self._origins:
            self._origins.add(origin)
            self._drove(address)
        if self._driven and _place(self._driven[-1]) == _place(address):
            self._driven[-1] = address  # over http where https failed
        elif len(self._driven) < PAGES_NOTED:
            self._driven.append(address)

    def _hand_copied(self, text: str) -> None:
        """Only the holder gets it, and it is logged nowhere."""
        if self._holder is not None:
            self._holder.send({"type": "copied", "text": text})

    def _hand_focused(self, field: FocusedField) -> None:
        if self._holder is not None:
            self._holder.send({"type": "field", **field.model_dump()})

    def _note_login(self, sent: SentLogin) -> None:
        if self._holder is not None:
            self._logins.note(sent)

    def _forget_login_later(self, forget: Callable[[], None]) -> None:
        if self._login_ends:
            self._login_ends.cancel()
        self._login_ends = self._after(SENT_LOGIN_SECONDS, forget)

    def login_sent_by(self, viewer: Viewer) -> SentLogin | None:
        """The login that this viewer has sent to a page while it has control, at most `SENT_LOGIN_SECONDS` ago."""
        return self._logins.login if viewer is self._holder else None

    def forget_login(self) -> None:
        self._logins.forget()
        if self._login_ends:
            self._login_ends.cancel()

    def _lose_holder(self) -> None:
        log.info("the person who had the browser is gone; the agent waits until somebody gives it back")
        self._let_go()
        self._tasks.start(self._screen.lift())
        self._send_states()

    def _let_go(self) -> None:
        self._holder = None
        self.forget_login()
        self._inputs.clear()
        self._poller.stop()
        if self._lease_ends:
            self._lease_ends.cancel()

    async def icon(self) -> bytes | None:
        """The icon file of the site in the foreground; None if it has none, and while a person has the browser."""
        return None if self._is_held else await self._screen.icon()

    # User input

    def act(self, viewer: Viewer, wanted: Input | None) -> None:
        """Queue the holder's input, in order; None requests the element list.

        Input that cannot be carried out is reported to the viewer as an error message. Raises Conflict
        `not_held` unless `viewer` is the holder.
        """
        if viewer is not self._holder:
            raise Conflict(sentence("takeover.needed"), code="not_held")
        self.renew(viewer)
        if isinstance(wanted, AnswerDialog):  # the queued strokes are blocked until this answer
            self._tasks.start(self._do(viewer, wanted))
            return
        self._inputs.put(viewer, wanted)

    async def _do(self, viewer: Viewer, wanted: Input | None) -> None:
        try:
            if wanted is None:
                self._poller.ask(
                    lambda listing: viewer.send(_listing_message(listing)), partial(_refuse, viewer)
                )
            elif isinstance(wanted, Stroke):
                await self._screen.press(wanted)
            else:
                await self._screen.do(wanted)
        except InputRefused as error:
            _refuse(viewer, error.why)
        self._changed.set()

    # Starting the browser

    def _reopen(self) -> None:
        """Start the browser if there is a holder and it is closed, also after it ended on its own."""
        is_opening = self._opener is not None and not self._opener.done()
        if self._holder and self._screen.start == 0 and not is_opening and not self._is_hopeless:
            self._opener = asyncio.create_task(self._open(), name="open for a person")

    async def _open(self) -> None:
        try:
            await self._screen.open()
        except BrowserUnavailable as error:
            self._is_hopeless = True
            for viewer in self._viewers:
                viewer.send(_error(error.code, error.detail))
        self._changed.set()


def _place(address: str) -> str:
    return address.partition("//")[2]


def _refuse(viewer: Viewer, why: Wording) -> None:
    viewer.send(_error("refused", why))


def _error(code: str, message: Wording) -> ViewerMessage:
    return {"type": "error", "code": code, "message": message, "message_parts": parts_of(message)}


def _listing_message(listing: Listing) -> ViewerMessage:
    items = [
        {"eid": one.eid, "role": one.role, "name": one.name} | ({"value": one.value} if one.value else {})
        for one in listing.items
    ]
    return {"type": "elements", "items": items, "loading": listing.is_loading}
