"""Evidence from the page's own address: `/checkout/confirm`, `/settings/security`."""

from __future__ import annotations

import re
from urllib.parse import unquote

_TRAILS = {
    ("trail.pay", 2): "checkout pay payment payments cashier kassa bezahlen paiement pago pagos pagamento oplata payer "
    "place-order purchase donate transfer transfers withdraw topup top-up bid invoice-payment billing",
    ("trail.order", 2): "confirm confirmation review-order order-review book booking-confirm reserve reservation-confirm submit finalize",
    ("trail.delete", 2): "delete remove destroy trash erase deactivate close-account terminate cancel",
    ("trail.send", 1): "compose messages message chat inbox dm reply comment comments conversation",
    ("trail.publish", 1): "publish post posts new-post",
    ("trail.account", 1): "account settings security profile privacy admin members users roles permissions api-keys tokens "
    "access team subscription subscriptions membership",
    ("trail.system", 1): "deploy deployments production prod servers instances cluster pipelines jobs console ops infra",
    ("trail.legal", 1): "sign signature contract claim claims tax declaration application apply visa",
}  # fmt: skip
_WORDS = {word: evidence for evidence, words in _TRAILS.items() for word in words.split()}

_FORMS = {"new", "create", "add", "edit"}


def opens_form(url: str) -> bool:
    """Whether it is the address of a form to create or edit something: `/events/new`, `/bookings/7/edit`."""
    return _read_path(url)[-1] in _FORMS


def read_trail(url: str) -> list[tuple[str, int]]:
    """The evidence in the path of an address, with its weight."""
    segments = _read_path(url)
    words = [word for segment in segments for word in (segment, *re.split(r"[._]", segment))]
    return sorted({_WORDS[word] for word in words if word in _WORDS})


def _read_path(url: str) -> list[str]:
    """The lower-case path segments of an address, without a trailing slash."""
    path = url.partition("#")[0].partition("?")[0].partition("//")[2].partition("/")[2]
    return [unquote(segment).lower() for segment in path.rstrip("/").split("/")]
