"""What the gate asks about as a secret is masked on the card, in rows and in logs, and the other way round."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.agent.gate.approval import confirm_question
from server.agent.gate.gate import Gate
from server.agent.gate.masking import MASK, masked, secrets_of, without
from server.agent.gate.shown_page import ShownPage
from server.agent.operator.act.acting import describe
from server.browser.masking import mask_text
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.observation.page_script import SecretField
from tests.support.actions import aimed

IBAN = "DE89 3704 0044 0532 0130 00"
LONE_CODE = """\
- heading "Welcome back" [level=1] [ref=h1] [box=0,0,200,20]
- paragraph [ref=p1] [box=0,30,300,20]: We sent a code to your phone.
- textbox "Code" [ref=f1] [box=0,60,200,20]"""
BOXES = """\
- form "Confirm" [ref=f0] [box=0,0,400,200]:
  - textbox "Verification code, digit 1" [ref=f1] [box=0,30,30,30]
  - textbox "Verification code, digit 2" [ref=f2] [box=40,30,30,30]
  - textbox [ref=f3] [box=80,30,30,30]
  - textbox "Name" [ref=f4] [box=0,90,200,30]"""
LOGIN = """\
- form [ref=f0] [box=0,0,400,200]:
  - textbox "{name}" [ref=f1] [box=0,30,100,20]
  - textbox [ref=f2] [box=0,60,100,20]"""
NOTE = '- textbox "Your note" [ref=f1] [box=0,0,200,20]'
VOUCHER = LONE_CODE.replace("We sent a code to your phone.", "Have a discount voucher?")


def page(snapshot: str) -> Observation:
    return observe_snapshot(snapshot, url="https://app.example/")


def types(snapshot: str, text: str, eid: str = "e1") -> Any:
    return aimed({"kind": "type", "fields": [{"eid": eid, "text": text}]}, page(snapshot))


@pytest.mark.parametrize("name", ["", "Login", "User"])
def test_the_field_above_a_password_without_a_name_is_no_box_of_it(name: str) -> None:
    extra = Extra(secrets=(SecretField(box=(0, 60, 100, 20)),))
    seen = observe_snapshot(LOGIN.format(name=name), url="https://app.example/", extra=extra)

    act = aimed({"kind": "type", "fields": [{"eid": "e1", "text": "admin"}]}, seen)
    assert Gate().judge(act).verdict == "allow"
    assert secrets_of(act) == ()


@pytest.mark.parametrize(
    ("snapshot", "text", "eid"),
    [(LONE_CODE, "4711", "e1"), (NOTE, IBAN, "e1"), (NOTE, f"please pay to {IBAN} soon", "e1"), (NOTE, "4111 1111 1111 1111", "e1"),
     (BOXES, "7", "e1"), (BOXES, "7", "e2"), (BOXES, "7", "e3")],
)  # fmt: skip
def test_what_is_asked_about_as_a_secret_is_masked_everywhere(snapshot: str, text: str, eid: str) -> None:
    act = types(snapshot, text, eid)
    judgement = Gate().judge(act)
    assert (judgement.verdict, judgement.kind) == ("ask", "credential")
    assert secrets_of(act) == (text,)
    question = confirm_question(
        act, ShownPage(act.observation), run_id="r", reason="", risk="credential", asked_at=0, timeout=9
    )
    shown = [
        json.dumps(question.action, ensure_ascii=False),
        describe(act),
        json.dumps(masked(act).to_json(), ensure_ascii=False),
    ]
    assert all(f'"{text}"' not in one and MASK in one for one in shown)


@pytest.mark.parametrize(
    ("snapshot", "text", "eid"),
    [
        (VOUCHER, "SAVE10", "e1"),
        (NOTE, "DE12 ABCD 1234 5678 90", "e1"),
        (NOTE, "see you at 9", "e1"),
        (BOXES, "Eva", "e4"),
    ],
)
def test_what_is_no_secret_is_neither_asked_about_nor_masked(snapshot: str, text: str, eid: str) -> None:
    act = types(snapshot, text, eid)
    assert Gate().judge(act).kind != "credential"
    assert secrets_of(act) == ()
    assert text in describe(act)


def test_a_secret_in_an_address_is_masked_in_each_spelling() -> None:
    urls = ["/in?p=hunter 2&x", "/in?p=hunter%202&x", "/in?p=hunter+2&x", "/in#hunter%202"]
    assert all("hunter" not in without(["hunter 2"], url) for url in urls)


@pytest.mark.parametrize(
    "spelling", ["p%c3%a4ss%2b1", "p%C3%A4ss%2B1", "p%25C3%25A4ss%252B1", "p%25c3%25a4ss%252b1"]
)
def test_a_secret_is_masked_as_servers_and_parameters_of_addresses_spell_it(spelling: str) -> None:
    url = f"https://a.example/login?back=%2Fin%3Fp%3D{spelling}"
    assert without(["päss+1"], url).endswith("p%3D•••")
    assert mask_text(url, [SecretField(box=(0, 0, 9, 9), value="päss+1")]).endswith("p%3D•••")
