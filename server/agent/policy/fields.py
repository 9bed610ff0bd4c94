"""Typing and keys: what is handed over by filling a field, and what Enter sets off in it."""

from __future__ import annotations

import re

from server.agent.policy.lexicon import lexicon
from server.agent.policy.names import Force, grasp
from server.agent.policy.page_context import read_scene
from server.agent.policy.text import readings, sentences
from server.agent.policy.verdict import ALLOWED, Judgement, Subject, ask

_FIELDS = {"", "textbox", "searchbox", "combobox", "spinbutton", "generic", "textarea", "input"}
_OPEN = {"plain", "query"}
"""Kinds of fields whose words are no secret."""
_CARD = re.compile(r"\d(?:[ -]?\d){12,18}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}\s?[A-Z0-9]{1,4}")


def is_secret(subject: Subject) -> bool:
    """Whether the field takes a password, code, card or identity number, or is about to get one."""
    if subject.secret or _looks_secret(subject.value):
        return True
    if subject.role == "searchbox":
        return False
    says = find_secret(subject.name, subject.lang)
    return _context_tells(subject) if says is None else says


def find_secret(text: str, language: str = "") -> bool | None:
    """Whether a field's name means a secret; None when it leaves that to what is around it (`Code`)."""
    kinds = _means(text, language)
    if "secret" in kinds:
        return kinds.isdisjoint(_OPEN)
    return None if kinds <= {"vague"} else False


def _context_tells(subject: Subject) -> bool:
    """`Code` is a secret beside `we sent you a message`, and not beside `discount`."""
    is_vague = "vague" in _means(subject.name, subject.lang) or not subject.name.strip()
    around = [_means(sentence, subject.lang) for sentence in sentences(subject.context)]
    return any(_tells(kinds, is_vague) for kinds in around if kinds.isdisjoint(_OPEN))


def _tells(kinds: set[str], is_vague: bool) -> bool:
    if is_vague:
        return not kinds.isdisjoint(("secret", "sent"))
    return "sent" in kinds and not kinds.isdisjoint(("secret", "vague"))


def assess_enter(subject: Subject) -> Judgement:
    """The judgement on Enter: it searches, sends, signs in, or does what the form's button would."""
    from server.agent.policy.clicks import assess_click

    if subject.role.lower() not in _FIELDS:
        return assess_click(subject)
    if is_secret(subject):
        return ask("credential")
    means = _means(subject.name, subject.lang)
    if subject.role == "searchbox" or "query" in means:
        return ALLOWED
    if "message" in means:
        return ask("send")
    scene = read_scene(subject.context, language=subject.lang)
    picks = subject.role == "combobox" or ("lookup" in means and len(subject.form_fields) < 2)
    if _looks_up(subject) or ((scene.calm or picks) and not scene.strong):
        return ALLOWED
    stands_alone = bool(subject.name.strip()) and not subject.form_fields and not subject.submits
    return ALLOWED if stands_alone and scene.score < (2 if "plain" in means else 1) else ask(scene.kind)


def _looks_up(subject: Subject) -> bool:
    """`Find in transactions`: the field's name is an order to search."""
    meaning = grasp(subject.name, subject.lang)
    return meaning.force is Force.CALM and any(hit.concept == "calm.look" for hit in meaning.hits)


def assess_key(subject: Subject) -> Judgement:
    """The judgement on a key other than plain typing."""
    key = subject.value.lower().replace(" ", "")
    if key in ("enter", "return", "numpadenter", "space") or key.endswith(("+enter", "+return")):
        return assess_enter(subject)
    if key in ("delete", "backspace") and subject.role.lower() not in _FIELDS:
        return ask("delete")
    return ALLOWED


def _means(text: str, language: str) -> set[str]:
    return {
        hit.kind for line in readings(text) for hit in lexicon().find(line, language) if hit.group == "field"
    }


def _looks_secret(value: str) -> bool:
    card = _CARD.search(value)
    if card and _passes_luhn(re.sub(r"\D", "", card.group())):
        return True
    return _IBAN.fullmatch(value.strip().upper()) is not None


def _passes_luhn(digits: str) -> bool:
    doubled = [int(d) * 2 if i % 2 else int(d) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0
