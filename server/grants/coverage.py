"""Grants: a person's yes for a kind of effect on a site, and what it covers. Pure.

A yes to one act is an approval (`agent/gate/approval.py`); every yes that lasts longer is a grant.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

GrantScope = Literal["run", "session", "automation", "always"]
SCOPES: tuple[GrantScope, ...] = ("run", "session", "automation", "always")
"""The narrowest first."""
MINOR_UNITS = 1000
"""Amounts are integers: thousandths of the currency's unit."""


class Amount(BaseModel):
    """A sum of money."""

    model_config = ConfigDict(frozen=True)
    parts: int
    """Thousandths of the currency's unit."""
    currency: str
    """ISO code; a bare sign such as `$`, which several currencies have, stands for itself."""


class GrantLimits(BaseModel):
    """What narrows a grant. None: no such limit."""

    model_config = ConfigDict(frozen=True)
    count: int | None = None
    """How many acts it allows in total."""
    ends_at: datetime | None = None
    act_parts: int | None = None
    """The most that one act may spend, as in `Amount.parts`."""
    month_parts: int | None = None
    """The most that its acts may spend in one calendar month (UTC)."""
    currency: str | None = None
    """The currency of both amounts."""


class HeldGrant(GrantLimits):
    """A grant as it applies to a run."""

    id: str
    scope: GrantScope
    site: str
    kind: str
    uses: int = 0
    month: str = ""
    """The month of its last use with an amount, like `2026-11`."""
    month_spent: int = 0
    """What its acts have spent in that month."""


class Need(BaseModel):
    """One effect of an act, as a grant would have to cover it."""

    model_config = ConfigDict(frozen=True)
    site: str
    kind: str
    amount: Amount | None = None
    """What the act spends; None if the page does not show it clearly."""


class GrantUse(BaseModel):
    """An effect of an act, and the grant that covers it."""

    model_config = ConfigDict(frozen=True)
    grant_id: str
    scope: GrantScope
    need: Need


class GrantMark(BaseModel):
    """A grant as it is named with an act that it allowed."""

    model_config = ConfigDict(frozen=True)
    id: str
    scope: GrantScope


class WantedGrant(GrantLimits):
    """What the person wants to be allowed together with a yes."""

    scope: GrantScope = "session"


GrantNumber = Annotated[Decimal, Field(gt=0, le=10**9, max_digits=12, decimal_places=3, strict=False)]


def month_of(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m")


def spent_in_month(grant: HeldGrant, moment: datetime) -> int:
    """The amount spent in the month of `moment`, in thousandths."""
    return grant.month_spent if grant.month == month_of(moment) else 0


def is_over(grant: HeldGrant, moment: datetime) -> bool:
    """Whether it covers nothing any more: its end has passed, or its count is used up."""
    is_past = grant.ends_at is not None and moment >= grant.ends_at
    return is_past or (grant.count is not None and grant.uses >= grant.count)


def covers(grant: HeldGrant, need: Need, moment: datetime) -> bool:
    """Whether the grant allows this effect now. A limit on amounts covers only what is known to be spent."""
    if (grant.site, grant.kind) != (need.site, need.kind) or is_over(grant, moment):
        return False
    if grant.act_parts is None and grant.month_parts is None:
        return True
    amount = need.amount
    if amount is None or amount.currency != grant.currency:
        return False
    if grant.act_parts is not None and amount.parts > grant.act_parts:
        return False
    spent = spent_in_month(grant, moment)
    return grant.month_parts is None or spent + amount.parts <= grant.month_parts


def find_grant(grants: Sequence[HeldGrant], need: Need, moment: datetime) -> HeldGrant | None:
    """The grant that covers the need: first those without limits, then the narrowest scope, then the oldest."""
    found = [grant for grant in grants if covers(grant, need, moment)]
    return min(found, key=_order, default=None)


def _order(grant: HeldGrant) -> tuple[bool, int]:
    limits = (grant.count, grant.ends_at, grant.act_parts, grant.month_parts)
    return any(limit is not None for limit in limits), SCOPES.index(grant.scope)


def to_parts(number: Decimal | None) -> int | None:
    return None if number is None else int(number * MINOR_UNITS)


def to_number(parts: int | None) -> float | None:
    return None if parts is None else parts / MINOR_UNITS
