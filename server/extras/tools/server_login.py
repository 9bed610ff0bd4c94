"""Logins at tool servers that want one: OAuth by the MCP SDK (discovery, registration, PKCE, refresh), in two requests.

The first returns where the person has to go, the second takes what the authorization server has sent them back with.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken
from pydantic import AnyUrl

from server.errors import BadRequest
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

CALLBACK = "/oauth/callback"
"""Of the web UI, below PUBLIC_URL: it hands code and state to the API, with the person's login."""
PATIENCE = 600.0
"""Seconds that the person may take."""

Save = Callable[[JsonObject], Awaitable[None]]


class LoginNeeded(Exception):
    """Only the person can log in."""


class KeptLogin:
    """Implements the SDK's `TokenStorage` on `{tokens, expires_at, client, metadata}`."""

    def __init__(self, kept: JsonObject, save: Save) -> None:
        self.kept = dict(kept)
        self._save = save
        self.metadata: Callable[[], OAuthMetadata | None] = lambda: None

    async def get_tokens(self) -> OAuthToken | None:
        return OAuthToken.model_validate(self.kept["tokens"]) if self.kept.get("tokens") else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """A refresh that gives no new refresh token leaves the old one valid."""
        old = self.kept.get("tokens") or {}
        tokens.refresh_token = tokens.refresh_token or old.get("refresh_token")
        ends = time.time() + tokens.expires_in if tokens.expires_in else None
        self.kept |= {"tokens": tokens.model_dump(mode="json", exclude_none=True), "expires_at": ends}
        if metadata := self.metadata():
            self.kept["metadata"] = metadata.model_dump(mode="json", exclude_none=True)
        await self._save(self.kept)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        client = self.kept.get("client")
        return OAuthClientInformationFull.model_validate(client) if client else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.kept["client"] = client_info.model_dump(mode="json", exclude_none=True)


class ServerLogin(OAuthClientProvider):
    """Also knows, from what is kept, when a token ends and where it is refreshed."""

    def __init__(
        self, url: str, callback: str, login: KeptLogin, *,
        redirect: Callable[[str], Awaitable[None]] | None = None,
        answer: Callable[[], Awaitable[tuple[str, str | None]]] | None = None,
    ) -> None:  # fmt: skip
        metadata = OAuthClientMetadata(
            client_name="Pilothouse", redirect_uris=[AnyUrl(callback)],
            grant_types=["authorization_code", "refresh_token"], response_types=["code"],
        )  # fmt: skip
        super().__init__(url, metadata, login, redirect or _need_login, answer, PATIENCE)
        self._login = login
        login.metadata = lambda: self.context.oauth_metadata

    async def _initialize(self) -> None:
        await super()._initialize()
        self.context.token_expiry_time = self._login.kept.get("expires_at")
        if metadata := self._login.kept.get("metadata"):
            self.context.oauth_metadata = OAuthMetadata.model_validate(metadata)


async def _need_login(_: str) -> None:
    raise LoginNeeded


@dataclass(eq=False)
class PendingLogin:
    """One that the person has begun and not come back from."""

    caller: str
    """Who has begun it, and alone may end it."""
    address: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    answer: asyncio.Future[tuple[str, str]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    ends: float = field(default_factory=lambda: time.monotonic() + PATIENCE)
    work: asyncio.Task[None] | None = None
    issuer: str = ""

    async def redirect(self, url: str) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise BadRequest(sentence("tool_server.login_address"), code="login_failed")
        self.address.set_result(url)

    async def wait(self) -> tuple[str, str | None]:
        async with asyncio.timeout(PATIENCE):
            return await self.answer


class PendingLogins:
    """By the state that the authorization server gives back."""

    def __init__(self) -> None:
        self._pending: dict[str, PendingLogin] = {}

    async def begin(self, login: PendingLogin, seconds: float) -> str:
        """Wait for the address that the person has to open. Raises what the work raises, or BadRequest."""
        assert login.work is not None
        await asyncio.wait((login.address, login.work), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not login.address.done():
            if login.work.done() and (error := login.work.exception()):
                raise error
            login.work.cancel()
            raise BadRequest(sentence("tool_server.no_login"), code="no_login")
        url = login.address.result()
        self._sweep()
        self._pending[parse_qs(urlsplit(url).query).get("state", [""])[0]] = login
        return url

    async def finish(self, state: str, code: str, issuer: str | None, caller: str) -> None:
        """Raises BadRequest `login_unknown` for a state that this caller has not begun, or what the work raises."""
        login = self._pending.get(state)
        if login is None or not hmac.compare_digest(login.caller, caller) or login.answer.done():
            raise BadRequest(sentence("tool_server.login_unknown"), code="login_unknown")
        del self._pending[state]
        assert login.work is not None
        if issuer and login.issuer and issuer.rstrip("/") != login.issuer.rstrip("/"):
            login.work.cancel()
            raise BadRequest(sentence("tool_server.login_unknown"), code="login_unknown")
        login.answer.set_result((code, state))
        await login.work

    def end(self) -> None:
        for login in self._pending.values():
            if login.work:
                login.work.cancel()
        self._pending.clear()

    def _sweep(self) -> None:
        moment = time.monotonic()
        self._pending = {state: one for state, one in self._pending.items() if one.ends > moment}
