"""Check addresses: scheme, host, effects that opening the address would have, evidence in its path."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, unquote_plus

from server.agent.policy.lexicon import lexicon
from server.agent.policy.text import fold

_URL_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_IGNORED_SIGNS = re.compile(r"[\t\r\n]")
_EDGES = "".join(map(chr, range(0x21)))
_HOST_WITH_PORT = re.compile(r"[^/?#@:]+:\d+(?:[/?#]|$)")
_KNOWN_SCHEMES = (
    "javascript",
    "data",
    "file",
    "blob",
    "vbscript",
    "chrome",
    "about",
    "view-source",
    "devtools",
    "ftp",
    "mailto",
    "tel",
    "sms",
)
_IP_NUMBER = re.compile(r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}")
_PATH_EFFECTS = {
    "delete": "delete remove destroy erase purge trash wipe reset",
    "pay": "pay buy purchase transfer withdraw donate charge",
    "send": "send invite vote",
    "publish": "publish tweet unpublish",
    "account": "subscribe revoke grant authorize deactivate disable enable logout signout",
    "end": "cancel unsubscribe terminate",
    "system": "deploy restart reboot shutdown execute run kill",
    "approve": "approve reject accept decline confirm",
}
_PHRASE_EFFECTS = {"close account": "account", "log out": "account", "sign out": "account", "reset password": "account",
            "place order": "order", "book now": "order", "post message": "send", "post comment": "publish"}  # fmt: skip
_ALWAYS = {"logout", "signout", "log out", "sign out"}
"""What takes effect at an address without a number or a query, too."""
_BINDS = ("delete", "approve", "account", "end")
"""Kinds of effects whose verb next to any name (`/approve/abcd`) acts on it; a shop's `/buy/shoes` is a page."""
_CAMEL_WORDS = re.compile(r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[a-zß-ÿ]+|[^\W\d_A-Za-zß-ÿ]+")
_MAX_PHRASE_WORDS = 3
"""Most words of a part of an address that names an act; a longer one is a title."""
_TITLES = {"how", "why", "what", "when", "guide", "about", "faq", "no", "not", "do", "can"}
_READING_WORDS = {"docs", "doc", "documentation", "help", "support", "faq", "wiki", "guide", "guides", "blog", "learn", "kb", "manual",
         "reference", "article", "articles", "news", "hilfe", "aide", "ayuda"}  # fmt: skip
_LIGHT = {"cart", "basket", "bag", "wishlist", "favorites", "favourites", "compare", "consent", "cookie", "cookies", "filter",
          "filters", "search", "draft", "preview", "recent"}  # fmt: skip
"""What is taken away or agreed to there may be."""
_QUERY_KEYS = {"q", "query", "search", "s", "keyword", "keywords", "term", "text", "k", "title", "name"}
"""Names of parameters whose values are texts."""
_ACTION_KEYS = {"action", "act", "do", "op", "operation", "cmd", "command", "method", "mode", "task", "type", "event", "func",
              "function", "fn", "a", "m", "step"}  # fmt: skip
"""Names of parameters whose values say what is done."""
_OPAQUE_SEGMENT = re.compile(r"(?=.*\d)[\w.-]+|[0-9a-f]{8,}|[\w-]{24,}", re.IGNORECASE)
_MUTATION = re.compile(r"\s*mutation\b")
_UMLAUTS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"))
_ENDINGS = {"php", "do", "asp", "aspx", "cgi", "html", "htm", "jsp"}
_EFFECT_KINDS = {word: kind for kind, words in _PATH_EFFECTS.items() for word in words.split()}
_EVIDENCE = {
    ("url.pay", 2): "checkout pay payment payments cashier kassa bezahlen paiement pago pagos pagamento oplata payer "
    "place-order purchase donate transfer transfers withdraw topup top-up bid invoice-payment billing",
    ("url.order", 2): "confirm confirmation review-order order-review book booking-confirm reserve reservation-confirm submit finalize",
    ("url.delete", 2): "delete remove destroy trash erase deactivate close-account terminate cancel",
    ("url.send", 1): "compose messages message chat inbox dm reply comment comments conversation",
    ("url.publish", 1): "publish post posts new-post",
    ("url.account", 1): "account settings security profile privacy admin members users roles permissions api-keys tokens "
    "access team subscription subscriptions membership",
    ("url.system", 1): "deploy deployments production prod servers instances cluster pipelines jobs console ops infra",
    ("url.legal", 1): "sign signature contract claim claims tax declaration application apply visa",
}  # fmt: skip
_EVIDENCE_WORDS = {word: evidence for evidence, words in _EVIDENCE.items() for word in words.split()}

_FORMS = {"new", "create", "add", "edit"}


@dataclass(frozen=True, slots=True)
class Address:
    """A web address as a browser parses it. `scheme` is empty for a relative address."""

    scheme: str
    host: str = ""
    port: str = ""
    path: str = ""

    @property
    def opens(self) -> bool:
        """Whether it may be opened: http or https with a host, or about:blank."""
        if self.scheme == "about":
            return re.fullmatch(r"blank(?:[?#].*)?", self.path) is not None
        return self.scheme in ("http", "https") and bool(self.host)


def read_address(url: str) -> Address:
    """Parse an address with the normalisation that browsers do: edges, tabs, backslashes, unusual hosts."""
    url = _IGNORED_SIGNS.sub("", url.strip(_EDGES + "\u00a0\u3000\ufeff\u200b"))
    match = _URL_SCHEME.match(url)
    if match is None or (_HOST_WITH_PORT.match(url) and match[1].lower() not in _KNOWN_SCHEMES):
        return _read_bare(url)
    scheme, rest = match[1].lower(), url[match.end() :]
    if scheme not in ("http", "https", "ws", "wss", "ftp"):
        return Address(scheme, path=rest)
    return _read_web(scheme, rest)


def is_no_address(url: str) -> bool:
    """Whether a browser could not open it: no host, and no scheme other than http and https."""
    address = read_address(url)
    return address.scheme in ("", "http", "https") and not address.host


def is_listed(host: str, patterns: Sequence[str], port: str = "") -> bool:
    """Whether the host is one of these or a subdomain of one. A leading `*.` or `.` is ignored.

    A pattern with a port matches that port only.
    """
    for pattern in patterns:
        wanted = read_address(pattern if "//" in pattern else "//" + pattern.strip())
        name = wanted.host.removeprefix("*.").strip(".")
        fits = bool(name) and (host == name or host.endswith("." + name))
        if fits and wanted.port in ("", port):
            return True
    return False


def find_effect(url: str) -> str:
    """The kind of effect that opening this address may have by itself (`/delete?id=3`), "" if none."""
    path, _, query = url.partition("#")[0].partition("?")
    segments = [unquote(segment) for segment in path.split("/")[3:] if segment]
    pairs = [
        (unquote_plus(name), unquote_plus(value))
        for name, _, value in (p.partition("=") for p in query.split("&"))
    ]
    if any(_MUTATION.match(value) for _, value in pairs):
        words = (word for _, value in pairs for word in _split(value))
        return next(filter(None, map(_EFFECT_KINDS.get, words)), "") or "unknown_submit"
    is_read = not _READING_WORDS.isdisjoint(map(str.lower, segments))
    is_bound = bool(query) or (not is_read and any(map(_OPAQUE_SEGMENT.fullmatch, segments)))
    found = [
        (kind, is_bound or (not is_read and _is_bound(at, kind, segments))) for at, kind in _acts(segments)
    ]
    found += [(kind, True) for name, value in pairs for kind in _chosen(name, value)]
    is_light = not _LIGHT.isdisjoint(word for segment in segments for word in _split(segment))
    return next(
        (kind for kind, binds in found if binds and not (is_light and kind in ("delete", "approve"))), ""
    )


def _acts(segments: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The parts of a path that name an act: their places and kinds."""
    for at, segment in enumerate(segments):
        kind, is_word = _kind_of(segment), len(_split(segment)) == 1
        if kind and (
            is_word
            or kind in _BINDS
            or at + 1 == len(segments)
            or _OPAQUE_SEGMENT.fullmatch(segments[at + 1])
        ):
            yield at, kind


def _is_bound(at: int, kind: str, segments: Sequence[str]) -> bool:
    """Whether the verb acts on something in the path itself: `/approve/abcd`, `/items/abc/delete`, not `/docs/delete`."""
    if " ".join(_split(segments[at])) in _ALWAYS:
        return True
    return kind in _BINDS and (at + 1 < len(segments) or at > 1)


def _chosen(name: str, value: str) -> Iterator[str]:
    """The kinds of effect that a parameter names: `?delete=3`, `?action=deleteUser`, `?x=trash`."""
    words = _split(name)
    if value and len(words) == 1 and words[0] in _EFFECT_KINDS:
        yield _EFFECT_KINDS[words[0]]
    if words and words[-1] in _ACTION_KEYS:
        yield _kind_of(value)
    elif name.lower() not in _QUERY_KEYS:
        yield _EFFECT_KINDS.get(value.strip().lower(), "")


def _split(text: str) -> list[str]:
    """The words of a part of an address, split at signs and at changes of case."""
    return [word.lower() for word in _CAMEL_WORDS.findall(text)]


def _kind_of(part: str) -> str:
    """The kind of effect that a short part of an address names, "" if none: its first word or its last."""
    words = [word for word in _split(part) if word not in _ENDINGS]
    if not words or len(words) > _MAX_PHRASE_WORDS or not _TITLES.isdisjoint(words):
        return ""
    phrase = next((kind for text, kind in _PHRASE_EFFECTS.items() if text in " ".join(words)), "")
    known = phrase or _EFFECT_KINDS.get(words[0]) or _EFFECT_KINDS.get(words[-1])
    return known or (_foreign_kind(words[0]) if len(words) == 1 else "")


@lru_cache(maxsize=1024)
def _foreign_kind(word: str) -> str:
    """What the lexicon makes of a verb of another language: `loeschen`, `eliminar`."""
    spellings = {word, *(word.replace(*pair) for pair in _UMLAUTS)}
    hits = [hit for text in spellings for hit in lexicon().find(fold(text), "")]
    is_english = any("en" in lexicon().languages_of(fold(text)) for text in spellings)
    if is_english:
        return ""
    removes = any(hit.concept in ("weak.remove", "deed.delete") for hit in hits)
    return "delete" if removes else next((hit.kind for hit in hits if hit.group == "act"), "")


def opens_form(url: str) -> bool:
    """Whether it is the address of a form to create or edit something: `/events/new`, `/bookings/7/edit`."""
    return _read_path(url)[-1] in _FORMS


def may_act(href: str) -> bool:
    """Whether opening an address could do something: it has a query, an identifier, or a word for an act."""
    path, _, query = href.partition("#")[0].partition("?")
    own = [unquote(segment) for segment in path.split("/")[3 if "://" in path else 0 :] if segment]
    return bool(query) or any(map(_OPAQUE_SEGMENT.fullmatch, own)) or any(_acts(own))


def find_evidence(url: str) -> list[tuple[str, int]]:
    """The evidence in the path of an address, with its weight."""
    segments = _read_path(url)
    words = [word for segment in segments for word in (segment, *re.split(r"[._]", segment))]
    return sorted({_EVIDENCE_WORDS[word] for word in words if word in _EVIDENCE_WORDS})


def _read_path(url: str) -> list[str]:
    """The lower-case path segments of an address, without a trailing slash."""
    path = url.partition("#")[0].partition("?")[0].partition("//")[2].partition("/")[2]
    return [unquote(segment).lower() for segment in path.rstrip("/").split("/")]


def _read_bare(url: str) -> Address:
    """Parse an address without a plain scheme: a host, a path, or a disguised scheme."""
    folded = fold(url)
    disguised = next((s for s in _KNOWN_SCHEMES if re.match(rf"\W*{s}\W*:", folded)), "")
    if disguised:
        return Address(disguised, path=folded)
    return _read_web(
        "" if url.startswith(("/", "?", "#", ".")) and not url.startswith("//") else "https", url
    )


def _read_web(scheme: str, rest: str) -> Address:
    if not scheme:
        return Address("", path=rest)
    authority, path = re.match(r"[/\\]*([^/\\?#]*)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    place = authority.rpartition("@")[2]
    name, port = (place, "") if place.endswith("]") else re.match(r"(.*?)(?::(\d*))?$", place).groups("")  # type: ignore[union-attr]
    return Address(scheme, _plain_host(name), port, path)


def _plain_host(name: str) -> str:
    """Normalise a host: lower case, decoded, IDNA, no trailing dot, IP addresses in shortest notation."""
    name = unicodedata.normalize("NFKC", unquote(name)).lower().replace("。", ".").strip(".")
    try:
        if name.startswith("["):
            address = ipaddress.IPv6Address(name.strip("[]").partition("%")[0])
            return str(address.ipv4_mapped or f"[{address.compressed}]")
        labels = name.split(".")
        name = ".".join(lb if lb.isascii() else lb.encode("idna").decode("ascii") for lb in labels)
        return socket.inet_ntoa(socket.inet_aton(name)) if _IP_NUMBER.fullmatch(name) else name
    except (UnicodeError, OSError, ValueError):
        return name
