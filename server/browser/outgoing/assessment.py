"""Judges a request that an act has set off, before it leaves. Pure, well under a millisecond.

The site's own programmers have named it for the site's own server: the words of path, parameters, fields and
operations say what it does, whatever the page says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pydantic import BaseModel

from server.browser.outgoing.message import MESSAGE
from server.browser.outgoing.request import BodyShape, Operation, OutgoingRequest
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
from server.browser.sent import SAFE_METHODS
from wording.catalogue import ENGLISH, Wording, joined, sentence, sentences, shortened

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
    is_typing: bool = False
    """As `ActTerms.is_typing`."""
    custom: Collection[str] = ()
    """`OutgoingRequest.shape` of what its site has sent without an act."""

    def is_foreign_to(self, request: OutgoingRequest) -> bool:
        return request.site != self.site and not request.has_authorization

    def is_used_to(self, request: OutgoingRequest) -> bool:
        """Whether its pages send the like by themselves; what is typed and not sent, many keep in the background."""
        is_hidden = self.is_private and request.body.is_opaque
        is_custom = request.shape in self.custom and not is_hidden
        is_kept = self.is_typing and request.type != "Document" and request.method != "DELETE"
        is_form = request.body.kind == "files" and bool(request.body.keys)  # as scripts send any form
        return (is_custom or (is_kept and (is_form or not is_hidden))) and not self.is_doubted


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
        belongs = not self.kinds.isdisjoint((kind, *_NEAR.get(kind, ())))
        return belongs or kind in (UNKNOWN_KIND, *sent) or (not sent and not self.by_grant)


_NEAR = {"order": ("pay",), "pay": ("order",), "send": ("publish",), "publish": ("send",)}


@dataclass(frozen=True, slots=True)
class Hold:
    """The request has an effect of this kind. `why` are the words that say so."""

    kind: str
    why: str


_NO_EFFECT = Hold("", "")
"""What the words say of a request that only reads; None stands for words that say nothing."""
_PARTS_OF_SITES = frozenset({"admin"})
"""First segments of paths that say where on a site a page is, not what is done: `/admin/pages/4/edit`."""
_EDITORS = frozenset({"session", "sessions", "lease", "leases"})
_ENVELOPES = WRAPPERS | SENDING
_SPEAKING = HARMLESS.union(EDITS, EFFECTS, OBJECTS)
_PURE_READS = READS.difference(EFFECTS)
_MAKES_EMPTY = frozenset({"MKCOL", "MKCALENDAR"})
"""Methods of WebDAV that make an empty folder, and fail where there is one."""
_METHODS = frozenset({"DELETE", "PUT", "PATCH", "POST"})


def assess_request(request: OutgoingRequest, page: ActPage) -> Hold | None:
    """The effect for which it is held unless that was approved; None lets it pass. `page` is that of the act."""
    if request.method in SAFE_METHODS:
        may_act = request.type == "Document" or page.is_doubted or any(map(_is_mutation, request.parameters))
        return _effect_of_address(request) if may_act else None
    if request.method in _MAKES_EMPTY and not page.is_doubted:
        return None
    is_foreign = page.is_foreign_to(request)
    named = _of_message(request.body) if request.method == MESSAGE else _by_words(request, is_foreign)
    if named is not None:
        return named if named.kind else None
    is_usual = is_foreign or page.is_used_to(request)
    return None if is_usual else Hold(_guessed(request), NOT_NAMED)


def only_reads(request: OutgoingRequest) -> bool:
    """Whether its own words say that it has no effect."""
    return _by_words(request, is_foreign=False) == _NO_EFFECT


def _is_mutation(parameter: tuple[str, str]) -> bool:
    name, value = parameter
    return name == "query" and value.lstrip().startswith("mutation")


def _is_telemetry(request: OutgoingRequest, is_foreign: bool) -> bool:
    segments = request.segments
    if (is_foreign and request.type == "Ping") or any(one.lower() in TELEMETRY for one in segments[-2:]):
        return True
    return TELEMETRY_PATHS.search("/" + "/".join(segments)) is not None and not request.body.selectors


def _by_words(request: OutgoingRequest, is_foreign: bool) -> Hold | None:
    """What the words say: an effect, `_NO_EFFECT`, or None if they do not show it."""
    if _is_telemetry(request, is_foreign):
        return _NO_EFFECT
    if request.body.operations:
        return _of_operations(request.body)
    named = next(filter(None, map(_of_texts, _in_order(request))), None)
    named = named or _of_texts(request.segments, request.method)
    return named or (_NO_EFFECT if _fills_basket(request) else None)


def _of_message(body: BodyShape) -> Hold | None:
    """As `_by_words`; the path of a socket names its channel only."""
    if body.operations:
        return _of_operations(body)
    said = [value for _, value in body.selectors]
    if body.kind == "none" or _keeps_channel(said, body.keys):
        return _NO_EFFECT
    specific = _of_texts([value for value in said if not _ENVELOPES.issuperset(words_of(value))])
    sending = _of_texts([value for value in said if not SENDING.isdisjoint(words_of(value))])
    return specific or sending or (None if said else _of_texts(body.keys))


def _keeps_channel(said: Sequence[str], keys: Sequence[str]) -> bool:
    """Signals, perhaps wrapped, or GraphQL's end of a subscription."""
    words = [words_of(value) for value in said]
    if any(map(_is_signal, words)) and all(_is_signal(one) or WRAPPERS.issuperset(one) for one in words):
        return True
    return said in (["complete"], ["stop"]) and set(keys) == {"id", "type"}


def _is_signal(words: Sequence[str]) -> bool:
    others = set(words) - SIGNALS - _ENVELOPES
    is_named = bool(words) and not SIGNALS.isdisjoint((words[0], words[-1]))
    return is_named and others.isdisjoint(EFFECTS) and others.isdisjoint(OBJECTS)


def _fills_basket(request: OutgoingRequest) -> bool:
    words = set(_all_words(request.body.keys)) - _FORMALITIES
    return "add" in _all_words(request.segments[-1:]) and bool(words) and words <= BASKET_KEYS


def _in_order(request: OutgoingRequest) -> Iterator[Sequence[str]]:
    """The texts that say what is done, the most specific first."""
    selectors = [value for name, value in request.parameters if name.lower() in SELECTORS]
    selectors += [value for _, value in request.body.selectors]
    yield [value for value in selectors if value.upper() not in _METHODS]
    if request.body.kind == "form" and HARMLESS_OBJECTS.isdisjoint(_all_words(request.segments)):
        yield [key for key in request.body.keys if _begins_with_effect(key)]
    names = [name for name, _ in request.parameters if len(words_of(name)) <= 2]
    yield [name for name in names if _begins_with_effect(name)]
    if "DELETE" in map(str.upper, selectors):
        yield [*request.segments, "delete"]


def _all_words(texts: Iterable[str]) -> Iterator[str]:
    return chain.from_iterable(map(words_of, texts))


def _begins_with_effect(key: str) -> bool:
    words = words_of(key)
    return bool(words) and words[0] in EFFECTS and words[0] in _FIRST_OF_ADDRESSES


def _of_operations(body: BodyShape) -> Hold:
    return next(filter(None, map(_of_operation, body.operations)), _NO_EFFECT)


def _of_operation(operation: Operation) -> Hold | None:
    if operation.kind in ("query", "subscription"):
        return None
    names = operation.names
    if found := [*filter(None, map(_of_words, map(words_of, names)))]:
        return next((one for one in found if one.kind), None)
    return Hold(_kind_of(_all_words(names)), f"changes: {names[0] if names else '?'}")


def _of_texts(texts: Sequence[str], method: str = "") -> Hold | None:
    """Read from the last text to the first: `drafts/send` sends, `orders/search` searches."""
    deletes = method == "DELETE"
    places = [*texts[1:]] if len(texts) > 1 and texts[0].lower() in _PARTS_OF_SITES else texts
    for at, text in reversed([*enumerate(places)]):
        words = words_of(text)
        if words[-1:] == ("release",) and _is_of_editor(places[:at]):
            return _NO_EFFECT
        if found := _of_words(words):
            return Hold("delete", found.why or text) if deletes and found.kind else found
        deletes = deletes or "delete" in words
    last = next((one for one in reversed(texts) if not OBJECTS.keys().isdisjoint(words_of(one))), "")
    return Hold("delete", f"delete {last}".strip()) if deletes else None


def _is_of_editor(before: Sequence[str]) -> bool:
    """`editing-sessions/release/7`: others may edit again what this page has shown."""
    return bool(before) and not _EDITORS.isdisjoint(words_of(before[-1]))


def _of_words(words: Sequence[str]) -> Hold | None:
    """What one segment or name says."""
    if not words:
        return None
    if words[0] in _PURE_READS or words[-1] in QUERY_WORDS:
        return _NO_EFFECT
    said, plain = " ".join(words), [word for word in words if word not in EDITS]
    if not HARMLESS_OBJECTS.isdisjoint(words):
        submit = _first_of(SUBMITS, words)
        return Hold(EFFECTS.get(submit, UNKNOWN_KIND), said) if submit else _NO_EFFECT
    if effect := _first_of(EFFECTS, plain):
        return Hold(EFFECTS[effect], said)
    if not HARMLESS.isdisjoint(words):
        return _NO_EFFECT
    noun = _first_of(OBJECTS, plain)
    return Hold(OBJECTS[noun], said) if noun else None


def _first_of(known: Collection[str], words: Iterable[str]) -> str:
    return next((word for word in words if word in known), "")


def _kind_of(words: Iterable[str]) -> str:
    return next((kind for word in words if (kind := EFFECTS.get(word) or OBJECTS.get(word))), UNKNOWN_KIND)


def _guessed(request: OutgoingRequest) -> str:
    """The kind of an effect that no word of path and operation names: by the names of what is sent."""
    return "delete" if request.method == "DELETE" else _kind_of(_all_words(request.body.keys))


def _effect_of_address(request: OutgoingRequest) -> Hold | None:
    """Opening an address acts if it names an act as a whole segment, or parameter, and what it is done to."""
    return next(chain(_acts_in_query(request), _acts_in_path(request)), None)


def _acts_in_query(request: OutgoingRequest) -> Iterator[Hold]:
    for name, value in request.parameters:
        if _is_mutation((name, value)):
            yield Hold(UNKNOWN_KIND, "mutation")
        if name.lower() in SELECTORS and (kind := _verb_of(value)):
            yield Hold(kind, f"{name}={value}")
        if kind := _verb_of(name):
            yield Hold(kind, name)


def _acts_in_path(request: OutgoingRequest) -> Iterator[Hold]:
    is_bound = any(not _NO_BINDING.match(name) for name, _ in request.parameters)
    segments = request.segments
    for at, segment in enumerate(segments):
        kind = _verb_of(segment)
        if not kind or (_TEXT_FILE.search(segment) and not is_bound):
            continue
        if ";" in request.url or _has_object(segments, at, is_bound):
            yield Hold(kind, segment)


def _has_object(segments: Sequence[str], at: int, is_bound: bool) -> bool:
    """Whether an address names what the act of one of its segments is done to."""
    before, after = segments[:at], segments[at + 1 :]
    if after:
        return len(after) == 1 and len(words_of(segments[at])) <= 2 and _is_opaque(after[0])
    has_number = any(re.search(r"\d", one) for one in before)
    return is_bound or has_number or (len(before) > 1 and _is_opaque(before[-1]))


def _is_opaque(segment: str) -> bool:
    """Whether a segment is an identifier and no word of an address."""
    return _SPEAKING.isdisjoint(words_of(segment))


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
    named = dict.fromkeys(" ".join(words_of(key)) for key in request.body.keys)
    shown = [name for name in named if name and _FORMALITIES.isdisjoint(name.split())][:_MAX_NAMED]
    act, fields = shortened(_act(request, hold), 80), shortened(joined(map(_field_word, shown), ", "), 120)
    if not fields:
        return sentence("held.request", act=act, host=request.host)
    return sentence("held.request_with", act=act, host=request.host, fields=fields)


def _act(request: OutgoingRequest, hold: Hold) -> Wording:
    operations = request.body.operations
    names = [name for one in operations for name in one.names] or [hold.why.rpartition("=")[2]]
    words = [word for word in words_of(names[0]) if word not in READS]
    if not words or hold.why == NOT_NAMED:
        return Wording(f"{request.method} {'/'.join(request.segments[-2:])}")
    verb = {"DELETE": "delete", "PUT": "change", "PATCH": "change"}.get(request.method, "new")
    if not operations and verb not in words and EFFECTS.keys().isdisjoint(words):
        words = [verb, *words]
    return joined(map(_act_word, words))


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
