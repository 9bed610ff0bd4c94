"""The offer to store the login with which the person has signed in during a takeover. Its values go to the vault alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from server.agent.logins import LoginValues, SeenLogin, Vault, VaultLocked
from server.agent.stored_logins import broken_rule
from server.api.sockets import SocketMessage
from server.browser.takeover.live_view import LiveView
from server.browser.takeover.viewer import Viewer
from server.errors import Conflict
from server.store import Store
from wording.catalogue import sentence

LoginAnswer = Literal["save", "later", "never"]
NO_OFFER: SocketMessage = {"type": "login", "host": "", "kind": ""}


@dataclass(frozen=True, slots=True)
class LoginOffers:
    """Of one viewer of a session's live view."""

    vault: Vault
    store: Store
    session_id: str
    view: LiveView
    viewer: Viewer

    async def offer(self) -> SocketMessage:
        """The host, and whether the login is new there or has another password; empty if there is nothing to offer."""
        seen = await self._seen()
        try:
            kind = await self.vault.is_new(seen) if seen else ""
        except VaultLocked:
            kind = ""
        return {"type": "login", "host": seen.host, "kind": kind} if seen and kind else NO_OFFER

    async def answer(self, answer: LoginAnswer) -> SocketMessage:
        """Raises Conflict `no_login` if it was forgotten by now, and `vault_locked`."""
        seen = await self._seen()
        if seen is None:
            raise Conflict(sentence("login.forgotten"), code="no_login")
        try:
            if answer == "save":
                await self.vault.save(seen, self.session_id)
            elif answer == "never":
                await self.vault.never_offer(seen.host)
        except VaultLocked as locked:
            raise Conflict(locked.why, code="vault_locked") from None
        self.view.forget_login()
        return NO_OFFER

    async def _seen(self) -> SeenLogin | None:
        sent = self.view.login_sent_by(self.viewer)
        if sent is None or broken_rule(sent.form):
            return None
        # The holder of a hand-off link may be another person, with a login of their own.
        if await self.store.handoff_of(self.session_id) is not None:
            return None
        return SeenLogin(sent.host, LoginValues(sent.user, sent.password))
