"""A control of a page in words, such as `button "Send"`. Pure."""

from __future__ import annotations

from wording.catalogue import ENGLISH, Wording, sentence, sentences


def element_words(role: str, name: str) -> Wording:
    """The role in the reader's language, and the name that the page gives."""
    kind = role_words(role)
    return sentence("element.named", role=kind, name=name) if name else sentence("element.unnamed", role=kind)


def role_words(role: str) -> Wording:
    known = f"role.{role}" in sentences(ENGLISH)
    return sentence(f"role.{role}") if known else sentence("role.other", role=role)
