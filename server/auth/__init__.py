"""Authentication: the gate in front of every route, and the logins that it checks."""

from __future__ import annotations

from server.auth.body import limit_body
from server.auth.gate import (
    GUARDED_PREFIXES,
    PUBLIC,
    WS_UNAUTHORIZED,
    RequestGate,
    guarded_prefixes,
    is_guarded,
    peer_of,
)
from server.auth.logins import COOKIE_SECONDS, Caller, Logins, cookie_name, load_password

__all__ = [
    "COOKIE_SECONDS",
    "GUARDED_PREFIXES",
    "PUBLIC",
    "WS_UNAUTHORIZED",
    "Caller",
    "Logins",
    "RequestGate",
    "cookie_name",
    "guarded_prefixes",
    "is_guarded",
    "limit_body",
    "load_password",
    "peer_of",
]
