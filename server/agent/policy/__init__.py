"""Judge the risk of one action: allow it, ask the user first, or deny it.

A pure function of the page's structure: the control's role and name, its form, the text around it, the
address. Uses no model and no network. Page text can make an action riskier, never less risky. docs/risk.md
explains the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from server.agent.policy import lexicon, money
from server.agent.policy.address import find_effect, is_listed, read_address
from server.agent.policy.clicks import assess_click
from server.agent.policy.fields import is_secret
from server.agent.policy.keys import assess_enter, assess_key
from server.agent.policy.lexicon import guess_language
from server.agent.policy.names import read_name
from server.agent.policy.points import assess_pan
from server.agent.policy.verdict import EFFECTLESS, Judgement, Subject, Verdict, ask, deny
from wording.catalogue import sentence

__all__ = [
    "ALLOWED",
    "Judgement",
    "Subject",
    "Verdict",
    "apply_model_claim",
    "assess",
    "guess_language",
    "warm_up",
]

_PASSIVE_KINDS = {
    "observe", "scroll", "wait", "hover", "screenshot", "back", "focus", "read", "read_page", "read_file", "record", "stop",
    "need_user", "switch_tab",
}  # fmt: skip
_NO_PAGE = ("", "about:blank")
_JUDGED_NAME_CHARS, _TEXT_CHARS, _MAX_NAMES = 1_000, 4_000, 200


def warm_up() -> None:
    """Load what judging needs, if it is not loaded. It takes a second or two, which would delay the first verdict."""
    lexicon.warm_up()
    money.warm_up()


def assess(
    subject: Subject, *, blocked_hosts: Sequence[str] = (), allowed_hosts: Sequence[str] = ()
) -> Judgement:
    """Judge one action. An empty `allowed_hosts` allows every host that is not blocked.

    Texts are truncated before they are judged. Asks about a control that could commit something and whose
    name exceeds `_JUDGED_NAME_CHARS`.
    """
    if subject.action in _PASSIVE_KINDS:
        return EFFECTLESS
    judgement = _assess(_truncate(subject), blocked_hosts, allowed_hosts)
    is_endless = len(subject.name) > _JUDGED_NAME_CHARS and _can_commit(subject)
    return ask("unknown_submit") if is_endless and judgement.verdict is Verdict.ALLOW else judgement


def _truncate(subject: Subject) -> Subject:
    return replace(
        subject,
        name=subject.name[:_JUDGED_NAME_CHARS],
        value=subject.value[:_TEXT_CHARS],
        context=subject.context[:_TEXT_CHARS],
        form_fields=tuple(name[:_JUDGED_NAME_CHARS] for name in subject.form_fields[:_MAX_NAMES]),
        siblings=tuple(name[:_JUDGED_NAME_CHARS] for name in subject.siblings[:_MAX_NAMES]),
    )


def _assess(subject: Subject, blocked_hosts: Sequence[str], allowed_hosts: Sequence[str]) -> Judgement:
    if subject.action == "navigate":
        return _assess_address(subject.target_url, blocked_hosts, allowed_hosts)
    if subject.url not in _NO_PAGE and _is_barred(subject.url, blocked_hosts, allowed_hosts):
        return deny("host", sentence("effect.foreign_site"))
    if subject.href and subject.action in ("click", "press_enter"):
        place = _assess_href(subject, blocked_hosts, allowed_hosts)
        if place is not EFFECTLESS:
            return place
    judgement = _assess_effect(subject)
    kind = find_effect(subject.sends_to) if subject.sends_to and judgement.verdict is Verdict.ALLOW else ""
    return ask(kind) if kind else judgement


def apply_model_claim(judgement: Judgement, subject: Subject, effect: str) -> Judgement:
    """Apply the statement of another source, such as the model, that the action has an effect of this kind.

    Turns allow into ask if the control could have an effect, whatever its role. Links with an address and typing
    stay allowed. Never makes a judgement milder.
    """
    is_doubted = judgement.verdict is Verdict.ALLOW and _can_commit(subject)
    return ask(effect) if is_doubted else judgement


def _can_commit(subject: Subject) -> bool:
    if subject.action in ("click", "double_click", "check", "uncheck", "drag"):
        return not _leads_on(subject)
    return subject.action in ("select", "press", "press_enter", "pan")


def _leads_on(subject: Subject) -> bool:
    has_place = bool(subject.href) and not subject.href.startswith("#")
    return subject.role == "link" and has_place and read_address(subject.href).scheme in ("", "http", "https")


def _assess_effect(subject: Subject) -> Judgement:
    match subject.action:
        case "type":
            return ask("credential") if is_secret(subject) else EFFECTLESS
        case "press_enter":
            return assess_enter(subject)
        case "press":
            return assess_key(subject)
        case "upload" | "point" | "leave":
            return ask(subject.action)
        case "drop":  # what a place does with what is dropped there, it may say by its name
            return ask("unknown_submit", is_guess=not read_name(subject.name, subject.lang).hits)
        case "pan":
            return assess_pan(subject)
        case "click" | "double_click" if subject.role == "file":
            return ask("upload")
        case "click" | "double_click" | "select" | "check" | "uncheck" | "drag":
            return assess_click(subject)
    return ask("unknown_submit")


def _assess_address(url: str, blocked: Sequence[str], allowed: Sequence[str]) -> Judgement:
    address = read_address(url)
    if not address.opens:
        return deny("scheme", sentence("address.scheme", scheme=address.scheme or sentence("address.this")))
    if address.host and _is_barred(url, blocked, allowed):
        return deny("host", sentence("address.not_allowed_site", site=address.host))
    kind = find_effect(url)
    return ask(kind) if kind else EFFECTLESS


def _assess_href(subject: Subject, blocked: Sequence[str], allowed: Sequence[str]) -> Judgement:
    """Judge the address of a link. A `javascript:` address that does nothing counts as a plain button."""
    address = read_address(subject.href)
    match address.scheme:
        case "":
            kind = find_effect("https://page" + subject.href) if subject.href.startswith("/") else ""
            return ask(kind) if kind else EFFECTLESS
        case "javascript":
            return _assess_script(address.path)
        case "mailto" | "tel" | "sms":
            return ask("send")
    return _assess_address(subject.href, blocked, allowed)


def _assess_script(code: str) -> Judgement:
    does_nothing = code.strip().rstrip(";").replace(" ", "") in ("", "void(0)", "void0", "//", "undefined")
    return EFFECTLESS if does_nothing else deny("scheme", sentence("address.scheme", scheme="javascript"))


def _is_barred(url: str, blocked: Sequence[str], allowed: Sequence[str]) -> bool:
    address = read_address(url)
    if is_listed(address.host, blocked, address.port):
        return True
    return bool(allowed) and not is_listed(address.host, allowed, address.port)
