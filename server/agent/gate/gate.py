"""The gate: judges an agent's actions by the policy and by the user's grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from server.agent.actions import AimedAction
from server.agent.gate.grantable import is_grantable, need_of
from server.agent.gate.subjects import subjects_of
from server.agent.policy import Judgement, Subject, Verdict, apply_model_claim, assess
from server.agent.policy.verdict import LEFT_OPEN
from server.events import now
from server.grants.coverage import GrantUse, HeldGrant, find_grant
from wording.catalogue import sentence

MAX_ASKS = 5
"""Approval requests in one run before it pauses."""

REFUSED_BEFORE = sentence("effect.refused_before")
"""Why an act is denied that was refused before in the run."""

GRANTED = sentence("effect.granted")

_MILDEST_FIRST = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)


@dataclass(frozen=True, slots=True)
class Gate:
    """Judges actions by the page structure of their targets and by the user's grants."""

    blocked_hosts: Sequence[str] = ()
    allowed_hosts: Sequence[str] = ()

    def judge(
        self,
        aimed: AimedAction,
        *,
        grants: Sequence[HeldGrant] = (),
        also: Judgement | None = None,
    ) -> Judgement:
        """The strictest judgement on any part of the action; `also` is one from outside of the policy.

        A question that is only asked because the page does not say what an act does is dropped where the browser holds
        what it sends: the second key knows more. The agent's own claim of an effect, `commits`, counts where it makes
        the judgement stricter. Of an action that only `grants` allow, the judgement names those that it uses; each kind
        of effect needs one.
        """
        is_held = aimed.observation.sends_are_held
        found = [self._assess(subject, aimed.action.commits, is_held) for subject in subjects_of(aimed)]
        found += [also] if also else []
        moment = now()
        ruled = [with_grants(judgement, aimed, grants, moment) for judgement in found]
        strictest = max(
            ruled,
            key=lambda one: (_MILDEST_FIRST.index(one.verdict), bool(one.uses), one.kind != "unknown_submit"),
        )
        if strictest.verdict is not Verdict.ALLOW:
            return strictest
        uses = {use.need.kind: use for judgement in ruled for use in judgement.uses}
        is_doubted = any(judgement.is_doubted for judgement in ruled)
        return replace(strictest, uses=tuple(uses.values()), is_doubted=is_doubted)

    def _assess(self, subject: Subject, effect: str | None, is_held: bool) -> Judgement:
        judgement = assess(subject, blocked_hosts=self.blocked_hosts, allowed_hosts=self.allowed_hosts)
        if judgement.is_guess and is_held and not effect:
            judgement = replace(LEFT_OPEN, is_doubted=judgement.is_doubted)
        return apply_model_claim(judgement, subject, effect) if effect else judgement


def with_grants(
    judgement: Judgement, aimed: AimedAction, grants: Sequence[HeldGrant], moment: datetime | None = None
) -> Judgement:
    """The judgement, or a yes by the grant that covers this effect of the action."""
    if not grants or not is_grantable(judgement, aimed):
        return judgement
    need = need_of(judgement, aimed)
    grant = find_grant(grants, need, moment or now())
    if grant is None:
        return judgement
    use = GrantUse(grant_id=grant.id, scope=grant.scope, need=need)
    return Judgement(Verdict.ALLOW, GRANTED, judgement.kind, (use,))
