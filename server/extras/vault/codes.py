"""One-time codes by time (TOTP). Pure but for the clock that is passed in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from server.errors import BadRequest
from wording.catalogue import sentence

if TYPE_CHECKING:
    from pyotp import TOTP

CODE_PERIOD = 30
"""Seconds, where nothing else is said."""
DIGITS = range(6, 9)
PERIODS = range(10, 301)


def read_seed(text: str) -> str:
    """What is stored of an `otpauth:` address or a bare secret; "" for nothing. Raises BadRequest."""
    text = text.strip()
    if text:
        _totp(text)
    return text


def period_at(moment: float, seconds: int = CODE_PERIOD) -> int:
    return int(moment // seconds)


def period_of(seed: str) -> int:
    """Seconds for which a code is valid."""
    return int(_totp(seed).interval)


def code_at(seed: str, moment: float) -> str:
    return str(_totp(seed).at(datetime.fromtimestamp(moment, UTC)))


def _totp(seed: str) -> TOTP:
    """Raises BadRequest."""
    import pyotp  # of use where there is a seed

    try:
        if seed.lower().startswith("otpauth:"):
            totp = pyotp.parse_uri(seed)
        else:
            totp = pyotp.TOTP("".join(seed.split()).replace("-", "").upper())
        if not isinstance(totp, pyotp.TOTP) or totp.digits not in DIGITS or totp.interval not in PERIODS:
            raise ValueError
        totp.now()
    except (ValueError, TypeError, KeyError):  # binascii's error is a ValueError
        raise BadRequest(sentence("vault.bad_seed"), code="bad_seed") from None
    return totp
