"""Interpret what a control does from its name alone.

The words of a name are read as verbs and objects, in any language: a verb that commits (`send`), one whose
object decides (`remove` a filter, `remove` a member), a generic one (`continue`), something to view
(`order history`). README.md in lexicon/ describes the concepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from server.agent.policy.lexicon import Hit, icon_meaning, lexicon
from server.agent.policy.money import has_money, is_price
from server.agent.policy.text import WORD, fold, has_words, plain, readings


class Force(IntEnum):
    """How much a name commits, from never (CALM) to in any context (ACT)."""

    CALM = 0
    RETREAT = 1
    CANCEL = 2
    UNKNOWN = 3
    PROCEED = 4
    LEAN = 5
    MUTE = 6
    WEAK = 7
    AFFIRM = 8
    DEED = 9
    ACT = 10


@dataclass(frozen=True, slots=True)
class Meaning:
    """The force of a name and, if known, the kind of effect it names."""

    force: Force
    kind: str = ""
    words: int = 0
    """Number of words in the name. Headlines have many."""
    hits: tuple[Hit, ...] = ()


_VERBS = {
    "act": Force.ACT, "deed": Force.DEED, "weak": Force.WEAK, "lean": Force.LEAN,
    "calm.look": Force.CALM, "calm.open": Force.CALM, "calm.cart": Force.CALM, "calm.thing": Force.CALM,
    "soft.proceed": Force.PROCEED, "soft.finish": Force.PROCEED, "soft.affirm": Force.AFFIRM, "soft.idiom": Force.MUTE,
    "soft.later": Force.RETREAT, "soft.no": Force.RETREAT, "soft.retreat": Force.RETREAT, "soft.cancel": Force.CANCEL, "soft.shut": Force.RETREAT,
}  # fmt: skip
_DONE_TO_TEXT = {
    "act.delete", "act.publish", "act.send", "act.approve", "act.legal",
    "weak.remove", "weak.change", "weak.save", "weak.accept", "lean.share", "lean.make",
}  # fmt: skip
_COMPLETES = {"soft.finish", "soft.affirm", "weak.submit", "weak.accept"}
_MATTERS = {
    f"scene.{kind}"
    for kind in [
        "held",
        "plan",
        "security",
        "person",
        "gear",
        "live",
        "crowd",
        "funds",
        "legal",
        "paper",
        "file",
    ]
}


@lru_cache(maxsize=1024)
def grasp(name: str, language: str = "") -> Meaning:
    """The strongest meaning of all readings of the name; readings with known words take precedence."""
    if not has_words(name):
        return _grasp_icon(name)
    meanings = [_grasp_reading(text, language) for text in readings(name)]
    if not any(meaning.hits for meaning in meanings):
        meanings.append(_grasp_reading(plain(fold(name)), language))
    return max(meanings, key=lambda meaning: (bool(meaning.hits), meaning.force))


def _grasp_icon(name: str) -> Meaning:
    group, _, kind = icon_meaning(name).partition(".")
    if not group:
        return Meaning(Force.MUTE)
    return Meaning(
        _VERBS.get(f"{group}.{kind}", _VERBS.get(group, Force.CALM)), kind if group == "act" else ""
    )


def _grasp_reading(text: str, language: str) -> Meaning:
    hits = lexicon().find(text, language)
    best = max((weigh(part) for part in _split(hits)), key=lambda meaning: meaning.force)
    if best.force is Force.UNKNOWN and is_price(text):
        best = Meaning(Force.DEED, "pay")
    elif best.force is Force.DEED and best.kind == "pay" and has_money(text):
        best = Meaning(Force.ACT, "pay")  # `Transfer €50`: with a sum, it is a verb
    return Meaning(best.force, best.kind, len(WORD.findall(text)), tuple(hits))


def _split(hits: list[Hit]) -> list[list[Hit]]:
    """Split the hits at every `and`: `Save and send` names two actions."""
    if hits and hits[0].concept == "calm.howto":
        return [hits]
    parts: list[list[Hit]] = [[]]
    for hit in hits:
        if hit.concept == "soft.and":
            parts.append([])
        else:
            parts[-1].append(hit)
    return [part for part in parts if part] or [[]]


def weigh(hits: list[Hit]) -> Meaning:
    """The meaning of one phrase."""
    verbs = [hit for hit in hits if _force(hit) is not None]
    concepts = {hit.concept for hit in hits}
    if "calm.howto" in concepts or _names_reading(hits):
        return Meaning(Force.CALM)
    if not verbs:
        return Meaning(Force.CALM if "calm.light" in concepts else Force.UNKNOWN)
    head = _head(verbs)
    acts = [hit for hit in verbs if hit.group == "act"]
    if acts:
        return _weigh_act(acts[0], head, concepts)
    if head.concept == "soft.cancel":
        return _weigh_cancel(hits, concepts)
    if _force(head) is Force.RETREAT:
        return Meaning(Force.RETREAT, head.kind)
    if _force(head) is Force.CALM or concepts & {"calm.look", "calm.open", "calm.cart"}:
        return Meaning(Force.CALM)
    return _weigh_deed(verbs, head, concepts)


def _names_reading(hits: list[Hit]) -> bool:
    """Whether it names something to read (`Refund policy`, `Delete account guide`), not an action on it
    (`Delete policy`)."""
    topics = [hit for hit in hits if hit.concept == "calm.topic"]
    verbs = [hit for hit in hits if hit.concept in _DONE_TO_TEXT]
    return bool(topics) and not any(_governs(verb, topic, hits) for verb in verbs for topic in topics)


def _governs(verb: Hit, topic: Hit, hits: list[Hit]) -> bool:
    """Whether the topic is the verb's object: on the correct side, with no other known word between them."""
    first, second = (topic, verb) if verb.last else (verb, topic)
    between = (hit for hit in hits if first.end <= hit.start and hit.end <= second.start)
    return first.end <= second.start and not any(between)


def _weigh_act(act: Hit, head: Hit, concepts: set[str]) -> Meaning:
    if "calm.light" in concepts or head.concept in ("calm.look", "calm.open", "calm.cart"):
        return Meaning(Force.CALM)
    if head.concept == "calm.thing" and (head.last or head.end <= act.start):
        return Meaning(Force.CALM)  # `注文履歴`, `Ιστορικό διαγραφών`: a list of past actions
    postponed = "soft.later" in concepts and act.kind != "pay"
    if _force(head) is Force.RETREAT or postponed:
        return Meaning(Force.RETREAT)
    return Meaning(Force.ACT, act.kind)


def _weigh_cancel(hits: list[Hit], concepts: set[str]) -> Meaning:
    if concepts & {"calm.light", "calm.cart"}:
        return Meaning(Force.RETREAT)
    held = concepts & {"scene.held", "scene.plan"} or any(hit.group == "deed" for hit in hits)
    return Meaning(Force.ACT, "end") if held else Meaning(Force.CANCEL)


def _weigh_deed(verbs: list[Hit], head: Hit, concepts: set[str]) -> Meaning:
    """The meaning of a name with a noun or an ambiguous verb: its other words decide."""
    if "calm.light" in concepts:
        return Meaning(Force.CALM)
    if "scene.final" in concepts:
        return Meaning(Force.ACT, head.kind)
    deed = next((hit for hit in verbs if hit.group == "deed"), None)
    if deed is None:
        return _weigh_plain(head, concepts)
    if head.concept in _COMPLETES:
        return Meaning(Force.ACT, deed.kind)
    if "calm.thing" in concepts:
        return Meaning(Force.CALM)
    return Meaning(Force.PROCEED if _force(head) is Force.PROCEED else Force.DEED, deed.kind)


def _weigh_plain(head: Hit, concepts: set[str]) -> Meaning:
    force = _force(head) or Force.UNKNOWN
    if force is Force.WEAK and "calm.minor" in concepts and head.kind != "remove":
        return Meaning(Force.CALM)
    if force is Force.WEAK and concepts & _MATTERS:
        return Meaning(Force.DEED, head.kind)
    return Meaning(force, head.kind if head.group != "soft" else "")


def _head(verbs: list[Hit]) -> Hit:
    """The hit that decides: the first, or the last if the language puts the verb last."""
    if any(hit.last for hit in verbs):
        end = max(hit.end for hit in verbs)
        return max((hit for hit in verbs if hit.end == end), key=_rank)
    start = verbs[0].start
    return max((hit for hit in verbs if hit.start == start), key=_rank)


def _rank(hit: Hit) -> Force:
    return _force(hit) or Force.CALM


def _force(hit: Hit) -> Force | None:
    return _VERBS.get(hit.concept, _VERBS.get(hit.group))
