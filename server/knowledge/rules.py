"""What may be a note, and about which site. Pure; the words are data in `orders.toml` and the policy's lexicon.

The same rules hold for each way in: the agent's proposals, corrections, imports, and what the person writes. A note that
is refused is never shown, stored or logged.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path

from server.agent.policy.fields import kinds_of_field
from server.agent.policy.lexicon import lexicon
from server.agent.policy.text import fold, is_dense, plain, readings, sentences
from server.browser.addresses import host_of, is_near, normal_url, site_of
from server.browser.sites import suffixes
from server.errors import BadRequest
from server.text import parted, visible
from wording.catalogue import sentence

Runs = Set[tuple[str, ...]]
MAX_NOTE = 200
"""Characters."""
MAX_INSTRUCTIONS = 2000
"""Characters of one text of instructions."""
PAGE_SHARE = 0.6
"""Of a note's runs of `RUN_WORDS` words, which stand so on the page: then the page has written it."""
RUN_WORDS = 3
_WORD_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|\w+")
_DATE = re.compile(
    r"(?<!\d)(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?!\d)"
    r"|\b(?:(?:dd?|mm?|tt?|jj?|gg?|дд?|мм?)[-./]){2}(?:y{2,4}|j{2,4}|a{2,4}|г{2,4})\b|\by{2,4}[-./]mm?[-./]dd?\b",
    re.IGNORECASE,
)
"""Also as a pattern, such as DD.MM.YYYY."""
_DIGITS = re.compile(r"\d(?:[ ,.()\-]?\d){5,}")
_TOKEN = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[\w+/=~\-]{9,}|[A-Za-z0-9+/=]{24,}")
_MARKUP = re.compile(
    r"[<>{}\[\]`$|=^~*\\]|;(?!\s\w)|::|(?:^|\s)[#.][A-Za-z_-]|\be\d+\b|\bf\d+e\d+\b|//"
    r"|\b(?:xpath|css|selector|nth[- ]child|queryselector|data-\w+|aria-\w+|document\.\w+|javascript)\b",
    re.IGNORECASE,
)
_DOT_WORDS = re.compile(
    r"\s*[\[(]?\b(?:dot|punkt|point|punto|ponto|точка|nokta|kropka|ドット|点)\b[\])]?\s*(?=[a-z]{2,6}\b)",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?")
_FILES = ("pdf", "csv", "xlsx", "docx", "txt", "png", "jpg", "json", "xml", "ics")
"""Endings of names with a dot that are no hosts."""
_ORDERING = ("act.", "claim.agent", "claim.skip", "claim.consent")


class NoteRefused(BadRequest):
    """The text cannot be a note; `detail` says why."""

    code = "note_refused"


def note_site(address: str) -> str:
    """The site that notes of this address are about: its registrable domain; an IP address or a local name with its
    port; "" if the address has no host."""
    host = host_of(address)
    if not host or is_near(host):
        return site_of(address)
    return suffixes().privatesuffix(host) or ""


def possible_sites(address: str) -> list[str]:
    """What `note_site` of the address may be, without the list of suffixes, which few runs need."""
    host = host_of(address)
    if not host or is_near(host):
        return [site for site in [site_of(address)] if site]
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(len(labels) - 1)]


def read_site(text: str) -> str:
    """The site that a person means by a name or an address. Raises BadRequest."""
    try:
        site = note_site(normal_url(text))
    except ValueError:
        site = ""
    if not site or len(site) > 255:
        raise BadRequest(sentence("note.bad_site"), code="bad_site")
    return site


def check_note(text: str, site: str, read: Runs = frozenset()) -> str:
    """The note as it is kept, in one line. `read`: `runs_of` pages, of which it must not be a copy. Raises NoteRefused."""
    note, *others = dict.fromkeys(
        " ".join(unicodedata.normalize("NFC", one).split()) for one in (visible(text), parted(text))
    )
    if not any(char.isalpha() for char in note):
        raise NoteRefused(sentence("note.empty"))
    if len(note) > MAX_NOTE:
        raise NoteRefused(sentence("note.too_long", n=MAX_NOTE))
    for reading in (note, *others):
        _check_reading(reading, site)
    own = runs_of(note)
    if len(own & read) >= PAGE_SHARE * len(own):
        raise NoteRefused(sentence("note.of_page"))
    return note


def _check_reading(note: str, site: str) -> None:
    if _has_secret(note):
        raise NoteRefused(sentence("note.secret"))
    if _names_other_site(note, site):
        raise NoteRefused(sentence("note.other_site"))
    if _MARKUP.search(unicodedata.normalize("NFKC", note)):
        raise NoteRefused(sentence("note.selector"))
    if any(_is_order(line) for line in readings(_DATE.sub(" ", note))):
        raise NoteRefused(sentence("note.order"))


def _names_other_site(note: str, site: str) -> bool:
    dated = _DATE.sub(" ", unicodedata.normalize("NFKC", note).replace("。", "."))
    text = _DOT_WORDS.sub(".", dated.casefold())
    hosts = (match.group() for match in _DOTTED.finditer(text))
    return "://" in text or "@" in text or any(_is_foreign(host, site) for host in hosts)


def _is_foreign(host: str, site: str) -> bool:
    """Whether it is the name of a host, and of another site. `3.5`, `e.g` and `report.pdf` are none."""
    bare = host.rpartition(":")[0] or host
    if re.fullmatch(r"\d+(?:\.\d+){3}", bare):
        return host != site
    last = bare.rpartition(".")[2]
    is_host = (last.isalpha() and len(last) > 1 and last not in _FILES) or last.startswith("xn--")
    return is_host and suffixes().privatesuffix(bare) != site


def _has_secret(note: str) -> bool:
    text = _DATE.sub(" ", unicodedata.normalize("NFKC", note))
    return bool(_DIGITS.search(text) or _TOKEN.search(text)) or "secret" in kinds_of_field(text, "")


def _is_order(line: str) -> bool:
    """Whether a folded text names an act with an effect, consent or an agent, or has the words of an order."""
    anywhere, first, last, stating = _order_words()
    if any(hit.concept.startswith(_ORDERING) for hit in lexicon().find(stating.sub(" ", line))):
        return True
    text = stating.sub(" ", plain(line))
    if anywhere.search(text):
        return True
    parts = [part.strip(" \"'«»“”„:-–") for part in re.split(r"[,:;–—(]| - ", " . ".join(sentences(text)))]
    return any(first.match(part) or last.search(part) for one in parts for part in one.split(" . ") if part)


@cache
def _order_words() -> tuple[re.Pattern[str], ...]:
    """Of `anywhere`, `first`, `last` and `stating`, as `orders.toml` describes them."""
    data = tomllib.loads(Path(__file__).with_name("orders.toml").read_text(encoding="utf-8"))

    def words(name: str) -> Iterator[str]:
        for language in data.values():
            yield from map(_pattern, language.get(name, ()))

    anywhere, first, last, stating = (
        "|".join(words(name)) for name in ("anywhere", "first", "last", "stating")
    )
    leads, ends = rf"(?:\d+[.)]?\s*)?(?:{first})", rf"(?:{last})[.!]?$"
    return re.compile(anywhere), re.compile(leads), re.compile(ends), re.compile(stating)


def _pattern(word: str) -> str:
    """A word as it stands in a folded text, in which letters that look alike are one."""
    parts = (re.escape(plain(fold(part))).replace(r"\ ", r"\W+") for part in word.split("*"))
    body = r"\w*".join(parts)
    return body if is_dense(word) or "\uac00" <= word[0] <= "\ud7af" else rf"\b{body}\b"


def runs_of(text: str) -> set[tuple[str, ...]]:
    """Each `RUN_WORDS` words that follow one another; in scripts without spaces each sign is one."""
    words = _WORD_RUN.findall(unicodedata.normalize("NFKC", text).casefold())
    size = min(RUN_WORDS, len(words))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)} if words else set()
