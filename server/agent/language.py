"""Choose the language of fixed texts: German or Russian if the user writes it, else English."""

from __future__ import annotations

import re

_NOT_PROSE = re.compile(r"«[^»]*»|„[^“”]*[“”]|“[^”]*”|\"[^\"]*\"|\S+[./@]\S+")
"""Quotations and addresses: they do not show the writer's language."""
LANGUAGE_CHARS = 1000
"""Maximum characters to read: matching quotations takes quadratic time."""
_LETTERS_WORD = re.compile(r"[^\W\d_]+")
_RUSSIAN_LETTERS = re.compile("[а-яё]+", re.IGNORECASE)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_GERMAN = _listed(
    """der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war wird mit für von vom
    zu zum zur im ins auf aus bei nach über unter vor an am um ich du er sie es wir mir mich dir dich ihn ihm uns was wer
    wie wo wann warum welche welcher welches viele alle dann danach bitte auch noch schon nur mehr als wenn dass gibt
    öffne öffnen gehe geh lies lesen zeig zeige suche such finde klick klicke drück drücke gib schreib schreibe tipp wähle
    leg lege bestell bestelle kauf kaufe mach mache melde antworte warte scroll lade nenne zähl vergleiche fülle hallo
    danke ja nein weiter fertig seite"""
)
"""Common words, and verbs with which a task begins."""
_ENGLISH = _listed(
    """the a an and or but not no is are was were with for from to of in on at by it this that these i you he she we they me
    my your what who how where when why which all then please also only more if do does die war am as so"""
)
"""Likewise. A word of both decides nothing."""


def language_of(text: str) -> str:
    """The language in which the user is answered: `de`, `ru` or `en`."""
    if is_russian(text):
        return "ru"
    words = [word.lower() for word in _LETTERS_WORD.findall(_NOT_PROSE.sub(" ", text[:LANGUAGE_CHARS]))]
    german = sum(word in _GERMAN and word not in _ENGLISH for word in words)
    english = sum(word in _ENGLISH and word not in _GERMAN for word in words)
    return "de" if german > english else "en"


def is_russian(text: str) -> bool:
    """Whether the text begins in Russian or is mostly Russian, without words in other Cyrillic alphabets."""
    words = _LETTERS_WORD.findall(_NOT_PROSE.sub(" ", text[:LANGUAGE_CHARS]))
    russian = [bool(_RUSSIAN_LETTERS.fullmatch(word)) for word in words]
    foreign = any(
        "\u0400" <= char <= "\u04ff"
        for word in words
        if not _RUSSIAN_LETTERS.fullmatch(word)
        for char in word
    )
    return bool(words) and not foreign and (russian[0] or 2 * sum(russian) > len(russian))
