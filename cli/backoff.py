"""Waits between two tries to connect."""

from __future__ import annotations

import random
from collections.abc import Iterator


def backoff(first: float, limit: float = 5.0) -> Iterator[float]:
    """Seconds to wait, doubling up to `limit`, each varied by a quarter so that clients do not return all at once."""
    delay = first
    while True:
        yield delay * random.uniform(0.75, 1.25)
        delay = min(delay * 2, limit)
