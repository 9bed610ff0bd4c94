"""Check addresses: scheme, host, effects that opening the address would have, evidence in its path."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from server.agent.policy.text import fold

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_IGNORED = re.compile(r"[\t\r\n]")
_EDGES = "".join(map(chr, range(0x21)))
_HOST_AND_PORT = re.compile(r"[^/?#@:]+:\d+(?:[/?#]|$)")
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
_NUMBER = re.compile(r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}")
_EFFECTS = {
    "delete": "delete remove destroy erase purge trash wipe reset",
    "pay": "pay buy purchase transfer withdraw donate charge checkout-now",
    "send": "send post-message reply-send invite vote",
    "publish": "publish tweet",
    "account": "subscribe revoke grant authorize deactivate reset-password disable enable",
    "end": "cancel unsubscribe terminate",
    "system": "deploy restart reboot shutdown execute run kill",
    "approve": "approve reject accept decline confirm",
}
_SCRIPT = re.compile(r"\A([^.\-_]*)(?=.*\.(?:php|do|asp|aspx|cgi)\Z).*", re.DOTALL)
"""`delete-user.php`; its first word is the group."""
_EFFECT_KINDS = {word: kind for kind, words in _EFFECTS.items() for word in words.split()}
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
    url = _IGNORED.sub("", url.strip(_EDGES + "\u00a0\u3000\ufeff\u200b"))
    match = _SCHEME.match(url)
    if match is None or (_HOST_AND_PORT.match(url) and match[1].lower() not in _KNOWN_SCHEMES):
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
    segments = [unquote(segment).lower() for segment in path.split("/")[3:]]
    values = [unquote(pair.partition("=")[2]).lower() for pair in query.split("&")]
    bound = bool(query) or any(segment.isdigit() for segment in segments)
    words = [word for segment in segments for word in (segment, _SCRIPT.sub(r"\1", segment))] if bound else []
    return next((_EFFECT_KINDS[word] for word in [*words, *values] if word in _EFFECT_KINDS), "")


def opens_form(url: str) -> bool:
    """Whether it is the address of a form to create or edit something: `/events/new`, `/bookings/7/edit`."""
    return _read_path(url)[-1] in _FORMS


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
        return socket.inet_ntoa(socket.inet_aton(name)) if _NUMBER.fullmatch(name) else name
    except (UnicodeError, OSError, ValueError):
        return name
