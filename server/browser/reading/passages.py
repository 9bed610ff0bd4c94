"""Markdown as pages of a fixed size, and as the passages that match a query. Pure, linear time."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from server.browser.observation.rendering import cost
from server.text import cut, visible
from wording.catalogue import Wording, sentence

PAGE_TOKENS = 3300
"""Size of a page, by the estimate that observations use."""
PIECE_CHARS = 900
"""A longer paragraph is several passages, cut at the ends of sentences."""
GROUP_CHARS = 300
"""Short lines are one passage until they have so many characters."""
PASSAGES = 40
"""Maximum number of passages in the answer to a query."""
QUERY_CHARS = 300
TABLE_HEAD_CHARS = 600
ROW_CHARS = 3000
"""A longer row of a table is several passages."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or a part of one, with the heading before it; a row of a table; a line of a list."""

    text: str
    joint: str = "\n\n"
    """What separates it from the passage before."""
    head: str = ""
    """The head of the table that it is a row of, two lines."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a text. `about` says which one, in a few words."""

    about: Wording
    text: str


def plain(text: str) -> str:
    """The text without invisible characters and without trailing spaces."""
    text = visible(text).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[^\S\n]+\n", "\n", text)).strip()


_TABLE_ROW, _TABLE_RULE = re.compile(r"\s*\|.*\|\s*$"), re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_ITEM_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_HEADING_MARK = re.compile(r"#{1,6} ")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；।۔])")


def split(markdown: str) -> list[Passage]:
    """The text as passages, in order; none is longer than about `PIECE_CHARS`, but for rows of a table."""
    passages: list[Passage] = []
    heading = ""
    for block in markdown.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if len(lines) == 1 and _HEADING_MARK.match(lines[0]):
            heading = f"{heading}\n\n{lines[0]}" if heading else lines[0]
            continue
        for passage in _passages_of(lines):
            if heading:
                passage = Passage(f"{heading}\n\n{passage.text}")
                heading = ""
            passages.append(passage)
    return [*passages, *([Passage(heading)] if heading else [])]


def _passages_of(lines: Sequence[str]) -> Iterator[Passage]:
    if len(lines) > 1 and _TABLE_ROW.match(lines[0]) and _TABLE_RULE.match(lines[1]):
        yield from _rows_of(lines)
        return
    for number, part in enumerate(_grouped(lines)):
        for at, piece in enumerate(_pieces(part, PIECE_CHARS)):
            yield Passage(piece, " " if at else "\n" if number else "\n\n")


def _rows_of(lines: Sequence[str]) -> Iterator[Passage]:
    """A table's head and its rows; a very long head is not repeated."""
    head = "\n".join(lines[:2])
    is_short = len(head) <= TABLE_HEAD_CHARS
    rows = [head, *lines[2:]] if is_short else lines
    for number, row in enumerate(rows):
        for at, piece in enumerate(_pieces(row, ROW_CHARS)):
            joint = " " if at else "\n" if number else "\n\n"
            yield Passage(piece, joint, head if is_short and number else "")


def _grouped(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a block: each item of a list alone, lines of text together, some hundred characters."""
    group = ""
    for line in lines:
        if group and (_ITEM_MARK.match(line) or len(group) > GROUP_CHARS):
            yield group
            group = ""
        group += f"\n{line}" if group else line
    if group:
        yield group


def _pieces(text: str, chars: int) -> Iterator[str]:
    """The text in pieces of at most `chars` characters, cut between sentences, or words, as far as possible."""
    if len(text) <= chars:
        if text:
            yield text
        return
    piece = ""
    for part in _SENTENCE_END.split(text):
        while len(part) > chars:
            head = part[:chars]
            end = head.rfind(" ") if head.rfind(" ") > chars // 2 else chars
            if piece:
                yield piece
                piece = ""
            yield part[:end]
            part = part[end:].lstrip(" ")
        if piece and len(piece) + len(part) + 1 > chars:
            yield piece
            piece = ""
        space = "" if not piece or _is_unspaced(piece[-1]) else " "
        piece += space + part
    if piece:
        yield piece


def read_page(passages: Sequence[Passage], page: int) -> Excerpt:
    """Page number `page`, from 1; the nearest one if there is no such page."""
    pages = _pages_of(passages)
    number = max(1, min(page, len(pages)))
    begin, end = pages[number - 1]
    about = (
        sentence("reading.page", page=number, count=len(pages))
        if page == number
        else sentence("reading.no_page", asked=page, page=number, count=len(pages))
    )
    return Excerpt(about, _joined(passages, range(begin, end)))


def _pages_of(passages: Sequence[Passage]) -> list[tuple[int, int]]:
    """For each page, its first passage and the one after its last; there is at least one page."""
    pages: list[tuple[int, int]] = []
    begin = used = 0
    for at, passage in enumerate(passages):
        tokens = cost([passage.text]) + 1
        if at > begin and used + tokens > PAGE_TOKENS:
            pages.append((begin, at))
            begin, used = at, cost([passage.head])
        used += tokens
    return [*pages, (begin, len(passages))]


def _joined(passages: Sequence[Passage], places: Iterable[int]) -> str:
    """The passages at these places, in order. A row that follows no other of its table gets the table's head;
    what was left out between two of them is marked by a line of three dots."""
    text, before = "", -1
    for at in places:
        passage = passages[at]
        if at == before + 1 and text:
            text += passage.joint
        elif text and passage.head and passages[before].head == passage.head:
            text += "\n"
        else:
            text += "\n\n…\n\n" if text else ""
            text += f"{passage.head}\n" if passage.head else ""
        text += passage.text
        before = at
    return text


def search(passages: Sequence[Passage], query: str) -> Excerpt:
    """The passages that match the query best, at most a page of them, in the text's order.

    Words match in any case and with other endings; scripts without spaces are compared by pairs of signs.
    """
    query = cut(" ".join(query.split()), QUERY_CHARS)
    counts = [Counter(_words(passage.text)) for passage in passages]
    scores = _scores(_words(query), counts)
    best = max(scores, default=0.0)
    if not best:
        return Excerpt(sentence("reading.nothing", n=len(_pages_of(passages)), query=query), "")
    found = [at for at, score in enumerate(scores) if score >= best / 3]
    chosen: list[int] = []
    used = 0
    for at in sorted(found, key=lambda at: -scores[at])[:PASSAGES]:
        used += cost([passages[at].text]) + 4
        if used > PAGE_TOKENS and chosen:
            break
        chosen.append(at)
    chosen.sort()
    pages = _pages_of(passages)
    on = sorted({next(n for n, (_, end) in enumerate(pages, 1) if at < end) for at in chosen})
    where: dict[str, str | int] = {
        "total": len(passages),
        "query": query,
        "pages": ", ".join(map(str, on)),
        "count": len(pages),
    }
    about = (
        sentence("reading.best_matches", shown=len(chosen), found=len(found), **where)
        if len(chosen) < len(found)
        else sentence("reading.matches", found=len(found), **where)
    )
    return Excerpt(about, _joined(passages, chosen))


_PASSAGE_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> list[str]:
    """Words in lower case and without accents; pairs of signs where a script has no spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = []
    for word in _PASSAGE_WORD.findall(folded):
        if any(map(_is_unspaced, word)):
            words += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            words.append(_without_accents(word))
    return words


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))


def _is_unspaced(sign: str) -> bool:
    """Thai, Lao, Burmese and Khmer; Chinese, Japanese and Korean, whose words carry endings of one sign."""
    return any(first <= sign <= last for first, last in _UNSPACED_RANGES)


_UNSPACED_RANGES = (
    ("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u1100", "\u11ff"),
    ("\u2e80", "\u9fff"), ("\uac00", "\ud7af"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"),
)  # fmt: skip


def _scores(query: Sequence[str], counts: Sequence[Mapping[str, int]]) -> list[float]:
    """How well each passage matches: rare words count more, other endings of a word less."""
    within = Counter(word for count in counts for word in count)
    scores = [0.0] * len(counts)
    for term in dict.fromkeys(query):
        weights = {word: weight for word in within if (weight := _likeness(term, word))}
        if not weights:
            continue
        hits = [max((weights[word] for word in count if word in weights), default=0.0) for count in counts]
        rarity = log(1 + len(counts) / sum(map(bool, hits)))
        for at, hit in enumerate(hits):
            if hit:
                scores[at] += hit * rarity
    return scores


def _likeness(term: str, word: str) -> float:
    """1 for the same word, less for one with another ending, 0 for another word."""
    if term == word:
        return 1.0
    if len(term) < 5 or not term.isalpha() or len(word) > len(term) + 4:
        return 0.0
    stem = term[: max(4, len(term) - 2)]
    return 0.7 if word.startswith(stem) else 0.0
