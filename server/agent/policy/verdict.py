"""What is judged, and what a judgement is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What is to be done with an action."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is about to be done, in facts of the page's structure only."""

    action: str
    """click, type, press_enter, press, select, navigate, upload, scroll, wait, hover ..."""
    role: str = ""
    name: str = ""
    value: str = ""
    """What a field holds or gets, or the key of `press`."""
    context: str = ""
    """Text nearby, the heading of the form or section first."""
    url: str = ""
    target_url: str = ""
    """Where `navigate` goes."""
    href: str = ""
    submits: bool | None = None
    """Whether the control submits a form; None when that is not known."""
    secret: bool = False
    """A password, card or one-time-code field."""
    form_fields: tuple[str, ...] = ()
    """Roles or names of the fields in the same form."""
    in_dialog: bool = False
    siblings: tuple[str, ...] = ()
    """Names of the buttons beside it."""
    lang: str = ""
    """The language of the page, such as `de`; empty when it is not known."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict and why; permission is remembered per site and `kind`."""

    verdict: Verdict
    reason: str
    kind: str = ""


_REASONS = {
    "pay": "spends or moves money",
    "order": "places an order or a booking",
    "send": "sends something to other people",
    "publish": "makes something public",
    "delete": "deletes or overwrites something",
    "end": "cancels or ends something that is held",
    "account": "changes an account, access or a subscription",
    "legal": "makes a binding statement",
    "system": "changes a running system",
    "approve": "answers a request of other people",
    "credential": "hands a password, code, card or identity number to the page",
    "upload": "hands a file to the page",
    "unknown_submit": "may submit something, and its name does not say what",
}

ALLOWED = Judgement(Verdict.ALLOW, "changes nothing outside this page")


def ask(kind: str) -> Judgement:
    """The judgement that the person is to be asked about an effect of this kind."""
    kind = kind if kind in _REASONS else "unknown_submit"
    return Judgement(Verdict.ASK, _REASONS[kind], kind)


def deny(kind: str, reason: str) -> Judgement:
    """The judgement that this is never done."""
    return Judgement(Verdict.DENY, reason, kind)
