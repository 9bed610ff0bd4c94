"""Text normalisation: one spelling for all visually equal ways to write the same words.

Case, accents, full width, look-alike letters, zero-width characters, letter spacing and emoji are removed
from both page text and lexicon, so that neither has to handle variants.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from server.text import in_order_of_sight, visible

_CYRILLIC_LOOKALIKES = dict(zip("авеікмнорстухјѕһԁԛԝӏүґ", "abeikmhopctyxjshdqwlyг", strict=True)) | {
    "с": "c",
    "є": "є",
}
_GREEK_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC", strict=True))
_GREEK_SMALL = dict(zip("αβεηικμνορτυχωγσϲ", "abenikuvoptuxwyoc", strict=True))
_LETTERS = str.maketrans(
    {
        "ı": "i",
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "ə": "e",
        "ħ": "h",
        "ŧ": "t",
    }
    | dict(zip("ɑɡɩʟᴀʙᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "agilabcdefghijkmnoprstuvwyz", strict=True))
    | _CYRILLIC_LOOKALIKES
    | {"ك": "ک", "ي": "ی", "ى": "ی", "ئ": "ی", "ة": "ه", "ۀ": "ه", "أ": "ا", "إ": "ا", "آ": "ا", "ؤ": "و"}
)
_DIGITS_AS_LETTERS = str.maketrans("013457@$", "oleastas")

_FLOATING = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670\u093c\u1ab0-\u1aff\u20d0-\u20ff]"
)
_BLANK = re.compile("[\u115f\u1160\u3164\uffa0\u2800\u034f\ufe00-\ufe0f\U000e0000-\U000e01ef]")
_PICTURES = re.compile(
    "[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\ufffd\U0001f000-\U0001f0ff\U0001f200-\U0001faff]+"
)
_SPACED = re.compile(r"(?<!\w)\w(?:[ ._·*-]\w){2,}(?!\w)")
WORD = re.compile(r"[\w\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
"""One word, including the vowel signs of Indic scripts."""
_GREEK = re.compile("[\u0370-\u03ff]")
_LATIN_LETTER = re.compile(r"[A-Za-z]")
_ARTICLE = re.compile(r"(?<!\w)(?:وال|بال|لل|ال)(?=\w{3})")
_MIXED = re.compile(r"(?<!\w)(?=\w*[a-z]\w*[a-z])(?=\w*[0-9@$])[\w@$]+")
_FLAG = re.compile("(?<![\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff]{2}(?![\U0001f1e6-\U0001f1ff])")
_VIETNAMESE = re.compile("[\u1ea0-\u1ef9ơưđ]", re.IGNORECASE)

_SENTENCE_BREAK = re.compile(
    r"\n+|(?<=[.!?…])\s+|(?<=[。؟।])|(?<=[!?])(?=[\u3040-\u9fff\uac00-\ud7af])|(?<=;)\s+|\s[·•|]\s"
)

_TONE_LAST = re.compile(
    "(?:o[\u00e0\u00e1\u1ea3\u00e3\u1ea1\u00e8\u00e9\u1ebb\u1ebd\u1eb9]|u[\u1ef3\u00fd\u1ef7\u1ef9\u1ef5])(?!\\w)"
)
"""Vietnamese words with the tone on the last vowel (`huỷ`, `hoà`), also written `hủy`, `hòa`."""

_MARKED_SCRIPTS = ("GREEK", "CYRILLIC", "ARABIC", "HEBREW")
_DENSE_LETTERS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)


def fold(text: str) -> str:
    """Normalise a text: case-folded, no disguises, spaces unchanged. Latin letters keep their accents."""
    letters = _FLAG.sub(" ", text).translate(_SYMBOLS)
    text = _BLANK.sub("", unicodedata.normalize("NFKC", letters))
    text = unicodedata.normalize("NFC", WORD.sub(lambda word: _untangle(word.group()), text).casefold())
    text = _FLOATING.sub("", text).translate(_UNACCENTED)
    return _ARTICLE.sub("", _TONE_LAST.sub(lambda tail: _move_tone(tail.group()), text))


def _move_tone(vowels: str) -> str:
    second = unicodedata.normalize("NFD", vowels[1])
    return unicodedata.normalize("NFC", vowels[0] + second[1:]) + second[0]


def plain(text: str) -> str:
    """Folded text without the accents of Latin letters, which are often omitted."""
    return text.translate(_PLAIN_TABLE)


def has_tones(word: str) -> bool:
    """Whether a folded word has Vietnamese letters: `bạn` (you) and `bán` (sell) differ by accents only."""
    return _VIETNAMESE.search(word) is not None


def readings(text: str) -> tuple[str, ...]:
    """The folded text, then its other visual readings (`De1ete`, `ΡΑΥ`, spaced letters, pictures in a word)."""
    text = visible(in_order_of_sight(text))
    first = fold(_close_up(text))
    whole = fold(_close_up(_PICTURES.sub("", text)))
    with_letters = first.translate(_DIGITS_AS_LETTERS) if _MIXED.search(first) else first
    in_latin = WORD.sub(lambda word: _greek_as_latin(word.group()), text) if _GREEK.search(text) else text
    return tuple(dict.fromkeys((first, with_letters, fold(in_latin), whole)))


def sentences(text: str) -> list[str]:
    """The sentences, lines and items of a text."""
    return [part for part in _SENTENCE_BREAK.split(text) if part.strip()]


def is_dense(text: str) -> bool:
    """Whether the text contains a script that is matched inside words: Chinese, Japanese, Korean, Thai."""
    return _DENSE_LETTERS.search(text) is not None


def has_words(text: str) -> bool:
    """Whether the text contains a letter or digit."""
    return any(char.isalnum() for char in text)


def _unaccented(char: str) -> str:
    """The letter or digit without its marks; "" for an invisible character."""
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    name = unicodedata.name(char, "")
    if name.startswith(_MARKED_SCRIPTS):
        return _bare(char).translate(_LETTERS)
    return char.translate(_LETTERS) if "SMALL CAPITAL" in name or char in "ɑɡɩ" else char


def _plain(char: str) -> str:
    return _bare(char).translate(_LETTERS) if unicodedata.name(char, "").startswith("LATIN") else char


def _bare(char: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", char) if not unicodedata.combining(c))


class _Table(dict[int, str]):
    """A table for `str.translate` that computes each entry on first use."""

    def __init__(self, spell: Callable[[str], str]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, code: int) -> str:
        self[code] = self._spell(chr(code))
        return self[code]


_UNACCENTED, _PLAIN_TABLE = _Table(_unaccented), _Table(_plain)
_SYMBOLS = {first + at: ord("A") + at for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)}


def _untangle(word: str) -> str:
    """Convert a word that mixes Greek with Latin letters to Latin: the mix is a disguise."""
    if _GREEK.search(word) and _LATIN_LETTER.search(word):
        return _greek_as_latin(word)
    return word


def _greek_as_latin(word: str) -> str:
    return "".join(_GREEK_CAPITALS.get(char) or _GREEK_SMALL.get(char) or char for char in word)


def _close_up(text: str) -> str:
    """Remove letter spacing: `P a y  n o w` -> `Pay  now`."""
    shown = _BLANK.sub("", unicodedata.normalize("NFKC", text))
    return _SPACED.sub(lambda run: re.sub(r"[ ._·*-]", "", run.group()), shown)
