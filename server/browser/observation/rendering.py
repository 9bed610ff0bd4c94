"""Render the lines that a model reads, and estimate their tokens.

An element is one line, `[e12] button "Submit" disabled`. Page text is prefixed with `- ` or `# `, and
anything in it that looks like an eid is replaced. docs/observation.md describes the format.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil

from server.browser.observation.page import Element, Overlay, Page
from server.browser.observation.page_script import Box
from server.text import cut, visible

RENDERED_NAME_CHARS, SEEN_CHARS = 100, 400
"""Characters of a name out of view and in view."""
SEEN_VALUE_CHARS, MAX_VALUE_CHARS = 1000, 4000
"""Characters of a value in view: at least, and of a field that shows more."""
CHAR_AREA = 90
"""CSS pixels of a character and the space around it, in small type."""
SUFFIX_CHARS = 30
OPTION_CHARS = 40
RENDERED_LINE_CHARS = 200
LINE_TOKENS = 70

_SPACE = re.compile(r"\s+")
_ODD = re.compile(r"\s\s|[^\S ]")
_EID = re.compile(r"[\[［【](\s*(?:f\s*\d+\s*)?e\s*\d+\s*)[\]］】]")
_QUOTE_TABLE = str.maketrans({'"': "'"})


def clean(text: str) -> str:
    """The text in one line, without invisible characters and without anything that reads as an eid or a ref."""
    if not text.isascii() or not text.isprintable():
        text = visible(well_formed(text))
    if _ODD.search(text):
        text = _SPACE.sub(" ", text)
    if "e" in text:
        text = _EID.sub(r"(\1)", text)
    return text.strip()


def code_lines(text: str) -> str:
    """As `clean` for each line, with its indent."""
    lines = (line.expandtabs(4) for line in text.strip("\n").split("\n"))
    return "\n".join(f"{' ' * (len(line) - len(line.lstrip(' ')))}{clean(line)}".rstrip() for line in lines)


def clean_lines(text: str) -> str:
    """As `clean`, with the text's own lines and spaces."""
    return _EID.sub(r"(\1)", visible(well_formed(text)).replace("\r\n", "\n")).strip("\n")


def in_part(text: str, chars: int) -> str:
    """At most `chars` characters; text that is cut says so at its end."""
    if len(text) <= chars:
        return text
    note = f"… (a part: {len(text)} characters in all)"
    return text[: max(0, chars - len(note))] + note


def well_formed(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def quote(text: str) -> str:
    return f'"{text.translate(_QUOTE_TABLE)}"'


def page_lines(page: Page, notes: Iterable[str], overlays: Iterable[Overlay], room: int) -> list[str]:
    """The lines above the elements: always the address, then as many as fit into `room` tokens."""
    lines = [_fit(f"URL: {clean(page.url)}", min(room, LINE_TOKENS))]
    more = [f"Title: {clean(page.title)}"] if page.title else []
    more += map(overlay_line, overlays)
    more += [f"Note: {clean(note)}" for note in notes]
    for line in more:
        line = _fit(line.rstrip(), LINE_TOKENS)
        if cost(lines) + cost([line]) > room:
            break
        lines.append(line)
    return lines


def overlay_line(overlay: Overlay) -> str:
    return f"Overlay: {overlay.kind} {quote(clean(overlay.text)) if overlay.text else ''}".rstrip()


def _fit(line: str, tokens: int) -> str:
    line = cut(line, RENDERED_LINE_CHARS)
    while cost([line]) > tokens and len(line) > 8:
        line = cut(line, len(line) * 3 // 4)
    return line


def value_chars(box: Box | None) -> int:
    """How many characters of its value a field in view may show."""
    area = box[2] * box[3] if box else 0
    return min(MAX_VALUE_CHARS, max(SEEN_VALUE_CHARS, int(area / CHAR_AREA)))


def text_line(block: str) -> str:
    """A text in one line; code in several, with a sign before each."""
    if "\n" in block:
        return f"- {block}".replace("\n", "\n| ")
    return block if block.startswith("# ") else f"- {block}"


def element_line(element: Element, suffix: str = "", also: Sequence[Element] = ()) -> str:
    """`suffix` distinguishes elements of equal role and name; `also` are the links that share the line."""
    parts = [f"[{element.eid}] {element.role} {quote(element.name)}"]
    if suffix:
        parts.append(f"({suffix})")
    if element.shows and element.visible:
        parts.append(f"shows={quote(element.shows)}")
    if element.value:
        parts.append(f"value={quote(element.value)}".replace("\n", "\n| "))
    elif element.placeholder:
        parts.append(f"placeholder={quote(element.placeholder)}")
    parts += [word for word, holds in _states(element) if holds]
    if element.takes:
        parts.append(f"takes={','.join(element.takes)}")
    if element.options:
        names, most = [_short_option(name) for name in element.options], element.options_shown
        if len(names) > most + 1:
            names = [*names[:most], f"{len(names) - most} more"]
        parts.append(f"options=[{', '.join(names)}]")
    if also:
        others = (f"{one.eid} {quote(one.name)}" if one.name != element.name else one.eid for one in also)
        parts.append(f"also={','.join(others)}")
    return " ".join(parts)


def _short_option(name: str) -> str:
    return cut(name.translate(_BRACKETS), OPTION_CHARS)


def meant_option(element: Element, written: str) -> str:
    """Resolve an option as the model wrote it, possibly as truncated in the line or in another case.

    Returns its full name, or `written` if no option or more than one matches.
    """
    meant = {name for name in element.options if is_option(written, name)}
    return meant.pop() if len(meant) == 1 and written not in element.options else written


def is_option(written: str, name: str) -> bool:
    """Whether the option is meant: its name, perhaps as cut in the line or in another case."""
    plain = " ".join(written.casefold().split())
    return plain in (name.casefold(), _short_option(name).casefold())


_BRACKETS = str.maketrans({"[": "(", "]": ")", '"': "'"})


def _states(element: Element) -> tuple[tuple[str, bool | None], ...]:
    return (
        ("secret", element.secret),
        ("filled", element.filled),
        ("checked", element.checked),
        ("selected", element.selected),
        ("expanded", element.expanded),
        ("several", element.several),
        ("disabled", element.disabled),
    )


def element_lines(elements: Iterable[Element]) -> list[str]:
    """One line for each element that does not share another's line, with suffixes where names repeat."""
    elements = list(elements)
    also: dict[str, list[Element]] = {}
    for element in elements:
        if element.same_as:
            also.setdefault(element.same_as, []).append(element)
    shown = [element for element in elements if not element.same_as]
    kinds = Counter((element.role, element.name) for element in shown)
    seen: Counter[tuple[str, str, str]] = Counter()
    lines = []
    for element in shown:
        suffix = ""
        if not element.name or kinds[element.role, element.name] > 1:
            suffix = suffix_of(element)
            seen[element.role, element.name, suffix] += 1
            nth = seen[element.role, element.name, suffix]
            suffix = f"{suffix} #{nth}".strip() if nth > 1 else suffix
        lines.append(element_line(element, suffix, also.get(element.eid, ())))
    return lines


def suffix_of(element: Element) -> str:
    return cut(element.context.partition(" · ")[0].translate(_PARENTHESES), SUFFIX_CHARS)


_PARENTHESES = str.maketrans({"(": None, ")": None, '"': "'"})


_TOKEN_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[^\W\d_A-Za-z]+|[^\w\s]+|_+|\s+")


def cost(lines: Iterable[str]) -> int:
    """Estimated tokens of the lines, line ends included; slightly above the o200k count."""
    return ceil(1.06 * sum(_piece_cost(piece) for line in lines for piece in _TOKEN_PIECE.findall(line)))


def fitting_lines(text: str, tokens: int) -> str:
    """The first lines that fit into so many tokens, the last of them cut, and how many more there are."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if (price := cost([line, "\n"])) > tokens:
            more = f"... truncated, {len(lines) - at - 1} more lines"
            return "\n".join([*lines[:at], cut(line, len(line) * tokens // price), more])
        tokens -= price
    return text


@lru_cache(maxsize=8192)
def _piece_cost(piece: str) -> float:
    size, first = len(piece), piece[0]
    if first.isascii():
        if first.isalpha():
            return 1 + max(0, size - 6) * 0.16
        if first.isdigit():
            return (size + 2) // 3
        return (size - 1) * 0.3 if first.isspace() else 0.3 + size * 0.45
    if "\u4e00" <= first < "\ua000" and 5 * len(_COMMON_HAN.intersection(piece)) < size:
        return 1.35 * size
    return sum(map(_char_cost, piece)) + 0.3


def _char_cost(char: str) -> float:
    code = ord(char)
    for limit, each in _TOKENS_PER_LETTER:
        if code < limit:
            return each
    return 3.0


_TOKENS_PER_LETTER = ((0x370, 0.5), (0x400, 0.38), (0x530, 0.29), (0xE80, 0.36), (0x1000, 0.6), (0x1100, 0.36), (0x1E00, 1.8),
            (0x1F00, 0.4), (0x2E80, 1.0), (0xA000, 0.78), (0xAC00, 2.0), (0xD7B0, 0.6), (0x10000, 1.5))  # fmt: skip
"""Tokens per character, up to a code point: Latin, Greek, Cyrillic; Semitic and Indic; rare; Georgian; rare;
Vietnamese; signs; Chinese and Japanese; rare; Korean; rare. Above the last, three tokens each."""

_COMMON_HAN = frozenset(
    "的一是不了在人有我他这中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力与长把机十民第公此已工使明性知全"
    "三关点正业外将两高间由问最重并物手应向头文体政美相见利二等产或新己制身加西月话合回特代内信表化老给世位次度门常先海通教原"
    "东提立及比员解水名真论处各入口认条平系气题活更别打女变四总电数安少报结反受目太量再感建务做接必场件计管期市直资命山金指统"
    "區保至社便空展科司五基书非听白界光放强即且思王完设式色路记南品住告类求程北边交万取格望术领共确传观清今院让带导运購入登录"
    "這個們來為國時說會對過發後還進樣開從實無與長機動關點業將兩間問頭體見產門東員論處認條氣題變總電數報結務場計資京店前車線"
)
"""Common Chinese and Japanese characters. Text with less than a fifth of them costs almost twice as much."""
