"""The gate: judges an agent's actions by the policy and by the user's grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.agent.actions import AimedAction
from server.agent.context import GrantLookup
from server.agent.gate.approval import place_of, site_of
from server.agent.gate.subjects import subjects_of
from server.agent.policy import Judgement, Subject, Verdict, add_voice, assess

MOST_ASKS = 5
"""Approval requests in one run before it pauses."""

REFUSED = "the user refused this act"
"""Why an act is denied that was refused before in the run."""

_MILDEST_FIRST = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)


@dataclass(frozen=True, slots=True)
class Gate:
    """Judges actions by the page structure of their targets and by the user's grants."""

    blocked_hosts: Sequence[str] = ()
    allowed_hosts: Sequence[str] = ()

    def judge(self, aimed: AimedAction, *, grants: GrantLookup | None = None) -> Judgement:
        """The strictest judgement on any part of the action.

        The agent's own claim of an effect, `commits`, counts where it makes the judgement stricter.
        """
        site = site_of(place_of(aimed))
        found = [self._assess(subject, aimed.action.commits) for subject in subjects_of(aimed)]
        ruled = [_granted(judgement, site, grants) for judgement in found]
        return max(ruled, key=lambda judgement: _MILDEST_FIRST.index(judgement.verdict))

    def _assess(self, subject: Subject, effect: str | None) -> Judgement:
        judgement = assess(subject, blocked_hosts=self.blocked_hosts, allowed_hosts=self.allowed_hosts)
        return add_voice(judgement, subject, effect) if effect else judgement


def _granted(judgement: Judgement, site: str, grants: GrantLookup | None) -> Judgement:
    """Apply the user's grants to the judgement; each kind of effect is granted separately."""
    if judgement.verdict is not Verdict.ASK or not judgement.kind or grants is None:
        return judgement
    is_granted = grants.allowed(site, judgement.kind)
    return Judgement(Verdict.ALLOW, "allowed in this session", judgement.kind) if is_granted else judgement
