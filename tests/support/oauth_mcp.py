"""An MCP server that wants a login, with an authorization server of its own: the SDK's, with everything in memory."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.fastmcp import FastMCP
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

from tests.support.ports import free_port
from tests.support.scripted_mcp import serve_app


class InMemory(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Agrees at once: the address for the person redirects to the client."""

    def __init__(self, lasts: int) -> None:
        self.lasts = lasts
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.tokens: dict[str, AccessToken] = {}
        self.refreshes: dict[str, RefreshToken] = {}
        self.refreshed = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id or ""] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = secrets.token_urlsafe(16)
        self.codes[code] = AuthorizationCode(
            code=code, scopes=params.scopes or [], expires_at=time.time() + 60, client_id=client.client_id or "",
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly, resource=params.resource,
        )  # fmt: skip
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._token(client, authorization_code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refreshes.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        self.refreshed += 1
        return self._token(client, scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)

    def _token(self, client: OAuthClientInformationFull, scopes: list[str]) -> OAuthToken:
        access, refresh, client_id = (
            secrets.token_urlsafe(16),
            secrets.token_urlsafe(16),
            client.client_id or "",
        )
        ends = int(time.time()) + self.lasts
        self.tokens[access] = AccessToken(token=access, client_id=client_id, scopes=scopes, expires_at=ends)
        self.refreshes[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes)
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=self.lasts, scope=" ".join(scopes)
        )


@asynccontextmanager
async def serve_with_login(lasts: int = 3600) -> AsyncIterator[tuple[str, InMemory]]:
    """Yields its URL and its authorization server. A token is good for `lasts` seconds."""
    port, provider = free_port(), InMemory(lasts)
    origin = AnyHttpUrl(f"http://127.0.0.1:{port}")
    settings = AuthSettings(
        issuer_url=origin, resource_server_url=AnyHttpUrl(f"{origin}mcp"),
        client_registration_options=ClientRegistrationOptions(enabled=True), validate_token_resource=False,
    )  # fmt: skip
    server = FastMCP("private", auth_server_provider=provider, auth=settings)

    @server.tool()
    def whoami() -> str:
        """Says who is logged in."""
        return "Ada"

    app = server.streamable_http_app()
    async with serve_app(app, port=port):
        yield f"{origin}mcp", provider
