"""The password, and who has proved to know it: by a cookie that we signed, or by the bearer token."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from starlette.datastructures import Headers

from server import secret_file
from server.errors import TooMany, Unauthorized
from server.settings import Settings

COOKIE_SECONDS = 30 * 24 * 3600
PEER_FAILURES, ALL_FAILURES, FAILURE_SECONDS = 5, 60, 60.0


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
    """Failed logins of the last minute, by peer and in all."""

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
