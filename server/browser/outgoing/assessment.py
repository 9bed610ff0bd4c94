"""Judges a request that an act has set off, before it leaves. Pure, well under a millisecond.

The site's own programmers have named it for the site's own server: the words of path, parameters, fields and
operations say what it does, whatever the page says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from server.browser.outgoing.message import MESSAGE
from server.browser.outgoing.request import BodyShape, OutgoingRequest
from server.browser.outgoing.words import (
    BASKET_KEYS,
    EDITS,
    EFFECTS,
    HARMLESS,
    HARMLESS_OBJECTS,
    OBJECTS,
    QUERY_WORDS,
    READS,
    SELECTORS,
    SENDING,
    SIGNALS,
    SUBMITS,
    TELEMETRY,
    TELEMETRY_PATHS,
    WRAPPERS,
    word_set,
    words_of,
)
from wording.catalogue import ENGLISH, Wording, joined, sentence, sentences, shortened

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH", "QUERY", "TRACE"})
UNKNOWN_KIND = "unknown_submit"
NOT_NAMED = "it is not known what this does"
_FIRST_OF_ADDRESSES = word_set(
    "delete del remove destroy erase cancel close unsubscribe subscribe approve reject decline accept "
    "confirm send transfer pay vote revoke disable deactivate purge buy order publish block ban kick "
    "unlock trash"
)
_NO_BINDING = re.compile(r"^(utm_|fbclid|gclid|ref$|lang$|locale$|source$|tab$|page$|q$|query$|next$)")
_TEXT_FILE = re.compile(r"\.(?:html?|md|txt|pdf)$")
_MAX_WORDS = 3
"""Words of a path segment that names an act; more are the title of a page."""


@dataclass(frozen=True, slots=True)
class ActPage:
    """What is known of the page on which an act is performed."""

    site: str = ""
    is_private: bool = False
    """The person is logged in there, or something private was seen."""
    is_doubted: bool = False
    """As `ActTerms.is_doubted`."""
    custom: Collection[str] = ()
    """`OutgoingRequest.shape` of what its site has sent without an act."""


class Approved(BaseModel, frozen=True):
    """What was approved of an act: effects of these kinds on these sites. By default nothing is."""

    kinds: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()
    """As `OutgoingRequest.site`."""
    by_grant: bool = False
    bound: frozenset[str] = frozenset()
    """`HeldRequest.binding` of what exactly was asked about; empty if the act was, as the page shows it."""

    def covers(
        self, site: str, kind: str, binding: str, sent: Collection[str], *, is_repeated: bool = False
    ) -> bool:
        """Whether a request may leave; `sent` are the kinds of what the act has sent already, perhaps this very one.

        The first effect is what the person was asked about, however it is named. Further ones, and all that a grant
        allows, have to be of a kind that belongs to what was approved.
        """
        if not self.kinds or site not in self.sites:
            return False
        if self.bound and (is_repeated or not sent):
            return binding in self.bound and not is_repeated
        belongs = self.kinds.union(*(_NEAR.get(one, frozenset()) for one in self.kinds), sent)
        return (not sent and not self.by_grant) or kind == UNKNOWN_KIND or kind in belongs


_NEAR = {
    "order": frozenset({"pay"}), "pay": frozenset({"order"}),
    "send": frozenset({"publish"}), "publish": frozenset({"send"}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hold:
    """The request has an effect of this kind. `why` are the words that say so."""

    kind: str
    why: str


def assess_request(request: OutgoingRequest, page: ActPage) -> Hold | None:
    """The effect for which it is held unless that was approved; None lets it pass. `page` is that of the act."""
    if request.method in SAFE:
        may_act = request.type == "Document" or page.is_doubted or _has_mutation(request)
        return _effect_of_address(request) if may_act else None
    is_foreign = request.site != page.site and not request.has_authorization
    is_message = request.method == MESSAGE
    if not is_message and (_is_telemetry(request) or (is_foreign and request.type == "Ping")):
        return None
    named = _of_message(request.body) if is_message else _by_words(request)
    if named is not None:
        return named if named.kind else None
    is_excused = not page.is_doubted and not (page.is_private and request.body.is_opaque)
    if is_foreign or (request.shape in page.custom and is_excused):
        return None
    return Hold(_guessed(request), NOT_NAMED)


def _has_mutation(request: OutgoingRequest) -> bool:
    return any(value.lstrip().startswith("mutation") for name, value in request.parameters if name == "query")


def _is_telemetry(request: OutgoingRequest) -> bool:
    segments = request.segments
    if any(segment.lower() in TELEMETRY for segment in segments[-2:]):
        return True
    return TELEMETRY_PATHS.search("/" + "/".join(segments)) is not None and not request.body.selectors


def _by_words(request: OutgoingRequest) -> Hold | None:
    """What the words say: an effect, nothing (`kind` ""), or None if they do not show it."""
    harmless = Hold("", "")
    if request.body.operations:
        return _of_operations(request.body)
    for texts in _in_order(request):
        if (found := _of_texts(texts)) is not None:
            return found
    return _of_texts(request.segments, request.method) or (harmless if _fills_basket(request) else None)


def _of_message(body: BodyShape) -> Hold | None:
    """As `_by_words`; the path of a socket names its channel only."""
    if body.kind == "none":
        return Hold("", "")
    if body.operations:
        return _of_operations(body)
    said = [value for _, value in body.selectors]
    of_said = [(value, words_of(value)) for value in said]
    if any(_is_signal(words) for _, words in of_said) and all(
        _is_signal(words) or WRAPPERS.issuperset(words) for _, words in of_said
    ):
        return Hold("", "")
    if said in (["complete"], ["stop"]) and set(body.keys) == {
        "id",
        "type",
    }:  # GraphQL's end of a subscription
        return Hold("", "")
    plain = WRAPPERS | SENDING
    specific = _of_texts([value for value, words in of_said if not plain.issuperset(words)])
    sending = [value for value, words in of_said if not SENDING.isdisjoint(words)]
    return specific or _of_texts(sending) or (None if said else _of_texts(body.keys))


def _is_signal(words: Sequence[str]) -> bool:
    others = [word for word in words if word not in SIGNALS and word not in WRAPPERS and word not in SENDING]
    is_named = bool(words) and (words[0] in SIGNALS or words[-1] in SIGNALS)
    return is_named and not any(word in EFFECTS or word in OBJECTS for word in others)


def _fills_basket(request: OutgoingRequest) -> bool:
    last = words_of(request.segments[-1]) if request.segments else ()
    words = {word for key in request.body.keys for word in words_of(key)} - _FORMALITIES
    return "add" in last and bool(words) and words <= BASKET_KEYS


def _in_order(request: OutgoingRequest) -> Iterator[Sequence[str]]:
    """The texts that say what is done, the most specific first."""
    selectors = [value for name, value in request.parameters if name.lower() in SELECTORS]
    selectors += [value for _, value in request.body.selectors]
    methods = [value for value in selectors if value.upper() in ("DELETE", "PUT", "PATCH", "POST")]
    yield [value for value in selectors if value not in methods]
    keys = [key for key in request.body.keys if request.body.kind == "form" and _begins_with_effect(key)]
    if not any(word in HARMLESS_OBJECTS for one in request.segments for word in words_of(one)):
        yield keys
    names = [
        name for name, value in request.parameters if _begins_with_effect(name) and len(words_of(name)) <= 2
    ]
    yield names
    if "DELETE" in (value.upper() for value in methods):
        yield [*request.segments, "delete"]


def _begins_with_effect(key: str) -> bool:
    words = words_of(key)
    return bool(words) and words[0] in EFFECTS and words[0] in _FIRST_OF_ADDRESSES


def _of_operations(body: BodyShape) -> Hold:
    held = [hold for one in body.operations if (hold := _of_operation(one.kind, one.names))]
    return held[0] if held else Hold("", "")


def _of_operation(kind: str, names: Sequence[str]) -> Hold | None:
    if kind in ("query", "subscription"):
        return None
    found = [one for name in names if (one := _of_words(words_of(name))) is not None]
    named = next((one for one in found if one.kind), None)
    if named or (found and all(not one.kind for one in found)):
        return named
    return Hold(
        _kind_of(words for name in names for words in words_of(name)),
        f"changes: {names[0] if names else '?'}",
    )


def _of_texts(texts: Sequence[str], method: str = "") -> Hold | None:
    """Read from the last text to the first: `drafts/send` sends, `orders/search` searches."""
    pending: str | None = "delete" if method == "DELETE" else None
    for text in reversed(texts):
        words = words_of(text)
        if (found := _of_words(words)) is not None:
            return Hold(pending, found.why or text) if pending and found.kind else found
        if pending is None and "delete" in words:
            pending = "delete"
    last = next((one for one in reversed(texts) if any(word in OBJECTS for word in words_of(one))), "")
    return Hold(pending, f"delete {last}".strip()) if pending else None


def _of_words(words: Sequence[str]) -> Hold | None:
    """What one segment or name says."""
    if not words:
        return None
    if (words[0] in READS and words[0] not in EFFECTS) or words[-1] in QUERY_WORDS:
        return Hold("", "")
    submits = next((word for word in words if word in SUBMITS), None)
    if any(word in HARMLESS_OBJECTS for word in words):
        return Hold(EFFECTS.get(submits, UNKNOWN_KIND), " ".join(words)) if submits else Hold("", "")
    if effect := next((word for word in words if word in EFFECTS and word not in EDITS), None):
        return Hold(EFFECTS[effect], " ".join(words))
    if any(word in HARMLESS for word in words):
        return Hold("", "")
    if noun := next((word for word in words if word in OBJECTS and word not in EDITS), None):
        return Hold(OBJECTS[noun], " ".join(words))
    return None


def _kind_of(words: Iterable[str]) -> str:
    return next((kind for word in words if (kind := EFFECTS.get(word) or OBJECTS.get(word))), UNKNOWN_KIND)


def _guessed(request: OutgoingRequest) -> str:
    """The kind of an effect that no word of path and operation names: by the names of what is sent."""
    return (
        "delete"
        if request.method == "DELETE"
        else _kind_of(w for key in request.body.keys for w in words_of(key))
    )


def _effect_of_address(request: OutgoingRequest) -> Hold | None:
    """Opening an address acts if it names an act as a whole segment, or parameter, and what it is done to."""
    parameters = request.parameters
    for name, value in parameters:
        if name == "query" and value.lstrip().startswith("mutation"):
            return Hold(UNKNOWN_KIND, "mutation")
        if name.lower() in SELECTORS and (kind := _verb_of(value)):
            return Hold(kind, f"{name}={value}")
        if kind := _verb_of(name):
            return Hold(kind, name)
    is_bound = any(not _NO_BINDING.match(name) for name, _ in parameters)
    segments = request.segments
    for at, segment in enumerate(segments):
        kind = _verb_of(segment)
        if not kind or (_TEXT_FILE.search(segment) and not is_bound):
            continue
        before, after = segments[:at], segments[at + 1 :]
        has_id = any(re.search(r"\d", one) for one in before) or (len(before) > 1 and _is_opaque(before[-1]))
        follows = len(after) == 1 and len(words_of(segment)) <= 2 and _is_opaque(after[0])
        if (not after and (is_bound or has_id)) or follows or ";" in request.url:
            return Hold(kind, segment)
    return None


def _is_opaque(segment: str) -> bool:
    """Whether a segment is an identifier and no word of an address."""
    return not any(
        word in EFFECTS or word in OBJECTS or word in HARMLESS or word in EDITS for word in words_of(segment)
    )


def _verb_of(text: str) -> str:
    words = words_of(text)
    if not 0 < len(words) <= _MAX_WORDS:
        return ""
    return next(
        (EFFECTS[word] for word in (words[0], words[-1]) if word in _FIRST_OF_ADDRESSES and word in EFFECTS),
        "",
    )


_FORMALITIES = word_set("csrf token nonce utf id key authenticity csrfmiddlewaretoken version variables")
_MAX_NAMED = 4


def in_words(request: OutgoingRequest, hold: Hold) -> Wording:
    """What it would do, for a person: `invite member to shop.example (role, email)`. Names only, no values."""
    names = [name for one in request.body.operations for name in one.names] or [hold.why.rpartition("=")[2]]
    words = [word for word in words_of(names[0]) if word not in READS]
    if words and not any(word in EFFECTS for word in words):
        first = {"DELETE": "delete", "PUT": "change", "PATCH": "change"}.get(request.method, "new")
        words = words if first in words or request.body.operations else [first, *words]
    what = (
        joined(map(_act_word, words))
        if words and hold.why != NOT_NAMED
        else Wording(f"{request.method} {'/'.join(request.segments[-2:])}")
    )
    named = [" ".join(words_of(key)) for key in request.body.keys]
    shown = [name for name in dict.fromkeys(named) if name and not _FORMALITIES & set(name.split())][
        :_MAX_NAMED
    ]
    act, fields = shortened(what, 80), shortened(joined(map(_field_word, shown), ", "), 120)
    if not fields:
        return sentence("held.request", act=act, host=request.host)
    return sentence("held.request_with", act=act, host=request.host, fields=fields)


def _act_word(word: str) -> Wording:
    known = _known("held_act", word)
    return sentence(f"held_act.{known}", word=word) if known else Wording(word)


def _field_word(word: str) -> Wording:
    known = _known("held_field", word)
    return sentence(f"held_field.{known}", word=word) if known else Wording(word)


def _known(group: str, word: str) -> str | None:
    """The word as the catalogue has it, perhaps without the `s` of a plural."""
    forms = (word, word.removesuffix("s"))
    return next((form for form in forms if f"{group}.{form}" in sentences(ENGLISH)), None)
