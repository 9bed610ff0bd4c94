"""One yes for one login: it holds for the password and for the button of the form that it was typed into."""

from __future__ import annotations

import json
from collections.abc import Collection

from server.agent.actions import AimedAction, ClickAction, LoginAction, PressAction, TypeAction
from server.agent.gate.masking import secrets_of
from server.agent.gate.page_facts import controls_in_same_group, destination_of, language_of, other_site
from server.agent.policy import Judgement, Verdict
from server.agent.policy.fields import TYPED_ROLES
from server.agent.policy.names import Commitment, read_name
from server.agent.policy.page_context import read_context
from server.browser.observation import Element, Observation
from wording.catalogue import sentence

_MAX_FIELDS = 3
_LOGIN_KINDS = frozenset({"", "account", "credential", "unknown_submit"})


def is_of_login(aimed: AimedAction, judgement: Judgement, allowed: Collection[str]) -> bool:
    """Whether the act only sends the form of a login whose password the person has allowed, and names nothing else."""
    target = aimed.target
    if not allowed or target is None or not isinstance(aimed.action, ClickAction | PressAction):
        return False
    is_click = isinstance(aimed.action, ClickAction)
    if is_click and _names_more(target, judgement, aimed.observation):
        return False
    sends = bool(target.submits) if is_click else bool(destination_of(aimed))
    is_mild = judgement.verdict is not Verdict.DENY and judgement.kind in _LOGIN_KINDS
    return sends and is_mild and _form_of_login(aimed, is_stored=True) in allowed


LOGIN_ALLOWED = Judgement(Verdict.ALLOW, sentence("effect.login"), "account")
"""The judgement on such an act. The second key takes it for approved."""


def count_login(aimed: AimedAction, allowed: set[str], *, approved: bool) -> None:
    """The act is done: a password that was typed with a yes allows its form to be sent once. Of a stored login only
    `count_fill` knows whether it was filled."""
    form = _form_of_login(aimed, is_stored=True)
    if form is None or isinstance(aimed.action, LoginAction):
        return
    if isinstance(aimed.action, TypeAction):
        form = _form_of_login(aimed)
        if form is None:
            return
        if approved and secrets_of(aimed) and not aimed.action.submit:
            allowed.add(form)
    else:
        allowed.discard(form)


def count_fill(aimed: AimedAction, allowed: set[str], *, is_filled: bool) -> None:
    """A stored login that was filled allows its form to be sent once; one that was refused takes that back."""
    if form := _form_of_login(aimed, is_stored=True):
        (allowed.add if is_filled else allowed.discard)(form)


def _names_more(button: Element, judgement: Judgement, page: Observation) -> bool:
    """Whether a button, or what the page around it says, names more than to log in."""
    meaning = read_name(button.name)
    is_around = judgement.kind == "account" and meaning.kind != "account"
    return meaning.commitment >= Commitment.CERTAIN or (is_around and not _is_under_login(button, page))


def _is_under_login(button: Element, page: Observation) -> bool:
    """`Next` under `Sign in`: all that the page says there, and says lightly, is a verb of logins and who it is."""
    evidence = read_context(button.context, page.page.url, language_of(page), button.name).evidence
    is_light = all(weight <= 1 for weight in evidence.values())
    return is_light and "deed.account" in evidence and evidence.keys() <= {"deed.account", "scene.person"}


def _form_of_login(aimed: AimedAction, *, is_stored: bool = False) -> str | None:
    """Names the form that the act concerns; None if it is not one with one password, few fields and one button. Of a form
    that a stored login was filled into, the page itself was asked which fields it has."""
    target = aimed.target
    if target is None or not target.group or any(one.group != target.group for one in aimed.targets):
        return None
    if other_site(aimed):
        return None
    parts = [target, *controls_in_same_group(target, aimed.observation)]
    fields = [one for one in parts if one.role in TYPED_ROLES or one.role == "textbox"]
    buttons = [one for one in parts if one.submits]
    is_login = len(fields) <= _MAX_FIELDS and len(buttons) == 1 and sum(one.secret for one in fields) == 1
    if not is_login and not is_stored:
        return None
    looks = sorted(_looks(one) for one in (*fields, *buttons))
    return json.dumps([aimed.observation.page.url, looks])


def _looks(element: Element) -> list[str]:
    return [element.role, element.name, element.sends_to]
