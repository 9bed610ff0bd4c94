"""Compare a control's label with the text around it: repeated, extended, or one of a row of labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.agent.policy.lexicon import lexicon
from server.agent.policy.names import Commitment, read_name
from server.agent.policy.text import WORD, fold, plain, sentences
from server.agent.policy.verdict import Subject

_QUESTION_END = re.compile(r"[?？؟;]\W*$|(?:吗|ですか|ますか|까요|습니까|ไหม|หรือไม่|không|khong)\W*$")
_ITEM_SEPARATOR = re.compile(r"[,،、;>/|]|\s[-–—]\s")
_EDITING = re.compile(
    r"\b(?:bold|italic|underline|strike\w*|heading \d|bullet\w*|numbered list|blockquote|code block|fett|kursiv|gras|italique"
    r"|negrita|cursiva|grassetto|corsivo|negrito|itálico|vet|cursief|жирный|курсив|pogrubienie|kursywa|fet|kursiv)\b|^[BIUS]$|太字|粗体|굵게",
    re.IGNORECASE,
)
"""Names of the buttons above a text that is being written."""
_NUMBERED = re.compile(r"[^\W\d]+\W+\d+\W*")
_STAR, _FEW = re.compile("[★⭐☆]"), re.compile(r"(?<![\d.,])[1-5](?![\d.,])")
_LONGEST_DATE, _LAST_DAY, _CALENDAR_DAYS = 7, 31, 6
_LONGEST_LABEL = 6
_LONGEST_NAME = 8
_LONGEST_DEVICE = 4
_PLACES = {Commitment.NONE, Commitment.UNKNOWN, Commitment.LIKELY}
"""What the names of navigation targets are read as."""


def is_draft(subject: Subject) -> bool:
    """Whether the buttons next to it format a text that is being written."""
    return sum(_EDITING.search(name.strip()) is not None for name in subject.siblings) >= 2


def is_numbered(name: str) -> bool:
    """Whether it is one word and a number: `Post 137` names a thing."""
    return _NUMBERED.fullmatch(fold(name)) is not None


def is_star(name: str) -> bool:
    """Whether it is one of the stars of a rating: `4 stars`, `★`."""
    if _STAR.search(name):
        return True
    found = lexicon().find(plain(fold(name)), "")
    return _FEW.search(fold(name)) is not None and any(hit.group == "unit" for hit in found)


def is_date(name: str, controls_in_same_group: Sequence[str]) -> bool:
    """Whether it is a day with its year, or the number of a day next to others."""
    numbers = [int(one) for one in re.findall(r"\d+", fold(name))]
    has_day = any(1 <= one <= _LAST_DAY for one in numbers)
    if len(numbers) == 1 and has_day and name.strip().isdigit():
        return sum(one.strip().isdigit() for one in controls_in_same_group) >= _CALENDAR_DAYS
    return has_day and any(1900 <= one < 2100 for one in numbers) and len(name.split()) <= _LONGEST_DATE


def asks(text: str) -> bool:
    """Whether a text is a question."""
    return _QUESTION_END.search(text) is not None


def heading_names(context: str, name: str) -> bool:
    """Whether the heading contains the control's name: `Cancel the booking?` for `Cancel`."""
    return lexicon().significant(name) in lexicon().significant(_heading(context))


def longer_heading(context: str, name: str) -> str:
    """The heading, if it extends the control's name: `Skip this payment` above `Skip`; else ""."""
    heading = _heading(context)
    own, longer = lexicon().significant(name), lexicon().significant(heading)
    is_longer = own and own != longer and (longer.startswith(own) or longer.endswith(own))
    return heading if is_longer and len(longer.split()) <= _LONGEST_NAME else ""


def heading_commands(context: str, name: str, language: str) -> bool:
    """Whether name and heading together name an action on a running system: `Close` under `Valve 3`."""
    own, heading = fold(name), fold(_heading(context))
    if len(heading.split()) > _LONGEST_DEVICE:
        return False
    pairs = ((f"{own} {heading}", len(own)), (f"{heading} {own}", len(heading)))
    return any(
        hit.concept == "act.system" and hit.start < cut < hit.end
        for text, cut in pairs
        for hit in lexicon().find(text, language)
    )


def _heading(context: str) -> str:
    return next(iter(sentences(context)), "")


def lists_controls(text: str, name: str) -> bool:
    """Whether a text is a row of labels that includes this one, and so is no evidence about this control."""
    labels = [_bare(label) for label in _labels(text)]
    own = _bare(fold(name))
    is_named = own in labels or (len(labels) > 1 and any(label.endswith(f" {own}") for label in labels))
    is_row = is_named and all(len(label.split()) <= _LONGEST_LABEL for label in labels)
    return bool(own) and is_row and (_has_digit(own) or not _has_digit(text))


def _labels(text: str) -> list[str]:
    """The items of a list, without its introduction: `Order type: market, limit, stop`."""
    return _ITEM_SEPARATOR.split(text.rpartition(":")[2])


def is_menu(text: str, name: str, language: str) -> bool:
    """Whether a text is a row of three or more labels of places, this one included: `Inbox, Sent, Trash`."""
    labels = _labels(text)
    others = (read_name(label, language).commitment for label in labels if _bare(label) != _bare(fold(name)))
    return len(labels) > 2 and lists_controls(text, name) and _PLACES.issuperset(others)


def _bare(text: str) -> str:
    return " ".join(WORD.findall(plain(text)))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
