"""Parse what a user asks about a page: a summary, a list or a number of its parts, or words to find; and greetings.

Pure.
"""

from __future__ import annotations

import re
from typing import Literal

from server.extras.demo.stems import asked_words, listed, words_of

Part = Literal["links", "buttons", "fields", "headings", "rows", "items", "title"]
"""Parts of a page that can be listed and counted."""

Courtesy = Literal["hello", "thanks", "praise", "bye"]
_LONGEST_COURTESY = 80

_PAGE_PARTS: tuple[tuple[Part, str], ...] = (
    ("links", r"links?|ссыл(?:ка|ки|ку|ок|кам|ками|ках)"),
    ("buttons", r"buttons?|schaltflachen?|knopfe?|кноп(?:ка|ки|ку|ок|кам|ками|ках)"),
    ("fields", r"fields?|inputs?|forms?|feld(?:er|ern)?|formulare?|пол[еяю]|полей|полях|форм[аеуы]?"),
    (
        "headings",
        r"headings?|headlines?|sections?|chapters?|uberschriften?|abschnitte?|kapitel|заголов(?:ок|ки|ков|ка)|раздел(?:ы|ов|а)?|глав[аы]?",
    ),
    ("rows", r"rows?|zeilen?|строк[аиу]?"),
    ("items", r"items?|points?|bullets?|lists?|punkte?|listen?|пункт(?:ы|ов|а)?|списо?к(?:е|и|а|ов)?"),
    ("title", r"title|titel|название"),
)
_PART_PATTERNS = tuple((part, re.compile(pattern)) for part, pattern in _PAGE_PARTS)
_BESIDE = listed(
    """gibt dort da sichtbar zeig zeige nenne zahl there have has contain contains visible shown table tables list lists fill filled ask asks required
    имеется имеют имеет видно таблице таблица таблицы списке нужно заполнить"""
)
"""Words next to the name of a part that do not say what to look for."""
_COUNTS = re.compile(
    r"\b(?:how many|count|number of|wie viele|zähle?|anzahl|сколько|посчитай(?:те)?|число|количество)\b",
    re.IGNORECASE,
)


def part_asked(question: str) -> Part | None:
    """The part of the page that the question is about, if it asks for nothing more than that."""
    found = [(word, _part(word)) for word in words_of(question)]
    parts = [part for word, part in found if part and word not in ("list", "lists")] or [
        part for _, part in found if part
    ]
    named = {word for word, part in found if part}
    rest = [
        word
        for word in asked_words(question)
        if word not in named and word not in _BESIDE | {"count", "number"}
    ]
    if not parts or any(not _COUNTS.fullmatch(word) for word in rest):
        return None
    return parts[0]


def _part(word: str) -> Part | None:
    return next((part for part, pattern in _PART_PATTERNS if pattern.fullmatch(word)), None)


def is_count(question: str) -> bool:
    return bool(_COUNTS.search(question))


_ADDRESSED = r"(?:[\s,.!?:)]|\b(?:there|pilothouse|you|again|and|so|very much|a lot|и|ещё|вам|тебе|всем|за помощь|большое|огромное)\b)*"
_COURTESIES: tuple[tuple[Courtesy, str], ...] = (
    ("thanks", r"thanks|thank you|many thanks|thx|cheers|danke(?: schön)?|vielen dank|спасибо|благодарю|спс"),
    (
        "bye",
        r"good ?bye|bye|see you|good night|tschüss|auf wiedersehen|пока|до свидания|до встречи|спокойной ночи",
    ),
    (
        "praise",
        r"ok(?:ay)?|great|perfect|well done|good job|nice|cool|super gemacht|gut gemacht|отлично|хорошо|здорово|прекрасно|молодец|супер|ок(?:ей)?",
    ),
    (
        "hello",
        r"hello|hi|hey|good (?:morning|afternoon|evening|day)|how are you|what'?s up|hallo|guten (?:tag|morgen|abend)|wie geht(?: e|')s(?: dir| ihnen)?|"
        r"привет|здравствуй(?:те)?|добр(?:ый день|ый вечер|ое утро)|как (?:дела|ты)|доброго времени суток",
    ),
)
_POLITE_ONLY = re.compile(
    rf"{_ADDRESSED}(?:(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _COURTESIES)})\b{_ADDRESSED})+",
    re.IGNORECASE,
)


def courtesy(text: str) -> Courtesy | None:
    """What a message says that is a greeting, thanks, praise or a good-bye and nothing else; None for all other messages."""
    found = (
        _POLITE_ONLY.fullmatch(text[:_LONGEST_COURTESY].strip()) if len(text) <= _LONGEST_COURTESY else None
    )
    return next((kind for kind, _ in _COURTESIES if found and found[kind]), None)


_ORDINALS = (
    ("first", "1st", r"erst\w+|перв\w+"), ("second", "2nd", r"zweit\w+|втор\w+"), ("third", "3rd", r"dritt\w+|трет\w+"),
    ("fourth", "4th", r"viert\w+|четв[её]рт\w+"), ("fifth", "5th", r"fünft\w+|пят\w+"), ("sixth", "6th", r"шест\w+"),
    ("seventh", "7th", r"седьм\w+"), ("eighth", "8th", r"восьм\w+"), ("ninth", "9th", r"девят\w+"),
    ("tenth", "10th", r"десят\w+"),
)  # fmt: skip
_ORDINAL = re.compile(
    r"(?:(?:the|den|die|das|der)\s+|number\s+|n[or]\.?\s*|номер\s+)?(?:"
    + "|".join(f"(?P<n{at}>{'|'.join(forms)})" for at, forms in enumerate(_ORDINALS, 1))
    + r"|(?P<last>last|letzte\w*|последн\w+)|(?P<digits>\d{1,3})(?:\.|th|st|nd|rd|-?(?:й|ю|я|е|ую|ая|ое))?)(?!\w)\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def ordinal(text: str) -> tuple[int, str]:
    """The number that a text begins with and the text after it; -1 for the last one, 0 without a number.

    A bare number counts only if nothing follows: `3 items` is a name.
    """
    match = _ORDINAL.fullmatch(text.strip().rstrip(".!"))
    if match is None:
        return 0, text
    rest = re.sub(r"^(?:one|вариант)\b\s*", "", match["rest"]).strip()
    if match["last"]:
        return -1, rest
    if match["digits"]:
        is_bare = match["digits"] == text.strip().rstrip(".!")
        has_ending = re.match(
            r"\s*(?:(?:the|den|die|das)\s+)?\d+(?:\s*-?[^\W\d]|\.\s)", text
        ) and not re.match(r"\s*(?:the\s+)?\d+\s", text)
        return (int(match["digits"]), rest) if is_bare or has_ending else (0, text)
    return next(at for at in range(1, len(_ORDINALS) + 1) if match[f"n{at}"]), rest
