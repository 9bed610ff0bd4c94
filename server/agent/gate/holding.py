"""The gate's second key: on which terms an act is performed, and the question about what it was about to send."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from server.agent.actions import AimedAction, TypeAction
from server.agent.gate.page_facts import place_of
from server.agent.policy import Judgement
from server.agent.policy.fields import TYPED_ROLES
from server.agent.policy.verdict import ask
from server.browser.addresses import site_of
from server.browser.outgoing.assessment import Approved
from server.browser.outgoing.held import ActTerms, HeldRequest, named
from server.browser.outgoing.request import site_of_url
from server.events import ConfirmQuestion
from server.grants.coverage import GrantUse, HeldGrant, Need, find_grant
from wording.catalogue import parts_of


def terms_of(
    aimed: AimedAction,
    kinds: Collection[str],
    private: Collection[str],
    *,
    by_grant: bool = False,
    is_doubted: bool = False,
) -> ActTerms:
    """For an act on its page: `kinds` of effects were approved of it, or none was. `private` are sites, as `site_of`;
    `is_doubted` as in `Judgement`.
    """
    sites = frozenset({site_of_url(place_of(aimed))}) if kinds else frozenset[str]()
    return ActTerms(
        approved=Approved(kinds=frozenset(kinds), sites=sites, by_grant=by_grant),
        is_private=site_of(aimed.observation.page.url) in private,
        is_doubted=is_doubted,
        is_typing=_only_types(aimed),
    )


def _only_types(aimed: AimedAction) -> bool:
    """Whether it enters text in fields and sends nothing: text for a switch or a list would press it."""
    if not isinstance(aimed.action, TypeAction) or aimed.action.submit:
        return False
    return all(one.role in TYPED_ROLES and not one.options for one in aimed.targets)


def agreed_terms(held: Sequence[HeldRequest], terms: ActTerms) -> ActTerms:
    """For the same act after a yes to what it was about to send: that is let go, or sent again exactly."""
    approved = Approved(
        kinds=terms.approved.kinds | {one.kind for one in held},
        sites=terms.approved.sites | {one.site for one in held},
        bound=frozenset(one.binding for one in held),
    )
    waiting = tuple(one.id for one in held if not one.is_over)
    return terms.model_copy(update={"approved": approved, "release": waiting, "is_doubted": False})


def judge_held(held: Sequence[HeldRequest], grants: Sequence[HeldGrant], moment: datetime) -> Judgement:
    """To ask about what is held, unless grants cover all of it: then the judgement names their uses."""
    uses: dict[str, GrantUse] = {}
    for one in held:
        need = Need(site=site_of(one.place), kind=one.kind)
        if (grant := find_grant(grants, need, moment)) is None:
            return ask(held[0].kind)
        uses[one.kind] = GrantUse(grant_id=grant.id, scope=grant.scope, need=need)
    asked = ask(held[0].kind)
    return Judgement(asked.verdict, asked.reason, asked.kind, tuple(uses.values()))


def question_about(question: ConfirmQuestion, held: Sequence[HeldRequest], reference: str) -> ConfirmQuestion:
    """The question about an act, as one about what it was about to send."""
    first = held[0]
    sends = named(held)
    is_elsewhere = site_of(first.place) != site_of(question.url)
    changes = {
        "reference": reference, "risk": first.kind, "place": first.place, "would_send": sends,
        "would_send_parts": parts_of(sends),
        "sends_to": site_of(first.place) if is_elsewhere else None, "spends": None,
    }  # fmt: skip
    return question.model_copy(update=changes)


def refused_line(held: Sequence[HeldRequest]) -> str:
    return f"refused: this would have sent: {named(held)}. The page may still show it as sent, or try again later"


def not_sent(why: str, held: Sequence[HeldRequest]) -> str:
    return f"{why}, so this was not sent: {named(held)}" if held else why
