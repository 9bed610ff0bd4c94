"""What the sample site sells, in all languages. Names and texts are in `texts/`."""

from __future__ import annotations

from dataclasses import dataclass

DELIVERY_CENTS = 400


@dataclass(frozen=True, slots=True)
class Good:
    """`cents` is the price in euro cents; `litres` is 0 for what holds none."""

    id: str
    number: str
    cents: int
    litres: float
    watts: int
    stock: int


GOODS = (
    Good("tide", "HK-101", 3990, 1.7, 2200, 12),
    Good("reef", "HK-102", 4650, 1.5, 2000, 5),
    Good("gull", "HK-103", 5490, 0.9, 1200, 8),
    Good("dune", "HK-204", 2450, 1.2, 0, 20),
    Good("buoy", "HK-310", 890, 0.3, 0, 64),
    Good("lamp", "HK-415", 3290, 0, 900, 7),
)
KETTLES = GOODS[:3]
BY_ID = {good.id: good for good in GOODS}
