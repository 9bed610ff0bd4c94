"""The first title of a session, from the words of its first message. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

from server.store.german_titles import GERMAN_SITE, OPENS_GERMAN, asked_in_german, german_task
from server.text import cut, cut_whole, split_attached

TITLE_LENGTH = 80
MAX_DIGITS = 9
"""Of the number of a title."""
TITLE_READ_CHARS = 1000
"""Of the first line, from which the title is made: the patterns below take quadratic time."""

_TITLE_ADDRESS = re.compile(r"(?:https?://|localhost(?=[:/]))[^\s,;»”\"')]*[^\s,;»”\"').!?]", re.IGNORECASE)
_OPENS = re.compile(
    r"(?:please |пожалуйста,? )?(?P<verb>open|go to|visit|navigate to|открой(?:те)?|перейди(?:те)? на|зайди(?:те)? на)"
    r"(?: the)?(?: page| article| site| страницу| статью| сайт)?(?: at| on| по адресу)?:? \x00(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_JOINT = re.compile(r"^[\s,;.]*(?:(?:and|then|и|а|потом|затем|und|dann|danach)\b[\s,]*)*", re.IGNORECASE)
_TELL = re.compile(r"^(?:tell me|say|скажи(?:те)?(?: мне)?|расскажи(?:те)?(?: мне)?),?\s+", re.IGNORECASE)
_SAYS_TASK = re.compile(r"^what (?:it|the (?:page|article|text|site)) says? about\s+", re.IGNORECASE)
_SAYS_RUSSIAN = re.compile(
    r"^что (?:там |в (?:ней|н[её]м) )?(?:она |он |написано |сказано |говорится |говорит )+(?=об? )",
    re.IGNORECASE,
)
_POLITE_ENDING = re.compile(r"\w+те\b", re.IGNORECASE)
_ASKS_RUSSIAN = re.compile(
    r"^(?:кто|что|где|когда|куда|откуда|как\w*|почему|зачем|сколько|чей|чья|ч[её]м|о ч[её]м)\b|^\S+ ли\b",
    re.IGNORECASE,
)
_NEXT_PAGE = re.compile(
    r"[\s,;.]*(?:\b(?:and|then|after that|и|а|потом|затем|und|dann|danach)\b[\s,]*)*"
    r"(?:open|go to|visit|navigate to|открой(?:те)?|перейди(?:те)? на|зайди(?:те)? на"
    r"|öffnen?|gehen? (?:auf|zu)|besuchen?)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NEXT_STEP = re.compile(r"\s*(?:[,;]|\b(?:and|then|и|потом|затем|und|dann|danach)\b)[\s,]*", re.IGNORECASE)
_QUOTED_TEXT = re.compile(r"„[^“]*“|“[^”]*”|«[^»]*»|\"[^\"]*\"")
_FILLS = re.compile(
    r"(?:type|enter|fill|select|choose|wait|scroll|введи|заполни|выбери|напиши|подожди|прокрути"
    r"|tippe|gib|trage|fülle|wähle|schreibe|warte|scrolle)\w*\b",
    re.IGNORECASE,
)
_READ_TASK = re.compile(
    r"(?:read|прочитай(?:те)?|lies) (?:it|the page|страницу|её|sie|die Seite)", re.IGNORECASE
)
_CLICKS = re.compile(
    r"(?P<verb>click|press|нажми(?:те)?|klicken?(?: Sie)?)(?: on| the| на| auf)? (?P<what>.+)", re.IGNORECASE
)
_CYRILLIC_LETTER = re.compile("[а-яё]", re.IGNORECASE)
_HOMES = frozenset({"localhost", "127.0.0.1", "[::1]", "0.0.0.0"})
_TITLE_NUMBER = re.compile(r" \((\d{1,9})\)$")
_PAGE_ENDING = re.compile(r"\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)


def title_of(content: str) -> str:
    """The first non-empty line of the message, cut to TITLE_LENGTH, with sites in place of addresses.

    A message that opens a page is named by what is to be done there and by the site: "Read the article on
    localhost". The names of attached files are no part of it.
    """
    words = split_attached(content)[0] or content
    first = next((line for line in words.split("\n") if line.strip()), "")
    line, is_german = asked_in_german(" ".join(first.split())[:TITLE_READ_CHARS])
    addresses = _TITLE_ADDRESS.findall(line)
    if not addresses:
        return cut(line, TITLE_LENGTH)
    masked = _TITLE_ADDRESS.sub("\x00", line, count=1)
    opens_german = OPENS_GERMAN.match(masked)
    if match := opens_german or _OPENS.match(masked):
        rest = _JOINT.sub("", match["rest"])
        is_german = bool(opens_german)
        if len(addresses) > 1:
            rest = _NEXT_PAGE.sub("", rest)
        rest = rest.strip().rstrip(".!")
        rest = german_task(rest) if is_german else _task(rest)
        pages = list(dict.fromkeys(map(_page, addresses)))
        rest, is_click = _outcome(rest)
        if rest and all(pages) and (len(pages) > 1 or is_click):
            rest = f"{rest}: {', '.join(pages)}"
        verb = "Öffne" if is_german else match["verb"].split()[0]
        did = rest or f"{verb} {_page(addresses[0])}".strip()
        site = _site(addresses[0])
        ending = (
            ""
            if not rest and not _page(addresses[0])
            else f" {GERMAN_SITE if is_german else 'на' if _CYRILLIC_LETTER.search(line) else 'on'} {site}"
        )
        said = f"{did}{ending}" if ending else f"{did} {site}"
        if did.endswith("?"):
            ending = f"{ending or f' {site}'}?"
            said = did.rstrip("?") + ending
    else:
        said, ending = masked.replace("\x00", _site(addresses[0])), ""
    said = _TITLE_ADDRESS.sub(lambda found: _site(found[0]), said)
    if ending and len(said) > TITLE_LENGTH:
        said = cut(said.removesuffix(ending), TITLE_LENGTH - len(ending)) + ending
    return cut(said[:1].upper() + said[1:], TITLE_LENGTH)


def _task(words: str) -> str:
    """What is to be done, with a verb also where only a question or a thing was named: in the imperative, as people ask."""
    asked = _TELL.sub("", words)
    if asked == words:
        return words
    if _CYRILLIC_LETTER.search(asked):
        polite = "те" if _POLITE_ENDING.match(words) else ""
        said = _SAYS_RUSSIAN.sub("", asked)
        if said and said != asked:
            return f"Прочитай{polite} {said}"
        return f"Узнай{polite}{',' * bool(_ASKS_RUSSIAN.match(asked))} {asked}" if said else asked
    return f"Read about {_SAYS_TASK.sub('', asked)}" if _SAYS_TASK.match(asked) else f"Find {asked}"


def _outcome(words: str) -> tuple[str, bool]:
    """What several steps are for, and whether it is a click: "Place order" of "type Ada into Name, click Place order".

    The words themselves where that is not clear.
    """
    quoted = [match.span() for match in _QUOTED_TEXT.finditer(words)]
    ends = [
        end.span() for end in _NEXT_STEP.finditer(words) if not any(a <= end.start() < b for a, b in quoted)
    ]
    steps = [
        words[begin:end]
        for begin, end in zip([0, *(b for _, b in ends)], [*(a for a, _ in ends), len(words)], strict=True)
        if begin < end
    ]
    kept = [step for step in steps if not _FILLS.match(step) and not _READ_TASK.fullmatch(step)]
    if len(steps) < 2 or len(kept) != 1:
        return words, False
    clicked = _CLICKS.fullmatch(kept[0])
    if not clicked:
        return kept[0], False
    label = clicked["what"].strip('„“”«»"')
    # Buttons have the imperative as their name in English, and the infinitive in Russian and German.
    return (f"{clicked['verb']} «{label}»" if _CYRILLIC_LETTER.search(label) else label), True


def _site(address: str) -> str:
    """The host as people name it: without port, `www.` and, for this machine, without number."""
    host = (urlsplit(address if "//" in address else f"http://{address}").netloc.rpartition("@")[2]).lower()
    name = re.sub(r":\d*$", "", host).removeprefix("www.")
    return "localhost" if name in _HOMES else name


def _page(address: str) -> str:
    """The last part of the path as words; "" for a start page or a number."""
    path = urlsplit(address if "//" in address else f"http://{address}").path
    name = _PAGE_ENDING.sub("", path.rstrip("/").rpartition("/")[2])
    words = re.sub(r"[-_+]+", " ", name)
    return words if re.fullmatch(r"[^\W\d_][\w ]{1,40}", words) and words.lower() != "index" else ""


def without_number(title: str) -> str:
    """The title of a session as another one may have it, too: `Kettles` of `Kettles (3)`."""
    return _TITLE_NUMBER.sub("", title)


def numbered(title: str, taken: Collection[str]) -> str:
    """The title, with the lowest number from 2 that distinguishes it from those that are taken."""
    if not title or title not in taken:
        return title
    ways = (with_number(title, number) for number in range(2, len(taken) + 3))
    return next(way for way in ways if way not in taken)


def with_number(title: str, number: int) -> str:
    ending = f" ({number})"
    return cut(title, TITLE_LENGTH - len(ending)) + ending


def number_of(way: str, title: str) -> int | None:
    """The number with which the title became this one, 1 if it is the title itself; None for another title."""
    if way == title:
        return 1
    found = _TITLE_NUMBER.search(way)
    number = int(found[1]) if found else 0
    return number if number > 1 and way == with_number(title, number) else None


def pattern_of(title: str) -> str:
    """The title with any number, for LIKE with the escape character `/`."""
    most = TITLE_LENGTH - MAX_DIGITS - 3
    known = title if len(title) <= most else cut_whole(title, most - 1)
    return re.sub(r"[/%_]", r"/\g<0>", known) + ("" if known == title else "%") + " (%)"


def is_first_title(title: str, content: str) -> bool:
    """Whether the session still has the title that its first message gave it."""
    first = title_of(content)
    bare = re.sub(r" \(\d+\)$", "", title)
    return title == first or (bare != title and (bare == first or bare == cut(first, len(bare))))
