"""What titles need to know of German: how people ask politely, and where verbs stand. Pure."""

from __future__ import annotations

import re

GERMAN_SITE = "auf"
"""Between what is done and the site."""

_PARTICLES = r"(?:(?:mir |für mich )?(?:bitte|doch|mal|kurz),? )*"
_ASKS_POLITELY = re.compile(
    r"(?:(?P<question>(?:kannst|könntest|würdest|magst) du|(?:können|könnten|würden|mögen) sie)"
    r"|(?P<clause>ich (?:möchte|will|hätte gerne?|wünsche mir),? dass (?:du|sie))|bitte,?) " + _PARTICLES,
    re.IGNORECASE,
)
_PLEASE = re.compile(r"^(\w+(?: Sie)?) bitte(?: mal)? |,? bitte(?=[.!?]*$)", re.IGNORECASE)
OPENS_GERMAN = re.compile(
    r"(?:(?:öffnen?|besuchen?|rufen?|ruf|geh(?:en?)?)(?: sie)?(?: auf| zu)?(?: die| den| das)?(?: seite| artikel| website)?"
    r"(?: unter| auf)?:? \x00(?: auf\b)?|(?:die |den )?(?:seite |artikel )?(?:auf |zu )?\x00 "
    r"(?:öffne(?:n|st)|besuch(?:en|st)|auf(?:rufen|rufst)|geh(?:en|st)))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_TELLS_FIRST = re.compile(
    r"^(?:sag|nenn|erzähl|verrat)(?:e|en (?P<polite>sie))? mir,? (?P<what>.+)|^mir (?:sagen|sagst), (?P<asked>.+)",
    re.IGNORECASE,
)
_TELLS_LAST = re.compile(r"^mir (?P<what>.+) (?:sagen|nennen|sagst|nennst)$", re.IGNORECASE)
_SAYS_GERMAN = re.compile(
    r"^was (?:dort|da|darin|sie|er|die seite|der artikel) (?P<topic>(?:über|zu[mr]?) .+) (?:steht|sagt|schreibt)$",
    re.IGNORECASE,
)
_ASKS_GERMAN = re.compile(
    r"^(?:wer|was|wo|wann|wohin|woher|wie\w*|warum|wozu|wessen|welche\w*|ob)\b", re.IGNORECASE
)
_SECOND_PERSON = {
    "liest": "lesen", "gibst": "geben", "siehst": "sehen", "nimmst": "nehmen", "trägst": "tragen", "lädst": "laden",
    "fasst": "fassen", "hilfst": "helfen",
}  # fmt: skip
"""Verbs whose vowel changes; of separable ones what follows the prefix."""


def asked_in_german(line: str) -> tuple[str, bool]:
    """The line without how it asks politely in German, and whether it did; without an address, as a task."""
    found = _ASKS_POLITELY.match(line)
    said = line[found.end() :] if found else line
    if found and (found["question"] or found["clause"]):
        said = said.rstrip(" ?!.")
    said = _PLEASE.sub(lambda please: f"{please[1]} " if please[1] else "", said)
    if not found and said == line:
        return line, False
    if found and found["clause"]:
        said = _infinitive(said)
    said = said if "://" in said else german_task(said)
    return said[:1].upper() + said[1:], True


def german_task(words: str) -> str:
    """What is to be done, with a verb also where only a question or a thing was named."""
    if found := _TELLS_LAST.match(words):
        return f"{found['what']} finden"
    found = _TELLS_FIRST.match(words)
    if found is None:
        return words
    find, read = ("Finden Sie", "Lesen Sie") if found["polite"] else ("Finde", "Lies")
    what = found["what"] or found["asked"]
    if says := _SAYS_GERMAN.match(what):
        return f"{read} {says['topic']}"
    return f"{find} heraus, {what}" if _ASKS_GERMAN.match(what) else f"{find} {what}"


def _infinitive(clause: str) -> str:
    """`den Preis suchst`: `den Preis suchen`. The verb is the last word, or the one before a comma."""
    head, comma, rest = clause.partition(", ")
    before, space, verb = head.rpartition(" ")
    changed = next((verb[: -len(you)] + to for you, to in _SECOND_PERSON.items() if verb.endswith(you)), None)
    return f"{before}{space}{changed or re.sub(r'e?st$', 'en', verb)}{comma}{rest}"
