"""The input and output of a judgement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from server.grants.coverage import GrantUse
from wording.catalogue import sentence


class Verdict(StrEnum):
    """The decision on an action."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Subject:
    """The action to judge, described only by facts of the page's structure."""

    action: str
    """click, type, press_enter, press, select, navigate, upload, scroll, wait, hover, point, pan ..."""
    role: str = ""
    name: str = ""
    value: str = ""
    """The current or new value of a field, or the key of `press`."""
    context: str = ""
    """Text near the control, the heading of its form or section first."""
    url: str = ""
    target_url: str = ""
    """The destination of `navigate`."""
    href: str = ""
    sends_to: str = ""
    """The address that a button submits its form to; "" if it submits none or that is unknown."""
    submits: bool | None = None
    """Whether the control submits a form; None if unknown."""
    secret: bool = False
    """A password, card or one-time-code field."""
    form_fields: tuple[str, ...] = ()
    """Roles or names of the fields in the same form."""
    in_dialog: bool = False
    lines: bool = False
    """Whether the field takes several lines."""
    alone: bool = False
    """Whether no other control of the page has its role: a single tab is no row of tabs."""
    at_once: bool = False
    """Whether a choice waits for no button."""
    waits: bool = False
    """Whether another button of its form sends what is set here."""
    opens: bool = False
    """Whether it says by an attribute that it opens or shows a part of the page."""
    by_get: bool = False
    """Whether its form says that it is sent by GET: then its address shows what it does."""
    siblings: tuple[str, ...] = ()
    """Names of the buttons next to it."""
    lang: str = ""
    """The language of the page, such as `de`; "" if it is unclear, `lexicon.UNREAD` if there is no lexicon for it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict and its reason. Permissions are stored per site and `kind`."""

    verdict: Verdict
    reason: str
    kind: str = ""
    uses: tuple[GrantUse, ...] = ()
    """The grants that turn a question into a yes."""
    is_guess: bool = False
    """Asked although the page does not say what the act does: where what it sends is held, that says more."""
    is_doubted: bool = False
    """Its name has an effect, and by its structure it only leads somewhere: what it sends is held unless that is known
    to be harmless."""


_REASONS = {
    "pay": sentence("effect.pay"),
    "order": sentence("effect.order"),
    "send": sentence("effect.send"),
    "publish": sentence("effect.publish"),
    "delete": sentence("effect.delete"),
    "end": sentence("effect.end"),
    "account": sentence("effect.account"),
    "legal": sentence("effect.legal"),
    "system": sentence("effect.system"),
    "approve": sentence("effect.approve"),
    "credential": sentence("effect.credential"),
    "upload": sentence("effect.upload"),
    "leave": sentence("effect.leave"),
    "unknown_submit": sentence("effect.unclear_submit"),
    "point": sentence("effect.unknown_place"),
}

KINDS_ASKED = tuple(_REASONS)
"""The kinds of effect that the policy asks about."""

EFFECTLESS = Judgement(Verdict.ALLOW, sentence("effect.none"))
LEFT_OPEN = Judgement(Verdict.ALLOW, sentence("effect.left_open"), is_guess=True)
"""What a guess becomes where the browser holds what an act sends."""


UNCLEAR_CHANGE = sentence("effect.unclear_save")
"""The reason where the kind of effect is only a guess."""


def ask(kind: str, reason: str = "", *, is_guess: bool = False) -> Judgement:
    """A judgement to ask the user about an effect of this kind; an unknown kind becomes `unknown_submit`."""
    kind = kind if kind in _REASONS else "unknown_submit"
    return Judgement(Verdict.ASK, reason or _REASONS[kind], kind, is_guess=is_guess)


def deny(kind: str, reason: str) -> Judgement:
    """A judgement that the action is not allowed."""
    return Judgement(Verdict.DENY, reason, kind)
