"""Routes for grants: what is allowed without asking, on which site, for how long and how often."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from server.agent.gate.grantable import CURRENCIES, GRANTABLE_KINDS, PASSING_KINDS
from server.api.deps import Body, Moment, RuntimeDep, SessionId, Text
from server.api.schemas import Grant, Grants
from server.browser.addresses import site_of
from server.errors import BadRequest
from server.events import now
from server.grants.coverage import (
    GrantLimits,
    GrantNumber,
    GrantScope,
    WantedGrant,
    is_over,
    spent_in_month,
    to_number,
    to_parts,
)
from server.store.grants import ListedGrant, NewGrant, to_held
from wording.catalogue import sentence

router = APIRouter(prefix="/api/grants")

Kind = Annotated[Text, Field(min_length=1, max_length=64)]
Site = Annotated[Text, Field(min_length=1, max_length=2000)]
Currency = Annotated[Text, Field(min_length=1, max_length=8)]


class LimitsBody(Body):
    """Null: no such limit."""

    count: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    ends_at: Moment | None = None
    act_amount: GrantNumber | None = None
    """The most that one act may spend. Acts whose amount the page does not show beyond doubt are asked about."""
    month_amount: GrantNumber | None = None
    """The most that its acts may spend in a calendar month (UTC)."""
    currency: Currency | None = None
    """Of both amounts: an ISO code, or a sign as the page writes it."""

    def limits(self, currency: str | None = None) -> GrantLimits:
        """Raises BadRequest if an amount has no currency, or the end has passed."""
        known = self.currency.upper() if self.currency else currency
        has_amount = self.act_amount is not None or self.month_amount is not None
        if has_amount and known not in CURRENCIES:
            raise BadRequest(sentence("grant.currency"), code="currency_unknown")
        if self.ends_at and self.ends_at <= now():
            raise BadRequest(sentence("grant.ended"))
        return GrantLimits(
            count=self.count, ends_at=self.ends_at, act_parts=to_parts(self.act_amount),
            month_parts=to_parts(self.month_amount), currency=known if has_amount else None,
        )  # fmt: skip


class GrantBody(LimitsBody):
    """What a yes allows besides the one act. The currency of amounts is that of the question."""

    scope: GrantScope | Literal["once"] = "session"

    def wanted(self) -> WantedGrant | None:
        if self.scope == "once":
            return None
        limits = self.limits("") if self.currency else self._without_currency()
        return WantedGrant(scope=self.scope, **dict(limits))

    def _without_currency(self) -> GrantLimits:
        """The currency is taken from the question."""
        limits = self.model_copy(update={"act_amount": None, "month_amount": None}).limits()
        amounts = {"act_parts": to_parts(self.act_amount), "month_parts": to_parts(self.month_amount)}
        return limits.model_copy(update=amounts)


class NewGrantBody(LimitsBody):
    scope: GrantScope
    site: Site
    """A host, with its port if it has one of its own."""
    kind: Kind
    session_id: SessionId | None = None
    """Of the scopes run (its current one) and session."""
    automation_id: Text | None = None


@router.get("")
async def list_grants(
    runtime: RuntimeDep, session_id: SessionId | None = None, automation_id: Text | None = None
) -> Grants:
    """The newest first, without those of runs that have ended."""
    found = await runtime.store.grants(session_id=session_id, automation_id=automation_id)
    return Grants(items=[to_grant(one) for one in found])


@router.post("", status_code=201)
async def add(body: NewGrantBody, runtime: RuntimeDep) -> Grant:
    grant = new_grant(body, body.scope)
    row = await runtime.store.add_grant(
        grant,
        session_id=body.session_id if body.scope in ("run", "session") else None,
        automation_id=body.automation_id if body.scope == "automation" else None,
    )
    return to_grant(ListedGrant(row, None, None))


@router.delete("/{grant_id}", status_code=204)
async def revoke(grant_id: Text, runtime: RuntimeDep) -> Response:
    """Take it back: no act uses it from now on, also of a run in progress."""
    await runtime.store.remove_grant(grant_id)
    return Response(status_code=204)


def new_grant(body: NewGrantBody | AutomationGrantBody, scope: GrantScope) -> NewGrant:
    """Raises BadRequest for a site, kind or limit that no grant can have."""
    site = site_of(body.site if "://" in body.site else f"https://{body.site}")
    if not site or ("." not in site and "localhost" not in site and ":" not in site):
        raise BadRequest(sentence("grant.bad_site"))
    if body.kind not in GRANTABLE_KINDS or (body.kind in PASSING_KINDS and scope not in ("run", "session")):
        raise BadRequest(sentence("grant.not_for_scope", scope=scope), code="not_grantable")
    return NewGrant(site=site, kind=body.kind, scope=scope, **dict(body.limits()))


class AutomationGrantBody(LimitsBody):
    """A grant of an automation. `id`: of one that it has already, which stays as it is."""

    id: Text | None = None
    site: Site = "."
    kind: Kind = "."


def to_grant(listed: ListedGrant) -> Grant:
    row, held, moment = listed.row, to_held(listed.row), now()
    has_month = row.month_parts is not None
    return Grant(
        id=row.id, scope=row.scope, site=row.site, kind=row.kind, session_id=row.session_id,
        session_title=listed.session_title, run_id=row.run_id, automation_id=row.automation_id,
        automation_name=listed.automation_name, count=row.count, ends_at=row.ends_at,
        act_amount=to_number(row.act_parts), month_amount=to_number(row.month_parts), currency=row.currency,
        uses=row.uses, month_spent=to_number(spent_in_month(held, moment)) if has_month else None,
        last_use=row.last_use, is_over=is_over(held, moment), created_at=row.created_at,
    )  # fmt: skip
