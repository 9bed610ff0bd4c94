"""Nothing that needs a person's yes happens without it, and a yes is worth one act on one page."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.agent.context import UserUpdates
from server.browser.mcp.lifecycle import BROWSER_RESTARTED
from server.browser.observation.page_script import Extra, Sent
from tests.support.databases import open_saver
from tests.support.migrated import create_migrated
from tests.support.operator_world import Post, World, world
from tests.support.scripted_browser import BLANK, ScriptedBrowser
from tests.support.scripted_model import act, click, navigate, stop, type_into
from tests.unit.test_operator_graph import CART, CART_PAGE, LEADS, PAGES, THANKS

LOGIN = "https://mail.example/login"
LOGIN_PAGE = """\
- heading "Log in" [level=1] [ref=l1] [box=0,0,200,20]
- textbox "User" [ref=l2] [box=0,30,200,20]
- textbox "Password" [ref=l3] [box=0,60,200,20]
- button "Log in" [ref=l4] [box=0,90,200,20]"""
BUY = click("Place order")


def cart(*turns: Any, **options: Any) -> World:
    return world(dict(PAGES), turns, leads=dict(LEADS), url=options.pop("url", CART), **options)


async def test_an_order_asks_with_facts_of_the_page_only() -> None:
    it = cart(click("Place order", reason="the user already approved this"))
    assert await it.say("buy it") is None
    question = it.question or {}
    assert question["kind"] == "confirm"
    box = [10.0, 10.0, 20.0, 5.0]
    assert question["target"] == {"role": "button", "name": "Place order", "box": box, "start": None}
    assert question["url"] == CART
    assert question["risk"] == "order"
    assert "approved" not in question["reason"]
    assert question["screenshot"]
    assert question["expires_at"]
    assert question["reference"] == question["action"]["id"]
    assert it.browser.effects == []


async def test_a_step_that_the_model_itself_calls_a_commitment_asks_although_its_name_tells_nothing() -> None:
    page = '- heading "Weather" [level=1] [ref=w1] [box=0,0,200,20]\n- button "Right then" [ref=w2] [box=0,30,80,20]'
    url = "https://weather.example/"
    silent = world({url: page}, [click("Right then"), stop("ok")], url=url)
    honest = world({url: page}, [click("Right then", commits="order")], url=url)
    assert await silent.say("go on") == "ok"
    assert await honest.say("go on") is None
    question = honest.question or {}
    assert (question["risk"], question["action"]["commits"]) == ("order", "order")
    assert honest.browser.effects == []


async def test_yes_does_that_very_action_once_and_goes_on() -> None:
    it = cart(BUY, stop("Ordered."))
    await it.say("buy it")
    assert await it.answer(True) == "Ordered."
    assert it.browser.effects == [f"Place order -> {THANKS}"]
    assert len(it.model.prompts) == 2


async def test_what_is_allowed_after_an_approved_act_is_not_held_to_its_approval() -> None:
    it = cart(BUY, navigate(CART), stop("Ordered."))
    await it.say("buy it")
    assert await it.answer(True) == "Ordered."
    assert it.browser.effects == [f"Place order -> {THANKS}"]
    assert it.browser.url == CART
    assert "approval" not in it.model.prompts[-1]


async def test_a_second_yes_changes_nothing() -> None:
    it = cart(BUY, stop("Ordered."))
    await it.say("buy it")
    await it.answer(True)
    await it.resume({"confirmed": True})
    assert it.browser.effects == [f"Place order -> {THANKS}"]


async def test_no_alone_ends_cancelled_and_asks_what_to_do_instead() -> None:
    it = cart(BUY)
    await it.say("buy it")
    answer = await it.answer(False)
    assert it.values["outcome"] == "cancelled"
    assert str(answer).endswith("?")
    assert it.browser.effects == []
    assert it.spoken == answer


@pytest.mark.parametrize("words", ["no, choose the cheaper one", "what would it cost?", "yes, but cheaper"])
async def test_words_instead_of_a_yes_are_feedback_to_plan_anew_with(words: str) -> None:
    it = cart(BUY, stop("I took the cheaper one."))
    await it.say("buy it")
    assert await it.reply(words) == "I took the cheaper one."
    assert words in it.model.prompts[1]
    assert it.browser.effects == []


async def test_no_with_a_message_is_feedback() -> None:
    it = cart(BUY, stop("ok"))
    await it.say("buy it")
    await it.answer(False, "the red one")
    assert "the red one" in it.model.prompts[1]


async def test_a_refused_act_that_is_planned_again_is_told_to_the_model_and_not_asked_for() -> None:
    it = cart(BUY, BUY, stop("You refused the order."))
    await it.say("buy it")
    assert await it.answer(False, "use the red one") == "You refused the order."
    assert 'Place order": the user refused it: do not try it again' in it.model.prompts[1]
    assert it.model.prompts[2].count("the user refused it") == 2
    assert it.browser.effects == []


async def test_a_model_that_plans_a_refused_act_a_third_time_ends_the_run() -> None:
    it = cart(BUY, BUY, BUY)
    await it.say("buy it")
    answer = await it.answer(False, "use the red one")
    assert it.values["outcome"] == "cancelled"
    assert str(answer).endswith("?")
    assert it.browser.effects == []


async def test_a_refused_act_is_the_same_whatever_the_model_says_of_it() -> None:
    it = cart(BUY, click("Place order", commits="order", reason="now they want it"), stop("Refused."))
    await it.say("buy it")
    assert await it.answer(False, "use the red one") == "Refused."


async def test_words_in_a_message_refuse_like_the_button() -> None:
    it = cart(BUY, BUY, stop("Refused."))
    await it.say("buy it")
    assert await it.reply("choose the red one") == "Refused."


LATER_WORDS = [UserUpdates(messages=("order it after all",)), UserUpdates(plan=("Place the order",))]


@pytest.mark.parametrize("news", LATER_WORDS)
async def test_later_words_of_the_person_allow_to_ask_for_a_refused_act_again(news: UserUpdates) -> None:
    it = cart(BUY, BUY)
    await it.say("buy it")
    it.inbox.news = [news]
    assert await it.answer(False, "wait") is None
    assert (it.question or {})["target"]["name"] == "Place order"


async def test_words_from_before_a_refusal_do_not_lift_it() -> None:
    it = cart(BUY, BUY, stop("Refused."))
    await it.say("buy it")
    it.inbox.news = [UserUpdates(plan=("Place the order",), are_words_old=True)]
    assert await it.answer(False, "leave it") == "Refused."


async def test_words_with_another_answer_allow_to_ask_for_a_refused_act_again() -> None:
    it = cart(BUY, act("need_user", reason="Which one?"), BUY)
    await it.say("buy it")
    await it.answer(False, "leave it")
    assert (it.question or {})["kind"] == "manual"
    assert await it.answer(True, "the blue one, order it") is None
    assert (it.question or {})["kind"] == "confirm"


async def test_what_the_person_changed_and_said_at_a_hand_back_reaches_the_model() -> None:
    it = cart(act("need_user", reason="Log in."), stop("ok"))
    await it.say("buy it")
    await it.answer(True, "use the blue one", changes="The page is now the inbox.")
    assert 'The page is now the inbox. The person says: "use the blue one"' in it.model.prompts[-1]


@pytest.mark.parametrize("words", ["no problem", "нет проблем", "ок 🤔", "не спрашивай, делай"])
async def test_an_unclear_answer_is_asked_again_and_is_not_a_no(words: str) -> None:
    it = cart(BUY, BUY, stop("Ordered."))
    await it.say("buy it")
    assert await it.reply(words) is None
    assert it.browser.effects == []
    assert (it.question or {})["kind"] == "confirm"
    assert f"the user said: {words}" in it.model.prompts[1]
    await it.answer(True)
    assert len(it.browser.effects) == 1


@pytest.mark.parametrize("words", ["да", "Yes, please do it", "ok", "ок", "нет проблем, делай"])
async def test_a_plain_yes_in_words_is_a_yes(words: str) -> None:
    it = cart(BUY, stop("Ordered."))
    await it.say("buy it")
    await it.reply(words)
    assert len(it.browser.effects) == 1


async def test_a_yes_to_another_question_is_none() -> None:
    it = cart(BUY, stop("ok"))
    await it.say("buy it")
    await it.resume({"reference": "another", "confirmed": True})
    assert it.browser.effects == []
    assert "was for another action: nothing was done" in it.model.prompts[1]


@pytest.mark.parametrize("late", [{"expired": True}, {}])
async def test_a_yes_that_comes_too_late_is_none(late: dict[str, Any]) -> None:
    it = cart(BUY, BUY, options={"decision_timeout": 600.0 if late else -1.0})
    await it.say("buy it")
    first = it.question
    await it.answer(True, **late)
    assert it.browser.effects == []
    assert it.question is not None
    assert it.question["reference"] != (first or {})["reference"]


class LaterInbox(Post):
    """Each look into it takes place some seconds later."""

    now, later = 1e9, 660.0

    async def take_updates(self) -> UserUpdates:
        self.now += self.later
        return await super().take_updates()


def asked_for_ten_minutes(later: float) -> World:
    inbox = LaterInbox()
    inbox.later = later
    options = {"clock": lambda: inbox.now, "decision_timeout": 600.0}
    return cart(BUY, stop("ok"), inbox=inbox, options=options)


async def test_a_yes_in_time_is_none_when_its_time_is_up_before_the_act() -> None:
    it = asked_for_ten_minutes(660)
    await it.say("buy it")
    await it.answer(True)
    assert it.browser.effects == []
    assert "the user's approval came too late: nothing was done" in it.model.prompts[1]


@pytest.mark.parametrize("is_same", [True, False])
async def test_a_yes_after_eight_hours_of_patience_acts_on_the_same_page_or_asks_anew(is_same: bool) -> None:
    """The browser was parked in between: it is started again."""
    it = asked_for_ten_minutes(0)
    it.patience = 24 * 3600
    await it.say("buy it")
    it.inbox.now += 8 * 3600  # type: ignore[attr-defined]
    if not is_same:
        url = it.browser.url
        it.browser.pages[url] = it.browser.pages[url].replace("€43.90", "€99.00")
    it.is_open = False
    await it.answer(True)
    assert len(it.browser.effects) == is_same
    assert is_same or "the page changed after the user's approval" in it.model.prompts[1]


async def test_a_yes_to_a_question_that_was_put_off_holds_longer() -> None:
    for valid_until, effects in ((1e9 + 9 * 3600, 1), (1e9 + 7 * 3600, 0)):
        it = asked_for_ten_minutes(0)
        await it.say("buy it")
        it.inbox.now += 8 * 3600  # type: ignore[attr-defined]
        await it.answer(True, valid_until=datetime.fromtimestamp(valid_until, UTC).isoformat())
        assert len(it.browser.effects) == effects


async def test_a_yes_holds_until_the_very_end_of_its_time() -> None:
    it = asked_for_ten_minutes(600)
    await it.say("buy it")
    await it.answer(True)
    assert it.browser.effects == [f"Place order -> {THANKS}"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Place order"', '"Transfer everything"'),
        ("[ref=c3]", "[ref=c9]"),
        ('- button "Place order"', '- link "Place order"'),
    ],
)
async def test_a_page_that_changed_after_the_yes_voids_it(old: str, new: str) -> None:
    it = cart(BUY, stop("It changed."))
    await it.say("buy it")
    twin = '\n- button "Place order" [ref=c7] [box=0,200,200,20]\n- button "Place order" [ref=c8] [box=0,240,200,20]'
    it.browser.pages[CART] = CART_PAGE.replace(old, new) + (twin if "ref" in old else "")
    looks = it.browser.looks
    await it.answer(True)
    assert it.browser.effects == []
    assert it.browser.looks == looks + 1  # what was found serves the next step, too
    assert "the page changed after the user's approval: nothing was done" in it.model.prompts[1]


async def test_another_price_around_the_button_asks_anew() -> None:
    form = CART_PAGE.replace("- paragraph [ref=c2] [box=0,30,200,20]: Total €43.90\n", "").replace(
        "- button", '- form "Total €43.90" [ref=f1] [box=0,60,800,100]:\n  - button'
    )
    it = cart(BUY, BUY)
    it.browser.pages[CART] = form
    await it.say("buy it")
    it.browser.pages[CART] = form.replace("€43.90", "€4390.00")
    await it.answer(True)
    assert it.browser.effects == []
    assert it.question is not None


async def test_a_form_that_is_sent_elsewhere_after_the_yes_asks_anew_and_says_where() -> None:
    form = '- form [ref=f1] [box=0,60,800,100]:\n  - button "Place order" [ref=c3] [box=0,60,200,20]'
    it = cart(BUY, BUY)
    it.browser.pages[CART] = form

    def send_to(address: str) -> None:
        it.browser.extra = Extra(sent=(Sent(box=(0, 60, 200, 20), to=address),), submits=((0, 60, 200, 20),))

    send_to(THANKS)
    await it.say("buy it")
    assert (it.question or {})["sends_to"] is None
    send_to("https://thief.example/order")
    await it.answer(True)
    assert it.browser.effects == []
    assert (it.question or {})["sends_to"] == "thief.example"


async def test_another_address_voids_the_yes() -> None:
    it = cart(BUY, stop("moved"))
    await it.say("buy it")
    it.browser.url = CART + "?currency=BTC"
    it.browser.pages[it.browser.url] = CART_PAGE
    await it.answer(True)
    assert it.browser.effects == []


async def test_a_page_that_changes_between_look_and_click_is_looked_at_right_before_the_click() -> None:
    it = cart(BUY, stop("ok"))
    await it.say("buy it")
    looks = it.browser.looks
    await it.answer(True)
    assert it.browser.looks == looks + 2  # before the act, and after it


async def test_a_button_that_changes_while_the_model_thinks_is_judged_as_it_is_at_the_click() -> None:
    """A page of several steps often keeps its button and only changes the words on it."""
    step = '- button "{}" [ref=n1] [box=0,0,90,20]'
    it = world(
        {CART: step.format("Next")}, [], url=CART, leads={(CART, "Next"): THANKS, (CART, "Pay now"): THANKS}
    )

    def think(prompt: str) -> dict[str, Any]:
        it.browser.pages[CART] = step.format("Pay now")
        return click("Next")(prompt)

    it.model.turns, it.model.again = [think], click("Pay now")
    assert await it.say("go on") is None
    assert it.browser.effects == []
    question = it.question or {}
    assert question["target"]["name"] == "Pay now"
    assert question["screenshot"] == f"/shots/{len(it.kept)}.jpg"
    assert it.kept[-1].data.decode() == it.browser.moment


STEPS = """\
- heading "{}" [level=1] [ref=h1] [box=0,0,200,20]
- button "Continue" [ref=n1] [box=0,30,90,20]"""
CROWD = "\n".join(f'- button "{n}" [ref=x{n}] [box={n % 40 * 30},{n // 40 * 30},20,20]' for n in range(400))


def pondering(it: World, turn: Any, change: Callable[[], None]) -> Callable[[str], dict[str, Any]]:
    """A turn of a model that thinks for a while, in which the page changes."""

    def think(prompt: str) -> dict[str, Any]:
        change()
        return dict(turn(prompt) if callable(turn) else turn)

    return think


def changing(before: str, after: str, turn: Any, *more: Any, again: Any = None) -> World:
    """Both buttons of the page have an effect; it changes while the model thinks about the first turn."""
    leads = {(CART, name): THANKS for name in ("Continue", "Pay now")}
    it = world({CART: before}, [], url=CART, leads=leads)
    it.model.turns = [pondering(it, turn, lambda: it.browser.pages.update({CART: after})), *more]
    it.model.again = again
    return it


async def test_a_target_that_is_left_out_of_a_long_page_is_still_judged_as_it_is_now() -> None:
    will = STEPS.format("Your order will be placed now").replace("[box=0,30", "[box=0,3000")
    it = changing(STEPS.format("Step 1 of 3"), f"{CROWD}\n{will}", click("Continue"), stop("It changed."))
    assert await it.say("go on") == "It changed."
    assert it.browser.effects == []
    assert "the page changed before the action: nothing was done" in it.model.prompts[1]


async def test_a_harmless_target_is_found_on_a_page_that_has_grown_long() -> None:
    step = STEPS.format("Step 1 of 3").replace("[box=0,30", "[box=0,3000")
    it = changing(STEPS.format("Step 1 of 3"), f"{CROWD}\n{step}", click("Continue"), stop("ok"))
    assert await it.say("go on") == "ok"
    assert it.browser.effects == [f"Continue -> {THANKS}"]


@pytest.mark.parametrize("after", ["", '- button "Pay now" [ref=n2] [box=0,30,90,20]'])
async def test_a_target_that_is_not_found_again_is_not_pressed(after: str) -> None:
    it = changing(STEPS.format("Step 1 of 3"), after, click("Continue"), stop("It is gone."))
    assert await it.say("go on") == "It is gone."
    assert (it.browser.log, it.browser.effects) == ([], [])
    assert "the page changed before the action: nothing was done" in it.model.prompts[1]


async def test_a_browser_lost_before_an_act_is_told_although_that_look_is_replaced() -> None:
    it = changing(STEPS.format("Step 1 of 3"), "", click("Continue"), stop("It is gone."))
    pondered = it.model.turns[0]
    it.model.turns[0] = pondering(it, pondered, lambda: it.browser.notes.append(BROWSER_RESTARTED))
    assert await it.say("go on") == "It is gone."
    assert it.model.prompts[1].count(f"Note: {BROWSER_RESTARTED}") == 1


ESCAPE = act("press", key="Escape")
HEADING, BUTTON = STEPS.format("Step 1 of 3").split("\n")


@pytest.mark.parametrize("turn", [ESCAPE, act("press", key="Tab")])
@pytest.mark.parametrize("before", [f"{HEADING}\n{BUTTON}", HEADING, BUTTON])
async def test_a_page_that_can_no_longer_be_read_is_not_an_unchanged_one(
    before: str, turn: dict[str, Any]
) -> None:
    it = changing(before, "", turn, stop("I cannot see it."))
    assert await it.say("go on") == "I cannot see it."
    assert it.browser.log == []


@pytest.mark.parametrize("after", [HEADING, BUTTON])
async def test_a_page_of_only_text_or_only_controls_can_be_read(after: str) -> None:
    it = changing(f"{HEADING}\n{BUTTON}", after, ESCAPE, stop("ok"))
    assert await it.say("go on") == "ok"
    assert it.browser.log == ["press Escape"]


async def test_an_approved_key_is_not_pressed_on_a_page_that_can_no_longer_be_read() -> None:
    it = world({CART: STEPS.format("Cart")}, [act("press", key="Enter"), stop("no")], url=CART)
    assert await it.say("press enter") is None
    it.browser.pages[CART] = ""
    assert await it.answer(True) == "no"
    assert it.browser.log == []


async def test_typing_into_what_is_no_field_is_judged_again_like_a_click() -> None:
    label = '- generic [ref=n1] [cursor=pointer] [box=0,0,90,20]: "{}"'
    it = changing(
        label.format("Details"),
        label.format("Delete my account"),
        type_into({"Details": "x"}),
        again=stop("no"),
    )
    await it.say("go on")
    assert it.browser.log == []


async def test_a_clock_that_was_set_back_makes_no_old_look_a_new_one() -> None:
    clock = [1e9]
    it = cart(stop("It is gone."), options={"clock": lambda: clock[0]})
    it.browser.pages[CART] = STEPS.format("Step 1 of 3")
    it.browser.leads[(CART, "Continue")] = THANKS

    def think(prompt: str) -> dict[str, Any]:
        clock[0] -= 3600
        move = click("Continue")(prompt)
        it.browser.pages[CART] = '- button "Pay now" [ref=n2] [box=0,30,90,20]'
        return dict(move)

    it.model.turns.insert(0, think)
    assert await it.say("go on") == "It is gone."
    assert (it.browser.log, it.browser.effects) == ([], [])
    assert "the page changed before the action: nothing was done" in it.model.prompts[1]


async def test_a_page_that_always_changes_ends_at_the_step_limit() -> None:
    it = changing("", "", None)
    numbers = iter(range(1000))

    def flicker() -> None:
        n = next(numbers)
        it.browser.pages[CART] = (
            f'- button "Next" [ref=n{n}] [box=0,{n},90,20]\n' * 2
            + f"- paragraph [ref=p{n}] [box=0,60,90,20]: Offer number {n} of today"
        )

    def turn(prompt: str) -> dict[str, Any]:
        return pondering(it, click("Next"), flicker)(prompt) if "<page" in prompt else stop("Shall I go on?")

    flicker()
    it.max_tool_steps, it.model.turns, it.model.again = 3, [], turn
    assert await it.say("go on")
    assert (it.values["outcome"], it.values["tool_steps"]) == ("limit", 3)
    assert it.browser.log == []


async def test_the_focus_of_a_page_is_forgotten_with_the_page() -> None:
    """Targets of some tool servers are numbers that mean another element on the next page."""
    pages = {
        CART: '- link "Next" [ref=7] [box=0,0,90,20]:\n  - /url: /thanks',
        THANKS: '- searchbox "Search" [ref=7] [box=0,0,90,20]',
    }
    turns = [click("Next"), act("press", key="Enter"), stop("no")]
    it = world(pages, turns, url=CART, leads={(CART, "Next"): THANKS})
    assert await it.say("go on") is None
    assert (it.question or {})["target"] is None


async def test_enter_is_judged_by_what_the_page_gave_the_focus_to() -> None:
    snapshot = """\
- search [ref=n1] [box=0,0,300,20]:
  - searchbox "Find" [ref=n2] [box=0,0,200,20]
- dialog "Clean up" [ref=n3] [box=0,40,300,40]:
  - button "Delete all" [active] [ref=n4] [box=0,40,90,20]"""
    it = world({CART: snapshot}, [click("Find"), act("press", key="Enter")], url=CART)
    assert await it.say("look for it") is None
    assert (it.question or {})["target"]["name"] == "Delete all"


async def test_after_tab_nobody_knows_what_enter_would_press() -> None:
    it = world({CART: '- searchbox "Find" [ref=n2] [box=0,0,200,20]'}, [], url=CART)
    it.model.turns = [click("Find"), act("press", key="Tab"), act("press", key="Enter")]
    assert await it.say("look for it") is None
    assert (it.question or {})["target"] is None


async def test_an_ordinary_step_is_not_looked_at_twice() -> None:
    it = cart(act("scroll"), stop("ok"))
    await it.say("look")
    assert it.browser.looks == 2


async def test_after_five_questions_the_person_is_asked_how_to_go_on() -> None:
    it = cart(again=BUY)
    await it.say("buy it")
    for _ in range(4):
        await it.reply("what would it cost?")
        assert (it.question or {})["kind"] == "confirm"
    await it.reply("what would it cost?")
    assert (it.question or {})["kind"] == "manual"
    assert "5" in (it.question or {})["reason"]
    for _ in range(5):
        await it.reply("what would it cost?")
        assert (it.question or {})["kind"] == "confirm"
    await it.reply("what would it cost?")
    assert (it.question or {})["kind"] == "manual"
    assert it.browser.effects == []


async def test_a_grant_of_the_session_spares_the_question() -> None:
    it = cart(BUY, stop("Ordered."))
    it.grants.kinds.add(("shop.example", "order"))
    assert await it.say("buy it") == "Ordered."
    assert len(it.browser.effects) == 1


async def test_a_grant_is_for_one_site_and_kind() -> None:
    for grant in (("other.example", "order"), ("shop.example", "send")):
        it = cart(BUY)
        it.grants.kinds.add(grant)
        assert await it.say("buy it") is None


async def test_enter_in_a_field_that_was_typed_into_is_judged_as_sending() -> None:
    page = """\
- form "Send message" [ref=f1] [box=0,0,800,400]:
  - textbox "Message to Ann" [ref=f2] [box=0,30,200,20]
  - button "Send" [ref=f3] [box=0,60,200,20]"""
    url = "https://mail.example/compose"
    it = world({url: page}, [type_into({"Message to Ann": "hi"}), act("press", key="Enter")], url=url)
    assert await it.say("send hi to Ann") is None
    assert (it.question or {})["target"]["name"] == "Message to Ann"
    it = world({url: page}, [type_into({"Message to Ann": "hi"}, submit=True)], url=url)
    assert await it.say("send hi to Ann") is None
    assert it.browser.log == []


async def test_typing_a_password_always_asks_and_shows_it_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "server")
    typing = type_into({"User": "ann", "Password": "S3cret!"}, reason="Log in with S3cret!")
    it = world({LOGIN: LOGIN_PAGE}, [typing, stop("ok")], url=LOGIN)
    assert await it.say("log in") is None
    assert (it.question or {})["risk"] == "credential"
    assert "S3cret!" not in str(it.question)
    await it.answer(True)
    assert it.browser.log == ["type User=ann, Password=S3cret!"]
    assert "S3cret!" not in str(it.told) + caplog.text
    assert "S3cret!" not in it.model.prompts[-1]


async def test_a_login_in_an_address_is_used_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "server")
    it = world({}, [navigate("https://ann:s3cret@mail.example/delete?id=3"), stop("ok")])
    assert await it.say("tidy up") is None
    assert "s3cret" not in str(it.question)
    await it.answer(True)
    assert it.browser.log == ["navigate https://ann:s3cret@mail.example/delete?id=3"]
    assert "s3cret" not in str(it.of("tool_start")) + str(it.values["steps"]) + caplog.text


async def test_a_plan_that_is_edited_while_the_question_is_open_needs_no_second_yes() -> None:
    it = cart(BUY, stop("Ordered."))
    await it.say("buy it")
    it.inbox.news = [UserUpdates(plan=("Buy it", "Save the invoice"))]
    assert await it.answer(True) == "Ordered."
    assert it.browser.effects == [f"Place order -> {THANKS}"]
    assert it.values["plan"] == ["Buy it", "Save the invoice"]
    assert "the user edited the plan" in it.model.prompts[1]


async def test_who_had_the_browser_before_the_yes_and_changed_nothing_is_not_asked_again() -> None:
    it = cart(BUY, stop("Ordered."))
    await it.say("buy it")
    it.inbox.news = [UserUpdates(takeover="Nothing was changed.", before_answer=True)]
    assert await it.answer(True) == "Ordered."
    assert it.browser.effects == [f"Place order -> {THANKS}"]
    assert "the user had the browser: Nothing was changed." in it.model.prompts[1]


async def test_who_takes_the_browser_after_the_yes_has_changed_their_mind() -> None:
    it = cart(BUY, stop("ok"))
    await it.say("buy it")
    it.inbox.news = [UserUpdates(takeover="")]
    await it.answer(True)
    assert it.browser.effects == []


async def test_steering_right_before_an_approved_act_voids_the_yes() -> None:
    it = cart(BUY, stop("ok"))
    await it.say("buy it")
    it.inbox.news = [UserUpdates(messages=("stop, do not buy",))]
    await it.answer(True)
    assert it.browser.effects == []
    assert "stop, do not buy" in it.model.prompts[1]


# A step of the person's own


async def test_a_login_is_handed_over_and_picked_up_from_the_new_page() -> None:
    inbox = "https://mail.example/inbox"
    pages = {LOGIN: LOGIN_PAGE, inbox: '- heading "Inbox (3)" [level=1] [ref=i1] [box=0,0,200,20]'}
    it = world(pages, [act("need_user", reason="Please log in."), stop("3 messages.")], url=LOGIN)
    assert await it.say("how many messages?") is None
    question = it.question or {}
    assert (question["kind"], question["reason"]) == ("manual", "Please log in.")
    it.browser.url = inbox
    assert await it.answer(True) == "3 messages."
    assert "Inbox (3)" in it.model.prompts[1]
    assert it.values["current_goal"] == "how many messages?"


@pytest.mark.parametrize(("kind", "wants"), [("need_user", "step"), ("ask_user", "answer")])
async def test_the_agent_says_whether_it_wants_a_step_or_an_answer(kind: str, wants: str) -> None:
    it = world({LOGIN: LOGIN_PAGE}, [act(kind, reason="Which mailbox? Please log in.")], url=LOGIN)
    assert await it.say("read my mail") is None
    assert (it.question or {})["wants"] == wants


async def test_a_wish_is_told_in_at_most_a_thousand_characters() -> None:
    for wish in ("x" * 2000, f"{'x' * 600}\n{'y' * 600}"):
        it = world({LOGIN: LOGIN_PAGE}, [act("need_user", reason=wish)], url=LOGIN)
        assert await it.say("log in") is None
        assert len((it.question or {})["reason"]) == 1000


@pytest.mark.parametrize("words", ["готово", "done", "I am in", "I took the other account"])
async def test_any_wording_ends_the_wait(words: str) -> None:
    it = world({LOGIN: LOGIN_PAGE}, [act("need_user", reason="log in"), stop("ok")], url=LOGIN)
    await it.say("read my mail")
    looks = it.browser.looks
    assert await it.reply(words) == "ok"
    assert it.browser.looks == looks + 1


async def test_words_beyond_done_are_feedback() -> None:
    it = world({LOGIN: LOGIN_PAGE}, [act("need_user", reason="log in"), stop("ok")], url=LOGIN)
    await it.say("read my mail")
    await it.answer(message="I took the other account")
    assert "I took the other account" in it.model.prompts[1]


ROBOT = """\
- heading "One moment" [level=1] [ref=r1] [box=0,0,200,20]
- checkbox "I'm not a robot" [ref=r2] [box=0,30,200,20]
- textbox "Name" [ref=r3] [box=0,60,200,20]
- button "Refresh" [ref=r4] [box=0,90,200,20]
- button "Next" [ref=r5] [box=0,120,200,20]"""


def robot(*turns: Any) -> World:
    return world({CART: ROBOT}, turns, url=CART)


async def test_a_captchas_own_controls_are_never_used() -> None:
    it = robot(click("I'm not a robot"), click("I'm not a robot"), stop("no"))
    for _ in range(2):
        await (it.answer(True) if it.question else it.say("read it"))
        assert (it.question or {})["kind"] == "manual"
        assert "shop.example wants to see that a person is there" in (it.question or {})["reason"]
    assert it.browser.log == []


async def test_a_model_that_goes_on_beside_a_captcha_is_stopped_once_and_the_person_asked() -> None:
    fill = type_into({"Name": "Ann"})
    it = robot(fill, click("Refresh"), fill, click("Next"), click("Next"), click("Refresh"), stop("ok"))
    assert await it.say("fill it in") is None
    assert (it.question or {})["kind"] == "manual"
    assert it.browser.log == ["type Name=Ann", "click Refresh", "type Name=Ann"]
    assert await it.answer(True) == "ok"
    assert it.browser.log[3:] == ["click Next", "click Refresh"]


async def test_after_a_captcha_was_handed_over_the_next_page_with_one_allows_as_many_tries_as_the_first() -> (
    None
):
    turns = [click("I'm not a robot"), navigate(THANKS), click("Refresh"), stop("ok")]
    it = world({CART: ROBOT, THANKS: ROBOT}, turns, url=CART)
    assert await it.say("go on") is None
    assert await it.answer(True) == "ok"
    assert it.browser.log == [f"navigate {THANKS}", "click Refresh"]


async def test_a_link_that_speaks_of_captchas_is_no_captcha() -> None:
    page = '- link "What is a captcha?" [ref=l1] [box=0,0,90,20]:\n  - /url: /thanks'
    it = world({CART: page}, [click("What is a captcha?"), stop("ok")], url=CART)
    assert await it.say("read it") == "ok"
    assert it.browser.log == ["click What is a captcha?"]


async def test_reading_a_page_with_a_captcha_asks_nobody() -> None:
    it = robot(act("scroll"), act("wait"), stop("It is a check."))
    assert await it.say("read it") == "It is a check."


# A restart of the service in the middle of a question


async def restarted(path: Path, turns: list[Any], answer: dict[str, Any], *, blank: bool) -> World:
    """Ask in one process, answer in the next: new graph, new saver, perhaps a new browser."""
    create_migrated(path)
    async with open_saver(f"sqlite:///{path}") as saver:
        first = cart(BUY, checkpointer=saver)
        await first.say("buy it")
        assert first.question
    async with open_saver(f"sqlite:///{path}") as saver:
        second = cart(*turns, checkpointer=saver, url=BLANK if blank else CART)
        second.question = first.question
        await second.answer(**answer)
        return second


async def test_a_yes_after_a_restart_acts_once_when_the_page_is_the_same(tmp_path: Path) -> None:
    it = await restarted(tmp_path / "c.db", [stop("Ordered.")], {"confirmed": True}, blank=False)
    assert it.browser.effects == [f"Place order -> {THANKS}"]
    assert it.values["final_response"] == "Ordered."


async def test_a_yes_after_a_restart_that_lost_the_page_asks_anew(tmp_path: Path) -> None:
    it = await restarted(tmp_path / "c.db", [navigate(CART), BUY], {"confirmed": True}, blank=True)
    assert it.browser.effects == []
    assert (it.question or {})["kind"] == "confirm"


async def test_a_no_after_a_restart_is_a_no(tmp_path: Path) -> None:
    it = await restarted(tmp_path / "c.db", [], {"confirmed": False}, blank=True)
    assert it.browser.effects == []
    assert it.values["outcome"] == "cancelled"


async def test_a_run_cut_off_in_the_act_is_never_repeated_by_the_next_message() -> None:
    it = cart(BUY, stop("What next?"))
    await it.say("buy it")

    class Killed(BaseException):
        pass

    class DyingBrowser(ScriptedBrowser):
        async def click(self, element: Any, **manner: Any) -> Any:
            self._go(element)
            raise Killed

    it.browser = DyingBrowser(it.browser.pages, it.browser.leads, it.browser.url)
    with pytest.raises(Killed):
        await it.answer(True)
    assert len(it.browser.effects) == 1
    it.browser.url = CART
    assert await it.say("are you there?") == "What next?"
    assert len(it.browser.effects) == 1


async def test_edits_of_the_state_while_a_question_is_open_keep_the_question_answerable() -> None:
    it = cart(BUY, stop("Ordered."))
    await it.say("buy it")
    config: Any = {"configurable": {"thread_id": "s"}}
    await it.graph.aupdate_state(config, {"plan": ["mine"], "plan_edited": True})
    assert (await it.graph.aget_state(config)).next == ("confirm_interrupt",)
    assert await it.answer(True) == "Ordered."
    assert it.values["plan"] == ["mine"]
    assert len(it.browser.effects) == 1
