"""Authentication: the gate in front of every route, and the logins that it checks."""

from __future__ import annotations

from server.auth.body import limit_body
from server.auth.devices import StoredDevice
from server.auth.gate import (
    GUARDED_PREFIXES,
    PUBLIC,
    WS_UNAUTHORIZED,
    RequestGate,
    guarded_prefixes,
    is_guarded,
    peer_of,
)
from server.auth.logins import (
    COOKIE_SECONDS,
    Caller,
    Logins,
    cookie_name,
    load_password,
    password_file,
    read_cookies,
)
from server.auth.openid import FLOW_SECONDS, Flow, NotLoggedIn, OpenIdLogin
from server.auth.trusted_header import TrustedHeader

__all__ = [
    "COOKIE_SECONDS",
    "FLOW_SECONDS",
    "GUARDED_PREFIXES",
    "PUBLIC",
    "WS_UNAUTHORIZED",
    "Caller",
    "Flow",
    "Logins",
    "NotLoggedIn",
    "OpenIdLogin",
    "RequestGate",
    "StoredDevice",
    "TrustedHeader",
    "cookie_name",
    "guarded_prefixes",
    "is_guarded",
    "limit_body",
    "load_password",
    "password_file",
    "peer_of",
    "read_cookies",
]
