"""Interpret what a control does from its name alone.

The words of a name are read as verbs and objects, in any language: a verb that commits (`send`), one whose
object decides (`remove` a filter, `remove` a member), a generic one (`continue`), something to view
(`order history`). README.md in lexicon/ describes the concepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from server.agent.policy.lexicon import Hit, icon_concept, lexicon
from server.agent.policy.money import has_money, is_price
from server.agent.policy.text import WORD, fold, has_words, plain, readings


class Commitment(IntEnum):
    """How much a name commits, from nothing (NONE) to an effect in any context (CERTAIN).

    In parentheses: the concepts of the lexicon that it is read from.
    """

    NONE = 0
    """Changes nothing: `Details`, `Add to cart`, `Order history` (`calm`)."""
    RETREAT = 1
    """Leaves: `Back`, `No thanks`, `Close` (`soft.retreat`, `soft.no`, `soft.later`, `soft.shut`)."""
    CANCEL = 2
    """Leaves, or ends something that is held: `Cancel` (`soft.cancel`)."""
    UNKNOWN = 3
    """No verb of the lexicon."""
    PROCEED = 4
    """`Continue`, `Finish` (`soft.proceed`, `soft.finish`)."""
    MILD = 5
    """A mostly harmless verb: `Share`, `Add`, `Reply` (`lean`)."""
    UNNAMED = 6
    """No words, or a phrase that only its place explains: `Take it` (`soft.idiom`)."""
    AMBIGUOUS = 7
    """Its object or place decides: `Remove`, `Change`, `Start` (`weak`)."""
    AFFIRM = 8
    """`Yes`, `Confirm` (`soft.affirm`)."""
    LIKELY = 9
    """Alone an effect, next to a list or detail something to look at: `Payment`, `Book` (`deed`)."""
    CERTAIN = 10
    """An effect in any context: `Pay now`, `Delete account` (`act`)."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """How much a name commits and, if known, the kind of effect it names."""

    commitment: Commitment
    kind: str = ""
    words: int = 0
    """Number of words in the name. Headlines have many."""
    hits: tuple[Hit, ...] = ()


_COMMITMENTS = {
    "act": Commitment.CERTAIN, "deed": Commitment.LIKELY, "weak": Commitment.AMBIGUOUS, "lean": Commitment.MILD,
    "calm.look": Commitment.NONE, "calm.open": Commitment.NONE, "calm.cart": Commitment.NONE, "calm.thing": Commitment.NONE,
    "soft.proceed": Commitment.PROCEED, "soft.finish": Commitment.PROCEED, "soft.affirm": Commitment.AFFIRM, "soft.idiom": Commitment.UNNAMED,
    "soft.later": Commitment.RETREAT, "soft.no": Commitment.RETREAT, "soft.retreat": Commitment.RETREAT, "soft.cancel": Commitment.CANCEL, "soft.shut": Commitment.RETREAT,
}  # fmt: skip
_DONE_TO_TEXT = {
    "act.delete", "act.publish", "act.send", "act.approve", "act.legal",
    "weak.remove", "weak.change", "weak.save", "weak.accept", "lean.share", "lean.make",
}  # fmt: skip
_COMPLETES = {"soft.finish", "soft.affirm", "weak.submit", "weak.accept"}
_OBJECTS = {
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
def read_name(name: str, language: str = "") -> Meaning:
    """The strongest meaning of all readings of the name; readings with known words take precedence."""
    if not has_words(name):
        return _read_icon(name)
    meanings = [_read_reading(text, language) for text in readings(name)]
    if not any(meaning.hits for meaning in meanings):
        meanings.append(_read_reading(plain(fold(name)), language))
    return max(meanings, key=lambda meaning: (bool(meaning.hits), meaning.commitment))


def _read_icon(name: str) -> Meaning:
    group, _, kind = icon_concept(name).partition(".")
    if not group:
        return Meaning(Commitment.UNNAMED)
    return Meaning(
        _COMMITMENTS.get(f"{group}.{kind}", _COMMITMENTS.get(group, Commitment.NONE)),
        kind if group == "act" else "",
    )


def _read_reading(text: str, language: str) -> Meaning:
    hits = lexicon().find(text, language)
    best = max((read_phrase(part) for part in split_phrases(hits)), key=lambda meaning: meaning.commitment)
    if best.commitment is Commitment.UNKNOWN and is_price(text):
        best = Meaning(Commitment.LIKELY, "pay")
    elif best.commitment is Commitment.LIKELY and best.kind == "pay" and has_money(text):
        best = Meaning(Commitment.CERTAIN, "pay")  # `Transfer €50`: with a sum, it is a verb
    return Meaning(best.commitment, best.kind, len(WORD.findall(text)), tuple(hits))


def split_phrases(hits: list[Hit]) -> list[list[Hit]]:
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


def read_phrase(hits: list[Hit]) -> Meaning:
    """The meaning of one phrase."""
    verbs = [hit for hit in hits if _commitment(hit) is not None]
    concepts = {hit.concept for hit in hits}
    if "calm.howto" in concepts or _names_reading(hits):
        return Meaning(Commitment.NONE)
    if not verbs:
        return Meaning(Commitment.NONE if "calm.light" in concepts else Commitment.UNKNOWN)
    head = _deciding(verbs)
    acts = [hit for hit in verbs if hit.group == "act"]
    if acts:
        return _read_certain(acts[0], head, concepts)
    if head.concept == "soft.cancel":
        return _read_cancel(hits, concepts)
    if _commitment(head) is Commitment.RETREAT:
        return Meaning(Commitment.RETREAT, head.kind)
    if _commitment(head) is Commitment.NONE or concepts & {"calm.look", "calm.open", "calm.cart"}:
        return Meaning(Commitment.NONE)
    return _read_likely(verbs, head, concepts)


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


def _read_certain(act: Hit, head: Hit, concepts: set[str]) -> Meaning:
    if "calm.light" in concepts or head.concept in ("calm.look", "calm.open", "calm.cart"):
        return Meaning(Commitment.NONE)
    if head.concept == "calm.thing" and (head.last or head.end <= act.start):
        return Meaning(Commitment.NONE)  # `注文履歴`, `Ιστορικό διαγραφών`: a list of past actions
    postponed = "soft.later" in concepts and act.kind != "pay"
    if _commitment(head) is Commitment.RETREAT or postponed:
        return Meaning(Commitment.RETREAT)
    return Meaning(Commitment.CERTAIN, act.kind)


def _read_cancel(hits: list[Hit], concepts: set[str]) -> Meaning:
    if concepts & {"calm.light", "calm.cart"}:
        return Meaning(Commitment.RETREAT)
    held = concepts & {"scene.held", "scene.plan"} or any(hit.group == "deed" for hit in hits)
    return Meaning(Commitment.CERTAIN, "end") if held else Meaning(Commitment.CANCEL)


def _read_likely(verbs: list[Hit], head: Hit, concepts: set[str]) -> Meaning:
    """The meaning of a name with a noun or an ambiguous verb: its other words decide."""
    if "calm.light" in concepts:
        return Meaning(Commitment.NONE)
    if "scene.final" in concepts:
        return Meaning(Commitment.CERTAIN, head.kind)
    likely = next((hit for hit in verbs if hit.group == "deed"), None)
    if likely is None:
        return _read_verb(head, concepts)
    if head.concept in _COMPLETES:
        return Meaning(Commitment.CERTAIN, likely.kind)
    if "calm.thing" in concepts:
        return Meaning(Commitment.NONE)
    return Meaning(
        Commitment.PROCEED if _commitment(head) is Commitment.PROCEED else Commitment.LIKELY, likely.kind
    )


def _read_verb(head: Hit, concepts: set[str]) -> Meaning:
    commitment = _commitment(head) or Commitment.UNKNOWN
    if commitment is Commitment.AMBIGUOUS and "calm.minor" in concepts and head.kind != "remove":
        return Meaning(Commitment.NONE)
    if commitment is Commitment.AMBIGUOUS and concepts & _OBJECTS:
        return Meaning(Commitment.LIKELY, head.kind)
    return Meaning(commitment, head.kind if head.group != "soft" else "")


def _deciding(verbs: list[Hit]) -> Hit:
    """The hit that decides: the first, or the last if the language puts the verb last."""
    if any(hit.last for hit in verbs):
        end = max(hit.end for hit in verbs)
        return max((hit for hit in verbs if hit.end == end), key=_rank)
    start = verbs[0].start
    return max((hit for hit in verbs if hit.start == start), key=_rank)


def _rank(hit: Hit) -> Commitment:
    return _commitment(hit) or Commitment.NONE


def _commitment(hit: Hit) -> Commitment | None:
    return _COMMITMENTS.get(hit.concept, _COMMITMENTS.get(hit.group))
