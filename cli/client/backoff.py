"""Delays between connection attempts."""

from __future__ import annotations

import random
from collections.abc import Iterator


def backoff(first: float, limit: float = 5.0) -> Iterator[float]:
    """Yield delays in seconds, doubling up to `limit`, with 25 % jitter to spread reconnecting clients."""
    delay = first
    while True:
        yield delay * random.uniform(0.75, 1.25)
        delay = min(delay * 2, limit)
