"""What a page is about to send, without its values: all that a request is judged and compared by. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import chain
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from server.browser.outgoing.words import SELECTORS, word_set
from server.ops.json_types import Json, JsonObject

BodyKind = Literal["none", "json", "form", "files", "graphql", "text", "unknown"]
OperationKind = Literal["query", "mutation", "subscription", ""]

MAX_BODY_KEYS = 40
MAX_PARSED = 100_000
"""Characters of a body; a longer one is not parsed."""
ONE_WORD = re.compile(r"[A-Za-z][\w.:\-]{0,59}")
_GRAPHQL = re.compile(r"\s*(?:\{|(?:#.*\n|\s)*(?:mutation|query|subscription|fragment)\b)")
_OPERATION = re.compile(r"\b(mutation|query|subscription)\b\s*([A-Za-z_]\w*)?")
_BY_EFFECT: tuple[OperationKind, ...] = ("mutation", "query", "subscription")
_ROOT_FIELD = re.compile(r"(?:\w+\s*:\s*)?([A-Za-z_]\w*)")
_FORM_PART = re.compile(r'form-data;[^\r\n]*?\bname="([^"\r\n]{1,80})"')
_ID_VALUE = re.compile(r"\d|^.{25,}$|^[0-9a-f-]{16,}$|@")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of GraphQL. `kind` is "" where the text is not sent along (persisted)."""

    kind: OperationKind
    names: tuple[str, ...]
    """Its name and its root fields."""


@dataclass(frozen=True, slots=True)
class BodyShape:
    kind: BodyKind = "none"
    keys: tuple[str, ...] = ()
    """The names of form fields, or of the outermost values of JSON."""
    selectors: tuple[tuple[str, str], ...] = ()
    """Name and value of the fields that say what is done, if the value is one word."""
    operations: tuple[Operation, ...] = ()
    length: int = 0

    @property
    def is_opaque(self) -> bool:
        """Whether its names say nothing about it."""
        return self.kind in ("text", "unknown", "files") or not (self.keys or self.operations)


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    method: str
    url: str
    type: str = "Fetch"
    """As DevTools names it: Document, XHR, Fetch, Ping, Other."""
    body: BodyShape = BodyShape()
    has_authorization: bool = False

    @property
    def host(self) -> str:
        try:
            return (urlsplit(self.url).hostname or "").lower()
        except ValueError:
            return ""

    @property
    def site(self) -> str:
        return site_of_url(self.url)

    @property
    def segments(self) -> list[str]:
        """The path's segments, decoded; those of a matrix (`x;delete`) are separate."""
        path = urlsplit(self.url).path
        return [unquote(one) for one in re.split(r"[/;:]", path) if one]

    @property
    def parameters(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.url).query, keep_blank_values=True, max_num_fields=500)[:MAX_BODY_KEYS]

    @property
    def shape(self) -> str:
        """Equal for requests that do the same kind of thing: identifiers and values are left out."""
        path = "/".join("*" if _ID_VALUE.search(one) else one for one in self.segments)
        query = [f"{name}={value}" if selects(name, value) else name for name, value in self.parameters]
        done = [f"{name}={value}" for name, value in self.body.selectors]
        done += [f"{one.kind} {' '.join(one.names)}" for one in self.body.operations]
        parts = [*sorted(query), *done, *sorted(set(self.body.keys))]
        return f"{self.method} {_authority(self.url)}/{path} {self.body.kind} {' '.join(parts)}"[:600]


def read_body(content_type: str, text: str | None, *, has_body: bool = False) -> BodyShape:
    """The shape of a body. `text` is None if it is not known; then `has_body` says whether there is one."""
    if text is None:
        return BodyShape("unknown" if has_body else "none")
    if not text:
        return BodyShape()
    kind, start = content_type.partition(";")[0].strip().lower(), text.lstrip()[:1]
    if reader := _BODY_READERS.get(kind):
        return reader(text)
    if (kind.endswith("json") or start in ("{", "[")) and len(text) <= MAX_PARSED:
        return _json(text)
    if kind == "application/graphql":
        return BodyShape("graphql", operations=tuple(read_operations({"query": text})), length=len(text))
    if re.fullmatch(r"[\w.\[\]%+\-]{1,80}=[^\n]*", text[:MAX_PARSED]):
        return _form(text)
    return BodyShape("text", length=len(text))


def _multipart(text: str) -> BodyShape:
    return _fields([(name, "") for name in _FORM_PART.findall(text)], len(text), "files")


def _form(text: str) -> BodyShape:
    pairs = parse_qsl(text[:MAX_PARSED], keep_blank_values=True, max_num_fields=None)
    return _fields(pairs, len(text), "form")


def _fields(pairs: list[tuple[str, str]], length: int, kind: BodyKind) -> BodyShape:
    given = dict(pairs)
    operations = tuple(read_operations(given)) if "query" in given else ()
    chosen = tuple(pair for pair in pairs[:200] if selects(*pair))
    keys = tuple(given)[:MAX_BODY_KEYS]
    return BodyShape("graphql" if operations else kind, keys, chosen[:8], operations, length)


def _json(text: str) -> BodyShape:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return BodyShape("text", length=len(text))
    parts = value if isinstance(value, list) else [value]
    many = [one for one in parts[:20] if isinstance(one, dict)]
    if operations := tuple(chain.from_iterable(map(read_operations, many))):
        return BodyShape("graphql", operations=operations, length=len(text))
    # Remote procedure calls name their arguments within `params`.
    inner = [params for one in many if isinstance(params := one.get("params"), dict)]
    pairs = list(chain.from_iterable(one.items() for one in (*many, *inner)))
    chosen = tuple((name, part) for name, part in pairs if isinstance(part, str) and selects(name, part))
    return BodyShape("json", tuple(dict(pairs))[:MAX_BODY_KEYS], chosen[:8], (), len(text))


_BODY_READERS = {"multipart/form-data": _multipart, "application/x-www-form-urlencoded": _form}


def read_operations(given: Mapping[str, Json]) -> Iterator[Operation]:
    text, name = given.get("query"), given.get("operationName")
    named = (str(name),) if isinstance(name, str) and ONE_WORD.fullmatch(name) else ()
    if isinstance(text, str) and _GRAPHQL.match(text):
        plain = _STRINGS.sub('""', text[:MAX_PARSED])
        found = _OPERATION.findall(plain)
        kinds = dict(found)
        names = [*named, *(name for _, name in found if name), *_root_fields(plain)]
        kind: OperationKind = next((one for one in _BY_EFFECT if one in kinds), "query")
        yield Operation(kind, tuple(dict.fromkeys(names))[:12])
    elif named and ("extensions" in given or "variables" in given):
        yield Operation("", named)


def _root_fields(text: str) -> list[str]:
    """The names at the outermost level of braces."""
    depth, level, found = 0, 0, list[str]()
    for part in re.split(r"([{}()])", text[:20_000]):
        if part in ("(", ")"):
            level += 1 if part == "(" else -1
        elif part in ("{", "}") and level == 0:
            depth += 1 if part == "{" else -1
        elif depth == 1 and level == 0:
            found += _ROOT_FIELD.findall(part)
    return found[:8]


def selects(name: str, value: str, names: Set[str] = SELECTORS) -> bool:
    return name.lower() in names and ONE_WORD.fullmatch(value) is not None


_SECOND_LEVEL = word_set("co com org net gov edu ac or ne go gob")


def site_of_url(url: str) -> str:
    """The registrable domain of an address, as far as its form shows it; an IP address and a local name with port."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower().rstrip("."), parts.port
    except ValueError:
        return ""
    labels = host.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or ":" in host:
        return f"{host}:{port}" if port else host
    deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if deep else -2 :])


def _authority(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def read_request(asked: JsonObject, resource: str) -> OutgoingRequest:
    """The request of a DevTools event, `Network.Request`."""
    headers = {str(name).lower(): str(value) for name, value in asked.get("headers", {}).items()}
    body = read_body(
        headers.get("content-type", ""), asked.get("postData"), has_body=bool(asked.get("hasPostData"))
    )
    return OutgoingRequest(
        str(asked["method"]).upper(), str(asked["url"])[:8000], resource, body,
        "authorization" in headers or "apikey" in headers,
    )  # fmt: skip
