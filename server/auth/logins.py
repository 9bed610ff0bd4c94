"""The password, and logins with it: by a signed cookie or as a bearer token."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import re
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.datastructures import Headers

from server.auth.devices import DeviceBook, Way
from server.errors import BadRequest, Conflict, NotFound, TooMany, Unauthorized
from server.fs import secret_file
from server.ops.json_types import JsonObject
from server.settings import Settings
from wording.catalogue import sentence

COOKIE_SECONDS = 30 * 24 * 3600
NEW_PASSWORD = re.compile(r"[!-~]([ -~]{10,198})[!-~]")
"""Programs send it in a header, and the file that it is kept in is read without spaces at its ends."""
PEER_FAILURES, FAILURE_SECONDS = 5, 60.0
COMMON_BURST, COMMON_PER_SECOND = 30, 0.5
KNOWN_PEERS = 1_000
LOOPBACK = "loopback"


def password_file(settings: Settings) -> Path | None:
    """None if the password is a setting."""
    return None if settings.auth_token else settings.data_dir / "auth_token"


def load_password(settings: Settings) -> tuple[str, bool]:
    """The password, and whether it was created now. Raises ValueError on a public bind without AUTH_TOKEN."""
    if settings.auth_token:
        return settings.auth_token.get_secret_value(), False
    if settings.is_public:
        raise ValueError(
            f"AUTH_TOKEN is not set, and HOST={settings.host} can be reached from other machines"
        )
    return secret_file.load_or_make(settings.data_dir / "auth_token", lambda: secrets.token_urlsafe(12))


class Attempt(BaseModel):
    """A failed login, or the first right password of a peer, as the other processes receive it."""

    model_config = ConfigDict(frozen=True)
    peer: str
    """As `network_of` gives it."""
    is_right: bool
    by_token: bool = False


@dataclass
class Attempts:
    """Rate limit for failed logins. Times are seconds of a monotonic clock.

    A peer is an IPv4 address or an IPv6 /64, because one client usually has a whole /64. Each peer may fail
    `PEER_FAILURES` times in `FAILURE_SECONDS`. All peers that never gave the right password share a token
    bucket of `COMMON_BURST` failures, refilled with `COMMON_PER_SECOND`: at most 60 failures in any minute in
    total. It does not apply to peers that gave the right password, nor to loopback, so an attacker with many
    addresses cannot lock out the owner. Failures are stored for `FAILURE_SECONDS` only, and the bucket limits
    their number, so memory is bounded.

    Several processes report to each other, so that more of them allow no more failures: a failure counts at the others as
    soon as they receive it.
    """

    recent: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict)
    """By peer: the times of its failures. Ordered by last failure, newest last."""
    known: OrderedDict[str, bool] = field(default_factory=OrderedDict)
    """Peers that gave the right password since the start, newest last. The value: whether by token."""
    common: float = 0.0
    """Failures in the common bucket at the time `common_at`."""
    common_at: float = 0.0
    publish: Callable[[Attempt], None] = lambda _: None
    """Called with what has happened here; each other process passes it to `receive`."""

    def check(self, peer: str, now: float) -> None:
        """Raises TooMany if this peer, or all unknown peers in total, failed too often."""
        peer = network_of(peer)
        times = [at for at in self.recent.get(peer, ()) if now - at < FAILURE_SECONDS]
        if len(times) >= PEER_FAILURES:
            raise _too_many(FAILURE_SECONDS - (now - times[0]))
        excess = self._common_at(now) + 1 - COMMON_BURST
        if excess > 0 and not self._knows(peer):
            raise _too_many(excess / COMMON_PER_SECOND)

    def failed(self, peer: str, now: float) -> None:
        peer = network_of(peer)
        self._note_failure(peer, now)
        self.publish(Attempt(peer=peer, is_right=False))

    def receive(self, attempt: Attempt, now: float) -> None:
        """Count what has happened at another process."""
        if attempt.is_right:
            self._note_known(attempt.peer, by_token=attempt.by_token)
        else:
            self._note_failure(attempt.peer, now)

    def _note_failure(self, peer: str, now: float) -> None:
        while self.recent and now - next(iter(self.recent.values()))[-1] >= FAILURE_SECONDS:
            self.recent.popitem(last=False)
        self.recent.setdefault(peer, deque(maxlen=PEER_FAILURES)).append(now)
        self.recent.move_to_end(peer)
        if not self._knows(peer):
            self.common, self.common_at = self._common_at(now) + 1, now

    def succeeded(self, peer: str, *, by_token: bool) -> None:
        peer = network_of(peer)
        known = self.known.get(peer)
        self._note_known(peer, by_token=by_token)
        if self.known[peer] != known:
            self.publish(Attempt(peer=peer, is_right=True, by_token=by_token))

    def _note_known(self, peer: str, *, by_token: bool) -> None:
        self.known[peer] = by_token or self.known.get(peer, False)
        self.known.move_to_end(peer)
        if len(self.known) > KNOWN_PEERS:
            self.known.popitem(last=False)

    def gave_token(self, peer: str) -> bool:
        return self.known.get(network_of(peer), False)

    def _knows(self, peer: str) -> bool:
        return peer == LOOPBACK or peer in self.known

    def _common_at(self, now: float) -> float:
        return max(0.0, self.common - (now - self.common_at) * COMMON_PER_SECOND)


def _too_many(wait: float) -> TooMany:
    return TooMany(sentence("login.too_many"), code="login_locked", retry_after=wait)


@lru_cache(maxsize=KNOWN_PEERS)
def network_of(peer: str) -> str:
    """The key for counting failures: `192.0.2.1`, `2001:db8::/64`, `loopback`, or `?` if invalid."""
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return "?"
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return LOOPBACK
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, 64), strict=False))


LOGIN_COOKIE = "pilothouse"


class Logins:
    """Creates and checks login cookies: `<expiry>.<id>.<signature>`. Devices and logouts are stored on disk."""

    def __init__(
        self,
        password: str,
        data_dir: Path,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        base_path: str = "",
        password_file: Path | None = None,
    ) -> None:
        """`base_path`: below which the server is reached; others may be at other paths of its host.
        `password_file`: where the password is; None if it is a setting, which cannot be changed here.
        """
        self.cookie = LOGIN_COOKIE + base_path.replace("/", "-")
        self._secret, _ = secret_file.load_or_make(
            data_dir / "cookie_secret", lambda: secrets.token_urlsafe(32)
        )
        self._password_file = password_file
        self._set_password(password)
        self.devices = DeviceBook(data_dir / "devices", clock)
        self._clock = clock
        self._monotonic = monotonic
        self._revoked_file = data_dir / "logged_out.json"
        self._revoked: dict[str, float] = {}
        self._revoked_at = 0
        """When the file was changed that `_revoked` was read from."""
        self._read_revoked()
        self.attempts = Attempts()

    def _set_password(self, password: str) -> None:
        # The password is part of the key, so changing it ends all logins.
        self._key = hashlib.sha256(f"{self._secret}\0{password}".encode()).digest()
        self._password = _digest(password)

    @property
    def can_change_password(self) -> bool:
        return self._password_file is not None

    def log_in(self, password: str, peer: str, agent: str = "") -> str:
        """Check the password and return a new cookie value. Raises Unauthorized or TooMany.

        `agent` is the browser's User-Agent, by which its device is named in the list.
        """
        self.check_password(password, peer)
        self.attempts.succeeded(peer, by_token=False)
        return self.admit("password", peer, agent)

    def admit(self, way: Way, peer: str, agent: str) -> str:
        """A new cookie value for a person whom the caller has checked."""
        login_id, expiry = secrets.token_hex(8), int(self._clock()) + COOKIE_SECONDS
        self.devices.add(login_id, expiry, way=way, agent=agent, address=peer)
        return self._sign(f"{expiry}.{login_id}")

    def change_password(self, current: str, new: str, peer: str) -> None:
        """Replace the password, which ends all logins. Raises Unauthorized, TooMany, Conflict or BadRequest."""
        if self._password_file is None:
            raise Conflict(sentence("password.is_setting"), code="password_is_setting")
        self.check_password(current, peer)
        if not NEW_PASSWORD.fullmatch(new):
            raise BadRequest(sentence("password.unsuitable"), code="password_unsuitable")
        secret_file.write(self._password_file, new + "\n")
        self._set_password(new)
        for device in self.devices.all():
            self.devices.remove(device.id)

    def check_password(self, password: str, peer: str) -> None:
        """Raises Unauthorized or TooMany."""
        wrong = Unauthorized(sentence("login.wrong_password"), code="wrong_password")
        self._check_guess(password, peer, wrong)

    def check_bearer(self, token: str, peer: str) -> None:
        """Raises Unauthorized or TooMany.

        A peer that gave the right token before is not locked by failures of another client with the same
        address (for example behind one proxy). Any other locked peer gets TooMany even with the right token:
        otherwise guesses by token would be unlimited.
        """
        if self.is_password(token) and self.attempts.gave_token(peer):
            return
        self._check_guess(token, peer, Unauthorized(sentence("login.wrong_token"), code="wrong_token"))
        self.attempts.succeeded(peer, by_token=True)

    def check_attempts(self, peer: str) -> None:
        """Raises TooMany if this peer failed too often, by whatever way to log in."""
        self.attempts.check(peer, self._monotonic())

    def note_failure(self, peer: str) -> None:
        self.attempts.failed(peer, self._monotonic())

    def _check_guess(self, password: str, peer: str, refusal: Unauthorized) -> None:
        self.check_attempts(peer)
        if not self.is_password(password):
            self.note_failure(peer)
            raise refusal

    def share(self, broadcast: Callable[[bytes], None]) -> Callable[[bytes], None]:
        """Limit failed logins together with other processes: `broadcast` sends them each attempt, the result takes theirs."""
        self.attempts.publish = lambda attempt: broadcast(attempt.model_dump_json().encode())
        return self._receive

    def _receive(self, sent: bytes) -> None:
        with suppress(ValidationError):  # of another version
            self.attempts.receive(Attempt.model_validate_json(sent), self._monotonic())

    def is_password(self, text: str) -> bool:
        return hmac.compare_digest(_digest(text), self._password)

    def is_valid(self, cookie: str) -> bool:
        body, _, _ = cookie.rpartition(".")
        expiry, _, login_id = body.partition(".")
        self._read_revoked()
        if not hmac.compare_digest(cookie.encode(), self._sign(body).encode()) or login_id in self._revoked:
            return False
        return int(expiry) > self._clock()  # signed, so it is a valid number

    def log_out(self, cookie: str) -> None:
        if self.is_valid(cookie):
            expiry, login_id, _ = cookie.split(".")
            self._end(login_id, float(expiry))

    def end_device(self, login_id: str) -> None:
        """Raises NotFound."""
        device = next((device for device in self.devices.all() if device.id == login_id), None)
        if device is None:
            raise NotFound(sentence("login.no_device"))
        self._end(device.id, device.expires_at)

    def note_use(self, cookie: str, peer: str, agent: str) -> None:
        """Of a valid cookie, for the list of devices."""
        expiry, login_id, _ = cookie.split(".")
        self.devices.note_use(login_id, float(expiry), agent=agent, address=peer)

    def _end(self, login_id: str, until: float) -> None:
        self._read_revoked()
        self._revoked[login_id] = until
        self._revoked = {id: until for id, until in self._revoked.items() if until > self._clock()}
        secret_file.write(self._revoked_file, json.dumps(self._revoked))
        self.devices.remove(login_id)

    def seal(self, content: JsonObject, seconds: float) -> str:
        """The content as text that only this server can have made, good for so long."""
        kept = {"content": content, "until": self._clock() + seconds}
        body = base64.urlsafe_b64encode(json.dumps(kept).encode()).decode()
        return f"{body}.{self._seal_of(body)}"

    def unseal(self, sealed: str) -> JsonObject | None:
        """None for what was not sealed here, or is too old."""
        body, _, seal = sealed.rpartition(".")
        if not hmac.compare_digest(seal.encode(), self._seal_of(body).encode()):
            return None
        kept = json.loads(base64.urlsafe_b64decode(body))
        content: JsonObject | None = kept["content"] if kept["until"] > self._clock() else None
        return content

    def _seal_of(self, body: str) -> str:
        """With another key than cookies have, so that neither can stand for the other."""
        key = hashlib.sha256(self._key + b"seal").digest()
        return hmac.new(key, body.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def _sign(self, body: str) -> str:
        return f"{body}.{hmac.new(self._key, body.encode(), hashlib.sha256).hexdigest()}"

    def _read_revoked(self) -> None:
        """Read the logouts again if the file has changed: another process may have added one."""
        try:
            changed_at = self._revoked_file.stat().st_mtime_ns
            if changed_at == self._revoked_at:
                return
            stored = json.loads(self._revoked_file.read_text())
            self._revoked |= {str(id): float(until) for id, until in stored.items()}
            self._revoked_at = changed_at
        except (OSError, ValueError, AttributeError):
            return


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Caller:
    """The credentials of a request: bearer token or cookie. Both are checked again while a stream is open."""

    logins: Logins
    bearer: str | None = None
    cookie: str | None = None

    @property
    def device_id(self) -> str | None:
        """Of a login by cookie."""
        return self.cookie.split(".")[1] if self.cookie and self.logins.is_valid(self.cookie) else None

    @property
    def is_logged_in(self) -> bool:
        if self.bearer is not None:
            return self.logins.is_password(self.bearer)
        return self.cookie is not None and self.logins.is_valid(self.cookie)


def cookie_name(headers: Headers, name: str, *, secure: bool) -> str:
    """The name of the login cookie for the host of the request, from `Logins.cookie`.

    Cookies are shared between the ports of a host, so the name contains the port: otherwise two servers on
    one host would overwrite each other's cookie. With https the prefix is `__Host-`, which requires `Secure`.
    """
    port = headers.get("host", "").rpartition("]")[2].partition(":")[2]
    name = f"{name}-{port}" if port.isascii() and port.isdigit() and len(port) <= 5 else name
    return f"__Host-{name}" if secure else name


def read_cookies(headers: Headers, *names: str) -> Iterator[str]:
    """Yield the values of the cookies with these names. Other cookies are skipped without parsing."""
    for header in headers.getlist("cookie"):
        for pair in header.split(";"):
            name, _, value = pair.strip().partition("=")
            if name in names:
                yield value.strip('"')


def read_caller(headers: Headers, logins: Logins, *, secure: bool) -> Caller:
    """The caller by bearer token if there is one, else by the first valid login cookie."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return Caller(logins, bearer=token.strip())
    # Earlier versions used the name without a port.
    older = f"__Host-{logins.cookie}" if secure else logins.cookie
    cookies = list(read_cookies(headers, cookie_name(headers, logins.cookie, secure=secure), older))
    return Caller(logins, cookie=next(filter(logins.is_valid, cookies), cookies[0] if cookies else None))
