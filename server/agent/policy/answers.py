"""Recognise controls that only affect the page: in a picker or player, page questions, notices."""

from __future__ import annotations

from server.agent.policy.names import Force, Meaning
from server.agent.policy.page_context import PageContext

BINDING = ("scene.sure", "scene.effect", "scene.final", "scene.charge", "scene.live", "claim.skip")
"""Evidence that makes even an early step of several binding."""
_OWN_KINDS = ("approve", "legal", "system")
"""Kinds of single words such as `Confirm` and `Restart`, which are harmless in a picker or a player."""
_OBLIGING = (
    "scene.money", "scene.total", "scene.plan", "scene.legal", "scene.now", "scene.last", "scene.crowd",
    "trail.pay", "trail.order", "trail.delete",
)  # fmt: skip
"""Evidence that an answer does more than dismiss a notice or change what the page shows."""
_REQUESTED = ("scene.ask", "scene.held", "scene.case", "scene.compose", "scene.draft", "scene.gear")
_PERSONAL = ("scene.paper", "scene.security", "scene.person", "scene.funds")
_SEEN = ("accept", "approve", "legal")
_SHOWN = (*_SEEN, "system", "switch", "change", "apply")
"""Kinds of one-word answers: `_SEEN` to a notice (`Agreed`), `_SHOWN` to a page question (`Refresh`)."""


def is_own(meaning: Meaning, scene: PageContext) -> bool:
    """Whether it only acts on its widget: `Cancel` and `Confirm` in a picker, `Restart` in a player."""
    match meaning.force:
        case Force.CANCEL | Force.RETREAT:
            return not scene.has(*BINDING)
        case Force.LEAN | Force.PROCEED | Force.AFFIRM:
            return not scene.strong
        case Force.ACT | Force.DEED:
            return meaning.words == 1 and meaning.kind in _OWN_KINDS and not scene.strong
    return False


def only_answers(meaning: Meaning, scene: PageContext) -> bool:
    """Whether it only answers the page: `Yes` to `Continue reading?`, `Agreed` under a notice or a tip."""
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
