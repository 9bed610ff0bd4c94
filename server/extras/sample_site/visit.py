"""What one browser has done on the sample site. It is kept in that browser's cookie, and nowhere else."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

from pydantic import BaseModel, Field, ValidationError

from server.extras.sample_site.goods import BY_ID, DELIVERY_CENTS, Good

VISIT_COOKIE = "visit"
MAX_BASKET_ITEMS = 20
REPLY_CHARS = 500
"""A cookie holds about 4,000 bytes."""


class Order(BaseModel):
    number: str = Field(max_length=20)
    cents: int


class SentReply(BaseModel):
    to: int = Field(ge=0, le=2)
    """The letter's place in the inbox, from 0."""
    text: str = Field(max_length=REPLY_CHARS)


class Appointment(BaseModel):
    day: int = Field(ge=0, le=6)
    """0 is Monday."""
    time: str = Field(max_length=5)
    title: str = Field(max_length=80)


class Visit(BaseModel):
    basket: list[str] = Field(default=[], max_length=MAX_BASKET_ITEMS)
    """Ids of goods, one for each piece."""
    order: Order | None = None
    reply: SentReply | None = None
    appointments: list[Appointment] = Field(default=[], max_length=5)
    user: str = Field("", max_length=40)
    refused: bool = False
    """Whether the last login was refused."""

    @classmethod
    def read(cls, cookie: str) -> Visit:
        """The visit of a cookie's value; a new one if that the site has not set."""
        try:
            return cls.model_validate(json.loads(urlsafe_b64decode(cookie)))
        except (ValueError, ValidationError):
            return cls()

    def to_cookie(self) -> str:
        return urlsafe_b64encode(self.model_dump_json(exclude_defaults=True).encode()).decode()

    def lines(self) -> list[tuple[Good, int]]:
        """The basket: each good with its number of pieces, in the order of the shop."""
        return [(good, self.basket.count(id)) for id, good in BY_ID.items() if id in self.basket]

    def total_cents(self) -> int:
        """With delivery."""
        return sum(good.cents * count for good, count in self.lines()) + DELIVERY_CENTS
