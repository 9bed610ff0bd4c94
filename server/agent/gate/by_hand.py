"""Commands of a user who controls a session's browser manually, under the policy that holds for the agents."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from server.agent import policy
from server.agent.actions import AimedAction
from server.agent.gate.approval import approval_digest
from server.agent.gate.gate import Gate
from server.agent.gate.holding import agreed_terms, terms_of
from server.browser.observation import Observation
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.errors import Conflict, Forbidden
from server.settings import Settings
from wording.catalogue import Wording


@dataclass
class ByHand:
    """The last observation shown to the user."""

    observation: Observation
    id: str
    """Identifies the observation in requests: an eid is valid only within its observation."""
    asked: str = ""
    """Digest of the command that the user was asked to confirm; "" if there was none."""
    held: tuple[HeldRequest, ...] = ()
    """What the command was about to send, which the user was asked to confirm."""


async def judge_by_hand(
    known: ByHand, shown: AimedAction, current: AimedAction, settings: Settings, *, confirmed: bool
) -> ActTerms:
    """The terms on which a command may be executed. Raises Forbidden, or Conflict to ask for confirmation.

    `shown` is the command on the observation that the user was shown, `current` the same on the current
    page. A confirmation is valid only for the page that the user was shown, or was asked about.
    """
    gate = Gate(settings.blocked_hosts, settings.allowed_hosts)
    await asyncio.to_thread(policy.warm_up)
    judgement = gate.judge(current)
    if judgement.verdict == "deny":
        raise Forbidden(Wording(judgement.reason), code="denied")
    terms = terms_of(current, (), (), is_doubted=judgement.is_doubted)
    if confirmed and known.held:
        return agreed_terms(known.held, terms)
    if judgement.verdict != "ask":
        return terms
    digest = approval_digest("by hand", current)
    if not confirmed or digest not in (known.asked, approval_digest("by hand", shown)):
        known.asked = digest
        raise Conflict(Wording(judgement.reason), code="confirmation_required")
    return terms_of(current, {judgement.kind}, ())
