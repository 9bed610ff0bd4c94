"""Words of a text as stems, by the Snowball stemmers for English and Russian, German words by the English one. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

_ENGLISH_STEMMER, _RUSSIAN_STEMMER = snowballstemmer.stemmer("english"), snowballstemmer.stemmer("russian")
_STEM_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
"""A word or a number; `0.31` and `don't` are one each."""


def listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP = listed(
    """a an the this that these those it its is are was were be been being am do does did done has have had having
    of in on at to for from by with about as into over under between and or not no if than then there here so
    what which who whom whose when where why how much many any some all each every both
    anything something everything nothing mention mentions mentioned regarding concerning also only just more most
    i me my we us our you your he she they them their his her one
    can could will would shall should may might must please tell say says said show read find give list name
    describe summarize summarise explain know want see look out up
    page pages site website web article text document file cost costs current present
    der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind wird mit für von vom zu zum
    zur im ins auf aus bei nach über unter es er sie wir ich mir mich ihr du dir was wer wie viele wo wann warum welche welcher
    welches dort hier da steht stehen gibt sag sage zeig zeige lies lesen finde suche nenne beschreibe fasse zusammen bitte alle
    seite website artikel text dokument datei
    что чего чему чем кто кого какой какая какое какие какую каких каким как когда где куда откуда почему зачем сколько
    это этот эта эти этой этом этого тот та то те там тут здесь он она оно они его её ее их ему ей им
    нибудь либо ничего нечто упоминается упомянуто именно также тоже еще ещё
    и а но или не ни ли бы же если чтобы в во на по о об обо про с со к ко у из от до за для при над под между
    есть был была было были быть будет является стоит стоят мне меня нам нас ты вы вас вам мой моя
    скажи скажите сказать сказано говорит говорится пишет пишут написано расскажи расскажите покажи покажите прочитай
    прочитайте прочти найди найдите опиши опишите назови назовите перечисли перечислите узнай узнайте все всё весь
    год года году страница страницы странице страницу сайт сайта сайте
    статья статьи статье статью текст тексте текста документ файл
    файле файла пожалуйста"""
)


def words_of(text: str) -> list[str]:
    """Words and numbers in lower case and in order, without accents; `ё` is `е`."""
    return _STEM_WORD.findall(_folded(text))


def stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(text)))


def asked_words(question: str) -> list[str]:
    """The words of a question that say what it is about, without repeats; empty if it has none."""
    return [word for word in dict.fromkeys(words_of(question)) if word not in _STOP_FOLDED]


@lru_cache(4096)
def stem(word: str) -> str:
    """The stem of a word in lower case; a number as it is, with a point for a decimal comma."""
    if word[0].isdigit():
        return word.replace(",", ".")
    word = re.sub(r"['’]s?$", "", word)
    stemmer = _RUSSIAN_STEMMER if "а" <= word[:1] <= "я" else _ENGLISH_STEMMER
    return str(stemmer.stemWord(word))


def _folded(text: str) -> str:
    """Accents are removed, except the one of `й`, which is a letter of its own."""
    composed = unicodedata.normalize("NFKC", text).casefold().replace("й", "\ue002")
    bare = "".join(
        sign for sign in unicodedata.normalize("NFKD", composed) if not unicodedata.combining(sign)
    )
    return bare.replace("\ue002", "й")


_STOP_FOLDED = frozenset(map(_folded, _STOP))
