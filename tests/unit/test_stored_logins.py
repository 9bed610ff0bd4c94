"""The operator's act `login`: what it is asked about, what each answer does, and what no model, event or state ever holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from server.agent.logins import LoginOffer
from server.agent.stored_logins import broken_rule
from server.browser.browser import ToolOutcome
from server.browser.fence import with_page
from server.browser.login_form import FieldValues, LoginField, LoginForm, LoginRule
from server.browser.observation import Element, Extra
from server.browser.observation.page_script import SecretField, Sent
from tests.support.memory_vault import Stored, VaultInMemory
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel
from tests.unit.test_assistant_gate import Assistant

AT, SENT_TO = "https://shop.example/login", "https://shop.example/session"
USER, PASSWORD, CODE = "ann.canary@example.org", "c4nary-pass", "731946"
LOGIN_PAGE = """- form [ref=f1] [box=0,0,400,200]:
  - heading "Welcome back" [ref=h1] [box=0,0,400,20]
  - textbox "E-mail" [ref=e1] [box=0,20,200,20]
  - textbox "Password" [ref=p1] [box=0,100,200,20]
  - button "Sign in" [ref=b1] [box=0,120,200,20]"""
NEXT_PAGE = LOGIN_PAGE.replace("Welcome back", "Sign in").replace('button "Sign in"', 'button "Next"')
"""Its press is asked about unless a fill covers it."""
CODE_PAGE = """- form [ref=f1] [box=0,0,400,200]:
  - textbox "Verification code" [ref=p1] [box=0,100,200,20]
  - button "Go on" [ref=b1] [box=0,120,200,20]"""
EXTRA = Extra(
    submits=((0, 120, 200, 20),),
    sent=tuple(Sent(box=(0, top, 200, 20), to=SENT_TO) for top in (20, 100, 120)),
    secrets=(SecretField(box=(0, 100, 200, 20)),),
)
LOGIN = {"action": "login", "eid": "e2", "login": "L1"}
PRESS = {"action": "click", "eid": "e3"}
STOP = {"action": "stop", "final_response": "Done."}


@dataclass
class LoginBrowser(ScriptedBrowser):
    fields: tuple[LoginField, ...] = ("password", "user")
    rule: LoginRule = ""
    """Refuses the fill."""
    written: list[dict[str, str]] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)
    form: LoginForm | None = None

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolOutcome:
        outcome = await super().call(name, args)
        return replace(outcome, text=with_page(outcome.text, self.url, None, ()))

    async def login_form(self, element: Element) -> LoginForm:
        url = self.url
        self.form = self.form or LoginForm(
            token=f"form{len(self.written)}", url=url, origins=(url,), sends=(SENT_TO,), fields=self.fields
        )
        return self.form

    async def fill_login(self, form: LoginForm, given: FieldValues) -> LoginRule:
        if self.rule:
            return self.rule
        assert self.form
        assert form.token == self.form.token
        self.written.append(dict(given.values))
        return ""

    def hide_logins(self, values: Iterable[str]) -> None:
        self.hidden |= set(values)


def login_world(turns: list[Any], *, page: str = LOGIN_PAGE, **options: Any) -> World:
    vault = options.pop("vault", None) or VaultInMemory(
        [
            Stored("l1", ("shop.example",), USER, PASSWORD, [CODE]),
            Stored("l2", ("shop.example",), "bob", "other"),
        ]
    )
    browser = LoginBrowser(
        {AT: page}, url=AT, extra=EXTRA, fields=options.pop("fields", ("password", "user"))
    )
    model = ScriptedModel(turns=turns, again=STOP, prompts=[], asked=[])
    return World(browser, model, vault=vault, **options)


def everything(world: World) -> str:
    """All that a model was asked, that was published and that is kept."""
    kept = [
        str(one) for one in (world.model.prompts, world.model.asked, world.told, world.values, world.question)
    ]
    return "\n".join(kept)


async def test_the_question_names_host_and_accounts_and_a_yes_fills_the_form_once() -> None:
    world = login_world([LOGIN, PRESS])
    assert await world.say("log in") is None

    asked = world.question
    assert asked
    assert asked["kind"] == "login"
    assert asked["login"]["host"] == "shop.example"
    assert [one["account"] for one in asked["login"]["choices"]] == ["a...", "b..."]
    assert asked["login"]["fields"] == ["password", "user"]
    assert world.browser.written == []

    assert await world.answer(confirmed=True) == "Done."
    assert world.browser.written == [{"user": USER, "password": PASSWORD}]
    assert {USER, PASSWORD} <= world.browser.hidden
    assert world.browser.log[-1].startswith("click")  # the button of the same form, without a second question
    assert [one.kind for one in world.vault.log] == ["filled"]
    assert not any(secret in everything(world) for secret in (USER, PASSWORD, CODE))


async def test_the_logins_are_named_only_next_to_a_form_that_they_fit() -> None:
    world = login_world([STOP])
    await world.say("log in")
    assert 'Logins here: L1 "shop.example" a...' in str(world.model.prompts)

    for page, hosts in ((LOGIN_PAGE, ("other.example",)), ('- button "Buy" [ref=e1]', ("shop.example",))):
        other = login_world([STOP], page=page, vault=VaultInMemory([Stored("l1", hosts, USER, PASSWORD)]))
        other.browser.extra = EXTRA if page == LOGIN_PAGE else Extra()
        await other.say("log in")
        assert "Logins here" not in str(other.model.prompts)
        assert "login(" not in str(other.model.prompts)


@pytest.mark.parametrize(
    ("given", "filled", "grants"),
    [
        ({"choice": "once"}, PASSWORD, {}),
        ({"choice": "session"}, PASSWORD, {("l1", "s"): "session"}),
        ({"choice": "automation"}, PASSWORD, {("l1", "auto1"): "automation"}),
        ({"choice": "once", "id": "l2"}, "other", {}),
        ({"choice": "once", "id": "strange"}, PASSWORD, {}),
    ],
)
async def test_each_yes_is_for_the_login_and_the_time_that_it_names(
    given: dict[str, str], filled: str, grants: dict[tuple[str, str], str]
) -> None:
    world = login_world([LOGIN], automation_id="auto1")
    await world.say("log in")
    await world.answer(confirmed=True, login=given)
    assert [one["password"] for one in world.browser.written] == [filled]
    assert world.vault.grants == grants


async def test_a_grant_fills_without_a_question_and_one_for_another_automation_does_not() -> None:
    world = login_world([LOGIN], automation_id="auto1")
    world.vault.grants["l1", "auto1"] = "automation"
    assert await world.say("log in") == "Done."
    assert len(world.browser.written) == 1

    other = login_world([LOGIN], automation_id="auto2")
    other.vault.grants["l1", "auto1"] = "automation"
    assert await other.say("log in") is None
    assert other.browser.written == []


async def test_by_hand_and_no_fill_nothing() -> None:
    world = login_world([LOGIN])
    await world.say("log in")
    assert await world.answer(confirmed=False, login={"choice": "by_hand"}) is None
    assert world.question
    assert world.question["kind"] == "manual"

    refused = login_world([LOGIN])
    await refused.say("log in")
    await refused.answer(confirmed=False)
    assert refused.question is None
    assert world.browser.written == refused.browser.written == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"url": "https://evil.io/"}, "none_fits"),
        ({"origins": ("https://shop.example", "https://evil.io")}, "foreign_frame"),
        ({"origins": ("https://shop.example", "null")}, "foreign_frame"),
        ({"sends": ("https://evil.io/take",)}, "foreign_form"),
        ({"sends": ("http://shop.example/in",)}, "http"),
        ({"origins": ("http://shop.example",)}, "http"),
        ({"refused": "hidden"}, "hidden"),
        ({"refused": "unreachable"}, "unreachable"),
    ],
)
async def test_a_form_against_the_rules_is_left_to_the_person_with_the_reason(
    change: dict[str, Any], rule: str
) -> None:
    world = login_world([LOGIN])
    known = {"token": "f", "url": AT, "origins": (AT,), "sends": (), "fields": ("password", "user")}
    world.browser.form = LoginForm.model_validate(known | change)
    assert await world.say("log in") is None
    assert world.question
    assert world.question["kind"] == "manual"
    assert [one.reason for one in world.vault.log] == [rule]
    assert world.browser.written == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({}, ""),
        ({"sends": ("https://shop.example/in",)}, ""),
        ({"sends": ("https://www.other.example/in",)}, "foreign_form"),
        ({"origins": ("https://pay.other.example", "https://www.other.example")}, "foreign_frame"),
    ],
)
def test_the_site_of_an_added_host_is_not_the_logins_own(change: dict[str, Any], rule: str) -> None:
    at = "https://pay.other.example/login"
    form = LoginForm.model_validate({"url": at, "origins": (at,), "sends": (at,)} | change)
    offer = LoginOffer("l1", "Shop", "shop.example", "a...")
    assert broken_rule(form, offer, {"pay.other.example": {"l1"}, "shop.example": {"l1"}}) == rule


async def test_what_changes_between_the_yes_and_the_fill_is_asked_anew() -> None:
    world = login_world([LOGIN, LOGIN])
    await world.say("log in")
    world.browser.rule = "changed"
    assert await world.answer(confirmed=True) is None
    assert world.question
    assert world.question["kind"] == "login"
    assert world.browser.written == []
    assert [one.reason for one in world.vault.log if one.kind == "refused"] == ["changed"]


async def test_after_a_fill_that_was_refused_the_press_is_asked_about() -> None:
    world = login_world([LOGIN, PRESS], page=NEXT_PAGE)
    await world.say("log in")
    world.browser.rule = "changed"
    assert await world.answer(confirmed=True) is None
    assert world.question
    assert world.question["action"]["kind"] == "click"
    assert world.browser.log == []

    agent = assistant_with_login(
        LOGIN_CALL, {"tool": "browser_click", "target": "b1"}, page=NEXT_PAGE, rule="changed"
    )
    await agent.say("log in")
    await agent.answer(confirmed=True)
    assert agent.question
    assert agent.question["kind"] != "login"
    assert agent.browser.written == []


async def test_a_fill_that_worked_covers_the_press_that_is_asked_about_without_it() -> None:
    world = login_world([LOGIN, PRESS], page=NEXT_PAGE)
    await world.say("log in")
    assert await world.answer(confirmed=True) == "Done."
    assert world.browser.log[-1].startswith("click")


async def test_a_refused_fill_takes_back_what_an_earlier_one_allowed() -> None:
    world = login_world([LOGIN, LOGIN, PRESS], page=NEXT_PAGE)
    await world.say("log in")
    assert await world.answer(confirmed=True) is None
    assert len(world.browser.written) == 1
    world.browser.rule = "changed"
    assert await world.answer(confirmed=True) is None
    assert world.question
    assert world.question["action"]["kind"] == "click"


async def test_a_yes_that_comes_too_late_fills_nothing() -> None:
    world = login_world([LOGIN], options={"decision_timeout": -1})
    await world.say("log in")
    await world.answer(confirmed=True)
    assert world.browser.written == []


async def test_a_code_on_the_next_page_needs_no_second_yes_for_ten_minutes() -> None:
    world = login_world([LOGIN, LOGIN | {"eid": "e1"}])
    await world.say("log in")

    def next_page(browser: LoginBrowser) -> None:
        if browser.written:
            browser.pages[AT], browser.fields, browser.form = CODE_PAGE, ("code",), None

    world.browser.before_look = next_page
    assert await world.answer(confirmed=True) == "Done."
    assert world.browser.written == [{"user": USER, "password": PASSWORD}, {"code": CODE}]
    assert CODE in world.browser.hidden
    assert not any(secret in everything(world) for secret in (USER, PASSWORD, CODE))


async def test_a_code_without_the_fill_before_it_is_asked_about() -> None:
    world = login_world([LOGIN | {"eid": "e1"}], page=CODE_PAGE, fields=("code",))
    assert await world.say("log in") is None
    assert world.question
    assert world.question["kind"] == "login"
    assert await world.answer(confirmed=True) == "Done."
    assert world.browser.written == [{"code": CODE}]


async def test_a_code_that_is_about_to_expire_is_waited_out() -> None:
    world = login_world([LOGIN | {"eid": "e1"}], page=CODE_PAGE, fields=("code",))
    world.vault.seconds_to_code = 0.01
    await world.say("log in")
    await world.answer(confirmed=True)
    assert world.browser.written == [{"code": CODE}]


async def test_while_the_vault_is_locked_the_person_is_asked_to_unlock_it() -> None:
    world = login_world([LOGIN])
    world.vault.is_locked = True
    assert await world.say("log in") is None
    assert world.question
    assert world.question["kind"] == "manual"
    assert "locked" in world.question["reason"]


def test_no_representation_shows_a_value() -> None:
    shown = repr(FieldValues({"user": USER, "password": PASSWORD})) + json.dumps(
        LoginForm(token="t").model_dump()
    )
    assert USER not in shown
    assert PASSWORD not in shown


def assistant_with_login(*turns: Any, page: str = LOGIN_PAGE, **browser: Any) -> Assistant:
    shown = LoginBrowser({AT: page}, url=AT, extra=EXTRA, **browser)
    stored = VaultInMemory([Stored("l1", ("shop.example",), USER, PASSWORD)])
    return Assistant([{"tool": "browser_snapshot"}, *turns, "Done."], shown, vault=stored)


LOGIN_CALL = {"tool": "login", "target": "p1", "login": "L1"}


async def test_the_assistant_asks_the_same_question_and_fills_after_the_yes() -> None:
    agent = assistant_with_login(LOGIN_CALL, {"tool": "browser_click", "target": "b1"})
    await agent.say("log in")
    assert agent.question
    assert agent.question["kind"] == "login"
    assert agent.browser.written == []
    assert "Logins here: L1" in str(agent.model.prompts)

    await agent.answer(confirmed=True)
    assert agent.browser.written == [{"user": USER, "password": PASSWORD}]
    assert agent.question is None
    assert "filled: password, user name" in agent.results[1]
    assert not any(secret in f"{agent.model.prompts}{agent.messages}" for secret in (USER, PASSWORD))


async def test_the_assistant_fills_nothing_after_a_no_or_against_a_rule() -> None:
    agent = assistant_with_login(LOGIN_CALL)
    await agent.say("log in")
    await agent.answer(confirmed=False)
    assert "refused" in agent.results[1]

    other = assistant_with_login(LOGIN_CALL, form=LoginForm(refused="hidden"))
    await other.say("log in")
    assert other.question
    assert other.question["kind"] == "manual"
    assert agent.browser.written == other.browser.written == []


async def test_without_a_login_that_fits_the_assistant_has_no_such_tool() -> None:
    agent = assistant_with_login()
    agent.vault.logins.clear()
    await agent.say("log in")
    assert "Logins here" not in str(agent.model.prompts)
