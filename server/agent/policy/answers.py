"""Answers to the page itself: in a picker or a player, to a question about the page, under a notice."""

from __future__ import annotations

from server.agent.policy.names import Force, Meaning
from server.agent.policy.page_context import PageContext

BINDING = ("scene.sure", "scene.effect", "scene.final", "scene.charge", "scene.live", "claim.skip")
"""What makes even an early step of several the one that counts."""
_OWN_KINDS = ("approve", "legal", "system")
"""What one word for `Confirm` or `Restart` seems to do where it belongs to a picker or a player."""
_OBLIGING = (
    "scene.money", "scene.total", "scene.plan", "scene.legal", "scene.now", "scene.last", "scene.crowd",
    "trail.pay", "trail.order", "trail.delete",
)  # fmt: skip
"""What makes more of an answer than that a notice was seen, or a page is to be shown."""
_REQUESTED = ("scene.ask", "scene.held", "scene.case", "scene.compose", "scene.draft", "scene.gear")
_PERSONAL = ("scene.paper", "scene.security", "scene.person", "scene.funds")
_SEEN = ("accept", "approve", "legal")
_SHOWN = (*_SEEN, "system", "switch", "change", "apply")
"""What one word for `Agreed` seems to do under a notice, one for `Refresh` under a question about the page."""


def is_own(meaning: Meaning, scene: PageContext) -> bool:
    """`Cancel` and `Confirm` in a picker, `Restart` in a player: they act on nothing else."""
    match meaning.force:
        case Force.CANCEL | Force.RETREAT:
            return not scene.has(*BINDING)
        case Force.LEAN | Force.PROCEED | Force.AFFIRM:
            return not scene.strong
        case Force.ACT | Force.DEED:
            return meaning.words == 1 and meaning.kind in _OWN_KINDS and not scene.strong
    return False


def only_answers(meaning: Meaning, scene: PageContext) -> bool:
    """`Yes` to a page that asks whether to go on reading, `Agreed` under a notice, `Looks good` under a tip."""
    deeds = any(concept.startswith("deed.") for concept in scene.evidence)
    if scene.strong or scene.has(*_OBLIGING):
        return False
    if meaning.kind == "agree" or meaning.force in (Force.PROCEED, Force.LEAN):
        return True
    if deeds or not (scene.page or scene.notice) or (not scene.page and scene.has(*_REQUESTED)):
        return False
    if meaning.force is Force.AFFIRM:
        return True
    one_word = meaning.force in (Force.ACT, Force.DEED, Force.WEAK) and meaning.words == 1
    return one_word and meaning.kind in (_SHOWN if scene.page else _SEEN) and not scene.has(*_PERSONAL)
