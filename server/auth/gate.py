"""The access check in front of every route, for HTTP and WebSocket, with the list of public paths."""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.auth.body import limit_body
from server.auth.logins import Caller, Logins, read_caller
from server.auth.trusted_header import TrustedHeader
from server.errors import AppError, Forbidden, Unauthorized
from server.settings import Settings
from wording.catalogue import sentence

PUBLIC = frozenset(
    {"/api/auth/login", "/api/auth/ways", "/api/auth/proxy", "/api/auth/oidc", "/api/auth/oidc/callback"}
    | {"/api/health", "/api/ready"}
)
HOOKS = "/api/hooks/"
"""Below it the address has a secret, which is the login."""
LINKS = "/api/links/"
"""Below it the header `Pilothouse-Link` has one, which is good for these routes only."""
GUARDED_PREFIXES = ("/api", "/events/", "/ws/", "/docs", "/openapi.json")
"""All other paths are the web UI's static files, which contain no user data."""
PICTURE_ADDRESS = re.compile(r"/[0-9a-f]{40}\.(jpg|png|webp)")
"""In the path of a screenshot, which needs a login under every prefix."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
WS_UNAUTHORIZED = 4401

Render = Callable[[AppError, str], ASGIApp]
"""An error, and the id of the request that caused it, as the response."""


class RequestGate:
    """ASGI middleware that checks host, a proxy's header, origin, login and size, in this order. `render` renders errors."""

    def __init__(self, app: ASGIApp, *, settings: Settings, logins: Logins, render: Render) -> None:
        self._app = app
        self._logins = logins
        self._render = render
        self._hosts = allowed_hosts(settings)
        self._trusted_header = TrustedHeader(settings)
        self._guarded = guarded_prefixes(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)
        send = with_safe_headers(send)
        headers = Headers(scope=scope)
        secure = scope.get("scheme") in ("https", "wss")
        caller = scope["state"]["caller"] = read_caller(headers, self._logins, secure=secure)
        try:
            self._check_host(headers)
            if (
                scope["type"] == "http"
            ):  # a socket is opened with the cookie of a login; the header gives it nothing
                self._trusted_header.check(scope, headers)
            self._check_origin(scope, headers, caller)
            self._check_fetch_site(scope, headers, caller)
            self._check_login(scope, headers, caller)
            receive = limit_body(scope, headers, receive)
        except AppError as error:
            await self._refuse(scope, receive, send, error)
            return
        await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        """Against DNS rebinding: a foreign page must not reach this server under its own host name."""
        host = host_of(headers.get("host", ""))
        if host in self._hosts or (self._hosts.any_address and is_address(host)):
            return
        raise Forbidden(sentence("request.host", host=repr(host[:100])), code="host")

    def _check_origin(self, scope: Scope, headers: Headers, caller: Caller) -> None:
        is_socket = scope["type"] == "websocket"
        if not is_socket and scope["method"] in SAFE_METHODS:
            return
        origin = headers.get("origin")
        if origin is None:
            if caller.cookie is not None and caller.bearer is None and scope["path"] not in PUBLIC:
                raise Forbidden(sentence("request.no_origin"), code="origin")
            return
        host = headers.get("host", "").lower()
        if origin.lower() not in (f"http://{host}", f"https://{host}"):
            raise Forbidden(sentence("request.other_site"), code="origin")

    def _check_fetch_site(self, scope: Scope, headers: Headers, caller: Caller) -> None:
        """Reject cookie requests from pages of other origins, also for images, whose size could leak data.

        SameSite=Strict does not block pages on other ports of this host, which are the same site.
        """
        if caller.cookie is None or caller.bearer is not None or not self._is_guarded(scope["path"]):
            return
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise Forbidden(sentence("request.other_site"), code="origin")

    def _is_guarded(self, path: str) -> bool:
        is_public = path in PUBLIC or (path.startswith((HOOKS, LINKS)) and not PICTURE_ADDRESS.search(path))
        return not is_public and is_guarded(path, self._guarded)

    def _check_login(self, scope: Scope, headers: Headers, caller: Caller) -> None:
        if not self._is_guarded(scope["path"]):
            return
        if caller.bearer is not None:
            self._logins.check_bearer(caller.bearer, peer_of(scope))
        elif caller.cookie is None or not caller.is_logged_in:
            raise Unauthorized(sentence("login.needed"))
        else:
            self._logins.note_use(caller.cookie, peer_of(scope), headers.get("user-agent", ""))

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, error: AppError) -> None:
        if scope["type"] == "http":
            await self._render(error, scope["state"]["request_id"])(scope, receive, send)
            return
        await receive()
        if isinstance(error, Unauthorized):  # a custom close code requires an accepted socket
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": WS_UNAUTHORIZED, "reason": error.detail})
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": error.detail})


def guarded_prefixes(settings: Settings) -> tuple[str, ...]:
    """Prefixes of the paths that require a login: those of the API and of the screenshots."""
    return (*GUARDED_PREFIXES, f"{settings.screenshot_url_prefix}/")


def is_guarded(path: str, prefixes: tuple[str, ...]) -> bool:
    """Whether the path is below one of `guarded_prefixes` or names a screenshot."""
    return path.startswith(prefixes) or PICTURE_ADDRESS.search(path) is not None


def with_safe_headers(send: Send) -> Send:
    """A `send` that adds `nosniff` and `no-store` headers unless the response sets them itself."""

    def send_safely(message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("x-content-type-options", "nosniff")
            headers.setdefault("cache-control", "no-store")
        return send(message)

    return send_safely


class Hosts(frozenset[str]):
    any_address: bool = False


def allowed_hosts(settings: Settings) -> Hosts:
    """Loopback names, HOST, TRUSTED_HOSTS, those of PUBLIC_URL and of the address for other processes; on a public bind also the machine's name and any IP address."""
    names = {"localhost", "127.0.0.1", "::1", settings.host, *settings.trusted_hosts}
    if settings.public_url and (name := urlsplit(settings.public_url).hostname):
        names.add(name)
    if settings.is_shared and (name := urlsplit(settings.own_address).hostname):
        names.add(name)
    if settings.is_public:
        names |= {socket.gethostname(), f"{socket.gethostname()}.local"}
    hosts = Hosts(name.lower() for name in names)
    hosts.any_address = settings.is_public
    return hosts


def host_of(header: str) -> str:
    """`[::1]:8000` -> `::1`, `Example.org:80` -> `example.org`."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def peer_of(scope: Scope) -> str:
    """The client's address; from a forwarding header only if a proxy in FORWARDED_ALLOW_IPS has set it."""
    client = scope.get("client")
    return str(client[0]) if client else "?"
