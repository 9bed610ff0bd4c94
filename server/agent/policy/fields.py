"""Recognise fields that take secrets, by their name, the text around them and the typed value."""

from __future__ import annotations

import re

from server.agent.policy.lexicon import lexicon
from server.agent.policy.text import readings, sentences
from server.agent.policy.verdict import Subject

TYPED_ROLES = {"", "textbox", "searchbox", "combobox", "spinbutton", "generic", "textarea", "input"}
_OPEN_FIELDS = {"plain", "query"}
"""Kinds of fields that take no secret."""
_CARD = re.compile(r"\d(?:[ -]?\d){12,18}")
_IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}\s?[A-Z0-9]{1,4}(?![A-Z0-9])")


def is_secret(subject: Subject) -> bool:
    """Whether the field takes a password, code, card or identity number, or the value is one."""
    if subject.secret or _looks_secret(subject.value):
        return True
    if subject.role == "searchbox":
        return False
    says = find_secret(subject.name, subject.lang)
    return _context_is_secret(subject) if says is None else says


def find_secret(text: str, language: str = "") -> bool | None:
    """Whether a field's name means a secret; None if its context must decide (`Code`)."""
    kinds = kinds_of_field(text, language)
    if "secret" in kinds:
        return kinds.isdisjoint(_OPEN_FIELDS)
    return None if kinds <= {"vague"} else False


def _context_is_secret(subject: Subject) -> bool:
    """Whether the context makes it secret: `Code` near `we sent you a message`, but not near `discount`."""
    is_vague = "vague" in kinds_of_field(subject.name, subject.lang) or not subject.name.strip()
    around = [kinds_of_field(sentence, subject.lang) for sentence in sentences(subject.context)]
    return any(_makes_secret(kinds, is_vague) for kinds in around if kinds.isdisjoint(_OPEN_FIELDS))


def _makes_secret(kinds: set[str], is_vague: bool) -> bool:
    if is_vague:
        return not kinds.isdisjoint(("secret", "sent"))
    return "sent" in kinds and not kinds.isdisjoint(("secret", "vague"))


def kinds_of_field(text: str, language: str) -> set[str]:
    """What a text says a field takes: `secret`, `sent`, `query`, `message`, `lookup`, `vague`, `plain`."""
    return {
        hit.kind for line in readings(text) for hit in lexicon().find(line, language) if hit.group == "field"
    }


def _looks_secret(value: str) -> bool:
    card = _CARD.search(value)
    if card and _passes_luhn(re.sub(r"\D", "", card.group())):
        return True
    return any(_is_iban(match.group()) for match in _IBAN.finditer(value.upper()))


def _is_iban(text: str) -> bool:
    """Whether its check digits fit: a product number in the same form has none."""
    plain = re.sub(r"\s", "", text)
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _passes_luhn(digits: str) -> bool:
    doubled = [int(d) * 2 if i % 2 else int(d) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0
