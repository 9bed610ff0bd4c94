"""Tracks what changes during a takeover; `handover` describes the changes to the agent."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage
from server.browser.masking import mask_text
from server.browser.observation.page_script import PAGE_SCRIPT, Extra, SecretField
from server.browser.takeover.browser_view import FocusedField
from server.browser.takeover.handover import (
    BINDING,
    COPIED_BINDING,
    FOCUSED_BINDING,
    LOGIN_BINDING,
    LOGIN_TRACK_SCRIPT,
    SCENE_SCRIPT,
    TRACK_SCRIPT,
    WORLD,
    PageMoment,
    describe_changes,
)
from server.browser.takeover.sent_logins import SentLogin
from server.browser.takeover.user_input import MAX_TYPED_CHARS

log = logging.getLogger(__name__)

SCENE_DEADLINE = 1.0
_BINDINGS = (BINDING, COPIED_BINDING, FOCUSED_BINDING)


class UserActivity:
    """Tracks from `begin` to `end`; `follow` adds further pages. No field values leave the page but those of a login that
    is sent, and only if `reads_logins`."""

    def __init__(
        self,
        on_copied: Callable[[str], None],
        on_focused: Callable[[FocusedField], None],
        on_login_sent: Callable[[SentLogin], None],
        reads_logins: Callable[[], bool],
    ) -> None:
        self._on_copied = on_copied
        self._on_focused = on_focused
        self._on_login_sent = on_login_sent
        self._reads_logins = reads_logins
        self._focused_in: tuple[str | None, int] | None = None
        """Session and execution context of the tracking script where the focus is."""
        self._before: PageMoment | None = None
        self._fields: list[str] = []
        self._tracked: dict[str, str] = {}
        """By DevTools session of a page or of a frame of another site, the id of the tracking script there; "" while it
        is being added."""
        self._cdp: Cdp | None = None
        self._stop_listening: Callable[[], None] | None = None

    async def begin(self, watch: PageMonitor, page: WatchedPage) -> None:
        """Raises CdpError."""
        self._before = await _scene(watch, page)
        await self.follow(watch, page)

    async def follow(self, watch: PageMonitor, page: WatchedPage) -> None:
        """Raises CdpError."""
        if self._cdp is not watch.cdp:
            self._forget_cdp()
            self._cdp = watch.cdp
            self._stop_listening = watch.cdp.on("Runtime.bindingCalled", partial(self._on_field, watch))
        for session in (page.session, *page.inner):
            if session and session not in self._tracked:
                await self._track(watch.cdp, session)

    async def _track(self, cdp: Cdp, session: str) -> None:
        self._tracked[session], send = "", cdp.send
        await send("Runtime.enable", session=session)
        reads_logins = self._reads_logins()
        for name in (*_BINDINGS, LOGIN_BINDING) if reads_logins else _BINDINGS:
            await send("Runtime.addBinding", {"name": name, "executionContextName": WORLD}, session=session)
        added = await send("Page.addScriptToEvaluateOnNewDocument", {
            "source": LOGIN_TRACK_SCRIPT if reads_logins else TRACK_SCRIPT, "worldName": WORLD, "runImmediately": True}, session=session)  # fmt: skip
        self._tracked[session] = added["identifier"]

    async def end(self, watch: PageMonitor | None, page: WatchedPage | None) -> str:
        """Stop tracking and return a text on what changed."""
        after = None
        if watch is not None and page is not None:
            after = await _scene(watch, page)
            await self._untrack(watch)
        text = describe_changes(self._before, after, self._fields)
        self._before, self._fields = None, []
        self._forget_cdp()
        return text

    async def _untrack(self, watch: PageMonitor) -> None:
        for session, script in self._tracked.items():
            if not script:
                continue
            with suppress(CdpError):
                for method, params in (
                    ("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script}),
                    *(("Runtime.removeBinding", {"name": name}) for name in (*_BINDINGS, LOGIN_BINDING)), ("Runtime.disable", {}),
                ):  # fmt: skip
                    await watch.cdp.send(method, params, session=session, deadline=1)

    def _on_field(self, watch: PageMonitor, params: Params, session: str | None) -> None:
        if params.get("name") == COPIED_BINDING:
            self._on_copied(str(params.get("payload", ""))[:MAX_TYPED_CHARS])
        if params.get("name") == FOCUSED_BINDING:
            with suppress(ValueError):
                self._on_focused(FocusedField.model_validate_json(params["payload"]))
                self._focused_in = session, params["executionContextId"]
        if params.get("name") == LOGIN_BINDING:
            with suppress(ValueError):
                self._on_login_sent(SentLogin.model_validate_json(params["payload"]))
        if params.get("name") != BINDING:
            return
        if page := watch.page_around(session):
            page.holds_input = True
        name = " ".join(str(params.get("payload", ""))[:500].split())[:80]
        if name and name not in self._fields and len(self._fields) < 50:
            self._fields.append(name)

    async def choose(self, value: str) -> bool:
        """Set the value of the field that has the focus; False if it takes no such value. Raises CdpError."""
        if self._cdp is None or self._focused_in is None:
            return False
        session, context = self._focused_in
        asked = {
            "expression": f"pilothouseChoose({json.dumps(value)})",
            "contextId": context,
            "returnByValue": True,
        }
        answer = await self._cdp.send("Runtime.evaluate", asked, session=session, deadline=SCENE_DEADLINE)
        return answer["result"].get("value") is True

    def _forget_cdp(self) -> None:
        if self._stop_listening:
            self._stop_listening()
        self._cdp, self._stop_listening, self._focused_in = None, None, None
        self._tracked.clear()


async def _scene(watch: PageMonitor, page: WatchedPage) -> PageMoment:
    """Capture the page's state; values of its secret fields are masked wherever they occur."""
    found: dict[str, object] = {}
    secrets: tuple[SecretField, ...] = ()
    if not page.dialog and not page.is_crashed:
        try:
            result = await watch.evaluate(SCENE_SCRIPT, page, deadline=SCENE_DEADLINE)
            found = result if isinstance(result, dict) else {}
            seen = await watch.evaluate(PAGE_SCRIPT, page, deadline=SCENE_DEADLINE)
            secrets = Extra.model_validate(seen or {}).secrets
        except (CdpError, ValueError) as error:
            log.debug("scene: %s", error)
            found = {}
    scene = PageMoment.model_validate(
        {"url": page.document, "title": page.title, "tabs": len(watch.pages), **found}
    )
    return scene.mapped(lambda text: mask_text(text, secrets))
