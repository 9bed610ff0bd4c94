"""A login is asked about once: the yes to its password holds for the button of the same form, and for nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.actions import AimedAction
from server.agent.gate.gate import Gate
from server.agent.gate.logins import LOGIN_ALLOWED, count_login, is_of_login
from server.agent.gate.rulings import ruling_of
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.observation.page_script import SecretField, Sent
from tests.support.actions import aimed

HERE, THERE = "https://shop.example/session", "https://other.example/session"


def page(
    button: str = "Sign in",
    *,
    heading: str = "Welcome",
    password: str = "Password",
    fields: int = 2,
    to: str = HERE,
) -> Observation:
    rows = [f'  - heading "{heading}" [ref=h1] [box=0,0,400,20]']
    rows += [f'  - textbox "E-mail {at}" [ref=e{at}] [box=0,{20 * at},200,20]' for at in range(1, fields)]
    rows += [
        f'  - textbox "{password}" [ref=p1] [box=0,100,200,20]',
        f'  - button "{button}" [ref=b1] [box=0,120,200,20]',
    ]
    sent = tuple(Sent(box=(0, top, 200, 20), to=to) for top in (*range(20, 20 * fields, 20), 100, 120))
    extra = Extra(submits=((0, 120, 200, 20),), sent=sent, secrets=(SecretField(box=(0, 100, 200, 20)),))
    return observe_snapshot(
        "\n".join(["- form [ref=f1] [box=0,0,400,200]:", *rows]),
        url="https://shop.example/login",
        extra=extra,
    )


def on(seen: Observation, kind: str, role: str, **more: Any) -> AimedAction:
    eid = [one for one in seen.interactive if one.role == role][-1].eid
    given = (
        {"fields": [{"eid": eid, "text": "hunter22"}], "submit": False} if kind == "type" else {"eid": eid}
    )
    return aimed({"kind": kind, **given, **more}, seen)


def is_allowed(seen: Observation, allowed: set[str]) -> bool:
    act = on(seen, "click", "button")
    return is_of_login(act, Gate().judge(act), allowed)


def after_yes(seen: Observation) -> set[str]:
    allowed: set[str] = set()
    count_login(on(seen, "type", "textbox"), allowed, approved=True)
    return allowed


def test_the_yes_to_a_password_sends_its_form_once() -> None:
    seen = page()
    allowed = after_yes(seen)

    assert not is_allowed(seen, set())
    assert is_allowed(seen, allowed)
    count_login(on(seen, "click", "button"), allowed, approved=False)
    assert not is_allowed(seen, allowed)


@pytest.mark.parametrize(
    ("button", "heading"), [("Next", "Sign in"), ("Continue", "Log in"), ("Weiter", "Anmelden"), ("Suivant", "Connexion")]
)  # fmt: skip
def test_a_button_that_only_leads_on_under_the_heading_of_a_login_sends_it(button: str, heading: str) -> None:
    seen = page(button, heading=heading)

    assert Gate().judge(on(seen, "click", "button")).kind == "account"
    assert is_allowed(seen, after_yes(seen))


def test_what_was_typed_without_a_yes_or_sent_at_once_allows_nothing() -> None:
    allowed: set[str] = set()
    count_login(on(page(), "type", "textbox"), allowed, approved=False)
    count_login(on(page(), "type", "textbox", submit=True), allowed, approved=True)
    assert allowed == set()


@pytest.mark.parametrize(
    "changed",
    [
        {"button": "Delete account"},
        {"button": "Pay now"},
        {"button": "Change password"},
        {"button": "Continue", "heading": "Delete your account?"},
        {"button": "Continue", "heading": "Change your e-mail address"},
        {"button": "Next", "heading": "Confirm your new password"},
        {"button": "Next", "heading": "Subscribe to premium"},
        {"button": "Next", "heading": "Add a user"},
        {"button": "Next", "heading": "Make Ann an administrator"},
        {"button": "Next", "heading": "Turn on two-factor authentication"},
        {"fields": 4},
        {"to": THERE},
    ],
)
def test_a_form_that_does_something_else_is_asked_about(changed: dict[str, Any]) -> None:
    seen = page(**changed)
    assert not is_allowed(seen, after_yes(seen))


@pytest.mark.parametrize(
    "changed", [{"button": "Register"}, {"password": "Code"}, {"fields": 3}, {"to": THERE}]
)
def test_a_form_that_has_changed_since_the_yes_is_asked_about(changed: dict[str, Any]) -> None:
    assert not is_allowed(page(**changed), after_yes(page()))


def test_the_second_key_takes_it_for_approved() -> None:
    assert ruling_of(LOGIN_ALLOWED).approved_kinds(is_approved=False) == {"account"}
