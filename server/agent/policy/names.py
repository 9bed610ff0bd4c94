"""What a control says it does, told from its name alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from server.agent.policy.lexicon import Hit, lexicon
from server.agent.policy.text import WORD, fold, has_words, readings

_ICONS = {
    "delete": "🗑🚮",
    "pay": "💳💰💸💵💶🛍",
    "send": "✉📤📨📧➤📩🛫📞📣",
    "system": "⏻⏼🔌🛑🚀⏹",
    "legal": "✍🖊🖋",
    "affirm": "✓✔✅☑👍👌🆗⭕🤝",
    "proceed": "→➡➜➔▶⏭⏩»›➝➞⇒🏁▸",
    "retreat": "✕✖✗❌×╳🚫←⬅↩«‹⏮🔙👎⎌",
    "look": "🔍🔎❓❔ℹ☰⋮⋯…≡👁📄📋🏠⚙🔔👤🌐🎥📷⏸🔊🔇🖨📥⬇⬆↓↑▼▲▾▴🔄📅🗓?⭐★☆♡♥❤🛒➕➖+-−–",
}
_ICON_MEANING = {char: kind for kind, chars in _ICONS.items() for char in chars}


class Force(IntEnum):
    """How much a name commits, from not at all to whatever happens around it."""

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
    """The force of a name and, where it is known, the kind of effect it names."""

    force: Force
    kind: str = ""
    words: int = 0
    """How many words the name has; a headline has many."""
    hits: tuple[Hit, ...] = ()


_FORCES = {
    "act": Force.ACT, "deed": Force.DEED, "weak": Force.WEAK, "lean": Force.LEAN, "calm": Force.CALM,
}  # fmt: skip
_SOFT = {
    "proceed": Force.PROCEED, "affirm": Force.AFFIRM, "retreat": Force.RETREAT, "cancel": Force.CANCEL,
}  # fmt: skip
_COMMITS = (Force.ACT, Force.DEED)


@lru_cache(maxsize=1024)
def grasp(name: str) -> Meaning:
    """The weightiest meaning that any reading of the name has."""
    if not has_words(name):
        return _grasp_icon(name)
    meanings = [_grasp_reading(text) for text in readings(name)]
    if not any(meaning.hits for meaning in meanings):
        meanings.append(_grasp_reading(fold(name, keep_tones=False)))
    return max(meanings, key=lambda meaning: (bool(meaning.hits), meaning.force))


def _grasp_icon(name: str) -> Meaning:
    kinds = [_ICON_MEANING[char] for char in name if char in _ICON_MEANING]
    kind = kinds[0] if kinds else ""
    if kind in _SOFT:
        return Meaning(_SOFT[kind])
    if kind == "look":
        return Meaning(Force.CALM)
    return Meaning(Force.ACT, kind) if kind else Meaning(Force.MUTE)


def _grasp_reading(text: str) -> Meaning:
    hits = [hit for hit in lexicon().find(text) if hit.group in _FORCES or hit.group == "soft"]
    count = len(WORD.findall(text))
    parts = _split(hits)
    best = max((_weigh(part) for part in parts), key=lambda meaning: meaning.force)
    return Meaning(best.force, best.kind, count, tuple(hits))


def _split(hits: list[Hit]) -> list[list[Hit]]:
    """The name's hits, parted at every `and`: `Save and send` is two things."""
    parts: list[list[Hit]] = [[]]
    for hit in hits:
        if hit.concept == "soft.and":
            parts.append([])
        else:
            parts[-1].append(hit)
    return [part for part in parts if part] or [[]]


def _weigh(hits: list[Hit]) -> Meaning:
    if not hits:
        return Meaning(Force.UNKNOWN)
    if any(hit.concept == "calm.howto" for hit in hits):
        return Meaning(Force.CALM)
    head = _head(hits)
    force = _force(head)
    if force in (Force.CALM, Force.RETREAT):
        return Meaning(force)
    acts = [hit for hit in hits if _force(hit) is Force.ACT]
    if acts:
        return Meaning(Force.ACT, acts[0].kind)
    deeds = [hit for hit in hits if _force(hit) is Force.DEED]
    if deeds:
        return _weigh_deed(hits, deeds[0], force)
    return Meaning(force, head.kind if head.group != "soft" else "")


def _weigh_deed(hits: list[Hit], deed: Hit, force: Force) -> Meaning:
    if any(hit.concept == "calm.thing" for hit in hits):
        return Meaning(Force.CALM)
    if force is Force.PROCEED:
        return Meaning(Force.PROCEED, deed.kind)
    return Meaning(Force.DEED, deed.kind)


def _head(hits: list[Hit]) -> Hit:
    """The hit that decides: the first, or the last where the language puts the verb there."""
    if any(hit.last for hit in hits):
        end = max(hit.end for hit in hits)
        return max((hit for hit in hits if hit.end == end), key=_force)
    start = hits[0].start
    return max((hit for hit in hits if hit.start == start), key=_force)


def _force(hit: Hit) -> Force:
    return _SOFT[hit.kind] if hit.group == "soft" else _FORCES[hit.group]
