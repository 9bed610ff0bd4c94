"""The gate for HTTP and WebSocket: one place, before every route. What is public is listed here."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import secret_file
from server.errors import AppError, BadRequest, Forbidden, TooLarge, TooMany, Unauthorized
from server.settings import Settings

PUBLIC = frozenset({"/api/auth/login", "/api/health", "/api/ready"})
GUARDED_PREFIXES = ("/api", "/events/", "/ws/", "/docs", "/openapi.json")
"""Everything else is the web UI's own static files, which hold no data."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
COOKIE_SECONDS = 30 * 24 * 3600
JSON_LIMIT = 1_000_000
FILE_LIMIT = 26_000_000
BODY_SECONDS = 30.0
"""Between two parts of a body."""
PEER_FAILURES, ALL_FAILURES, FAILURE_SECONDS = 5, 60, 60.0
WS_UNAUTHORIZED = 4401


def load_password(settings: Settings) -> tuple[str, bool]:
    """The password and whether it was made just now. Raises ValueError on a public bind without one."""
    if settings.auth_token:
        return settings.auth_token.get_secret_value(), False
    if settings.is_public:
        raise ValueError(
            f"AUTH_TOKEN is not set, and HOST={settings.host} can be reached from other machines"
        )
    return secret_file.load_or_make(settings.data_dir / "auth_token", lambda: secrets.token_urlsafe(12))


@dataclass
class Attempts:
    """Failed logins of the last minute, by peer and in all. A success is never held back by others' failures."""

    failures: dict[str, deque[float]] = field(default_factory=dict)
    all: deque[float] = field(default_factory=deque)

    def check(self, peer: str, now: float) -> None:
        """Raises TooMany while the peer, or everybody together, failed too often."""
        for recent, limit in ((self.failures.get(peer), PEER_FAILURES), (self.all, ALL_FAILURES)):
            while recent and now - recent[0] > FAILURE_SECONDS:
                recent.popleft()
            if recent and len(recent) >= limit:
                wait = FAILURE_SECONDS - (now - recent[0])
                raise TooMany("Too many failed logins; wait a moment.", code="login_locked", retry_after=wait)

    def failed(self, peer: str, now: float) -> None:
        if len(self.failures) > 10_000:
            self.failures = {
                peer: times for peer, times in self.failures.items() if now - times[-1] < FAILURE_SECONDS
            }
        self.failures.setdefault(peer, deque()).append(now)
        self.all.append(now)


class Logins:
    """Makes and checks login cookies: `<expiry>.<id>.<signature>`. A logout is remembered on disk."""

    def __init__(self, password: str, data_dir: Path, clock: Callable[[], float] = time.time) -> None:
        secret, _ = secret_file.load_or_make(data_dir / "cookie_secret", lambda: secrets.token_urlsafe(32))
        # A changed password ends all logins: it is part of the key.
        self._key = hashlib.sha256(f"{secret}\0{password}".encode()).digest()
        self._password = _digest(password)
        self._clock = clock
        self._revoked_file = data_dir / "logged_out.json"
        self._revoked: dict[str, float] = self._load_revoked()
        self.attempts = Attempts()

    def log_in(self, password: str, peer: str) -> str:
        """A new cookie value. Raises Unauthorized or TooMany."""
        now = time.monotonic()
        self.attempts.check(peer, now)
        if not self.is_password(password):
            self.attempts.failed(peer, now)
            raise Unauthorized("This is not the password.", code="wrong_password")
        return self._sign(f"{int(self._clock()) + COOKIE_SECONDS}.{secrets.token_hex(8)}")

    def is_password(self, text: str) -> bool:
        return hmac.compare_digest(_digest(text), self._password)

    def is_valid(self, cookie: str) -> bool:
        body, _, _ = cookie.rpartition(".")
        expiry, _, login_id = body.partition(".")
        if not hmac.compare_digest(cookie.encode(), self._sign(body).encode()) or login_id in self._revoked:
            return False
        return int(expiry) > self._clock()  # signed, so it is a number of ours

    def log_out(self, cookie: str) -> None:
        if not self.is_valid(cookie):
            return
        expiry, login_id, _ = cookie.split(".")
        self._revoked[login_id] = float(expiry)
        self._revoked = {id: until for id, until in self._revoked.items() if until > self._clock()}
        secret_file.write(self._revoked_file, json.dumps(self._revoked))

    def _sign(self, body: str) -> str:
        return f"{body}.{hmac.new(self._key, body.encode(), hashlib.sha256).hexdigest()}"

    def _load_revoked(self) -> dict[str, float]:
        try:
            return {str(id): float(until) for id, until in json.loads(self._revoked_file.read_text()).items()}
        except (OSError, ValueError, AttributeError):
            return {}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: by bearer token, or by a cookie that may be logged out while a stream is open."""

    logins: Logins
    bearer: str | None = None
    cookie: str | None = None

    @property
    def is_logged_in(self) -> bool:
        if self.bearer is not None:
            return self.logins.is_password(self.bearer)
        return self.cookie is not None and self.logins.is_valid(self.cookie)


def cookie_name(*, secure: bool) -> str:
    return "__Host-pilothouse" if secure else "pilothouse"


def read_caller(headers: Headers, logins: Logins, *, secure: bool) -> Caller:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return Caller(logins, bearer=token.strip())
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return Caller(logins)
    found = cookies.get(cookie_name(secure=secure))
    return Caller(logins, cookie=found.value if found else None)


class Gate:
    """ASGI middleware: host, origin, size, login; in this order. Errors are drawn by `render`."""

    def __init__(self, app: ASGIApp, *, settings: Settings, logins: Logins, render: Any) -> None:
        self._app = app
        self._logins = logins
        self._render = render
        self._hosts = allowed_hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)
        try:
            receive = self._admit(scope, receive)
        except AppError as error:
            await self._refuse(scope, receive, send, error)
            return
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope, receive: Receive) -> Receive:
        headers = Headers(scope=scope)
        secure = scope.get("scheme") in ("https", "wss")
        caller = read_caller(headers, self._logins, secure=secure)
        scope["state"]["caller"] = caller
        self._check_host(headers)
        self._check_origin(scope, headers, caller)
        self._check_login(scope, caller)
        return limit_body(scope, headers, receive)

    def _check_host(self, headers: Headers) -> None:
        """Against DNS rebinding: a page elsewhere must not reach us under a name of its own."""
        host = host_of(headers.get("host", ""))
        if host in self._hosts or (self._hosts.any_address and is_address(host)):
            return
        raise Forbidden(
            f"The host name {host[:100]!r} is not known here; add it to TRUSTED_HOSTS.", code="host"
        )

    def _check_origin(self, scope: Scope, headers: Headers, caller: Caller) -> None:
        is_socket = scope["type"] == "websocket"
        if not is_socket and scope["method"] in SAFE_METHODS:
            return
        origin = headers.get("origin")
        if origin is None:
            if caller.cookie is not None and caller.bearer is None:
                raise Forbidden("A request with a cookie must tell its origin.", code="origin")
            return
        host = headers.get("host", "").lower()
        if origin.lower() not in (f"http://{host}", f"https://{host}"):
            raise Forbidden("This request comes from another site.", code="origin")

    def _check_login(self, scope: Scope, caller: Caller) -> None:
        path = scope["path"]
        if path in PUBLIC or not path.startswith(GUARDED_PREFIXES):
            return
        if caller.bearer is not None:
            self._check_bearer(scope, caller)
        elif not caller.is_logged_in:
            raise Unauthorized("Log in first.")

    def _check_bearer(self, scope: Scope, caller: Caller) -> None:
        if caller.is_logged_in:
            return
        peer, now = peer_of(scope), time.monotonic()
        self._logins.attempts.check(peer, now)
        self._logins.attempts.failed(peer, now)
        raise Unauthorized("This token is not the right one.", code="wrong_token")

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, error: AppError) -> None:
        if scope["type"] == "http":
            await self._render(error, scope["state"]["request_id"])(scope, receive, send)
            return
        await receive()
        if isinstance(error, Unauthorized):  # a code of ours can only be sent on an accepted socket
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": WS_UNAUTHORIZED, "reason": error.detail})
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": error.detail})


class Hosts(frozenset[str]):
    any_address: bool = False


def allowed_hosts(settings: Settings) -> Hosts:
    """Loopback names, the machine's own name and TRUSTED_HOSTS; on a public bind also bare addresses."""
    names = {"localhost", "127.0.0.1", "::1", settings.host, *settings.trusted_hosts}
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
    """The real peer of the connection; headers that anyone can write do not count."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def limit_body(
    scope: Scope, headers: Headers, receive: Receive, *, patience: float = BODY_SECONDS
) -> Receive:
    """A receive that raises instead of reading on, or of waiting. A declared size is checked at once."""
    if scope["type"] != "http":
        return receive
    limit = FILE_LIMIT if scope["path"].endswith("/files") else JSON_LIMIT
    declared = headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit() and len(declared) < 20):
        raise BadRequest("The content-length is not a size.")
    if int(declared) > limit:
        raise TooLarge(f"The body is larger than {limit} bytes.")
    received, is_whole = 0, False

    async def counted() -> Message:
        nonlocal received, is_whole
        try:
            async with asyncio.timeout(None if is_whole else patience):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408, "The body did not come in time.") from error
        is_whole = not message.get("more_body", False)
        received += len(message.get("body", b""))
        if received > limit:  # as an HTTPException: FastAPI turns all else that reading raises into a 400
            raise HTTPException(413, f"The body is larger than {limit} bytes.")
        return message

    return counted
