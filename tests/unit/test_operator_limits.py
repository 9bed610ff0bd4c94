"""No endless work: limits end in a summary and a question, repetition in a new plan or a question."""

from collections.abc import Mapping
from typing import Any

import pytest

from server.agent.operator.act.limits import OperatorLimits
from server.agent.operator.finishing import _closing_question
from server.agent.operator.memory.state import State
from server.errors import RunFailed
from tests.support.operator_world import World, world
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import act, click, navigate, stop
from tests.unit.test_operator_graph import LEADS, PAGES, SHOP


def shop(*turns: Any, **options: Any) -> World:
    return world(dict(PAGES), turns, leads=dict(LEADS), url=SHOP, **options)


async def test_the_step_limit_ends_in_a_summary_and_a_question() -> None:
    scrolls = [act("scroll", amount=amount, facts=["A costs 5"]) for amount in (100, 200, 300)]
    it = shop(*scrolls, "I scrolled three times. Shall I go on?", max_tool_steps=3)
    answer = await it.say("look at everything")
    assert answer == "I scrolled three times. Shall I go on?" == it.spoken
    assert it.values["outcome"] == "limit"
    assert it.values["tool_steps"] == 3
    prompt = it.model.prompts[-1]
    assert "the limit of 3 steps is reached" in prompt
    assert "A costs 5" in prompt


@pytest.mark.parametrize(
    ("state", "dollars", "reached"),
    [
        ({}, None, None),
        ({"tool_steps": 0}, None, None),
        ({"tool_steps": 2}, None, None),
        ({"tool_steps": 3}, None, "the limit of 3 steps is reached"),
        ({"tokens": 99}, None, None),
        ({"tokens": 100}, None, "the token budget of this task is used up"),
        ({"cost": 0.99}, 1.0, None),
        ({"cost": 1.0}, 1.0, "the cost budget of this task is used up"),
        ({"cost": 1.0}, None, None),
        ({"deadline": 50.01}, None, None),
        ({"deadline": 50.0}, None, "the time for this task is used up"),
        ({"tool_steps": 3, "tokens": 100, "cost": 1.0, "deadline": 50.0}, 1.0, "the limit of 3 steps is reached"),
    ],
)  # fmt: skip
def test_a_limit_is_reached_at_its_value_and_not_before(
    state: dict[str, Any], dollars: float | None, reached: str | None
) -> None:
    limits = OperatorLimits(tokens=100, seconds=60, dollars=dollars)
    assert limits.reached(State.read(state), max_steps=3, now=50.0) == reached


def test_a_run_that_has_used_nothing_has_reached_no_limit() -> None:
    limits = OperatorLimits(tokens=1, seconds=60, dollars=0.01)
    assert limits.reached(State(), max_steps=1, now=50.0) is None


async def test_a_summary_that_forgets_the_question_gets_one() -> None:
    it = shop(act("scroll"), "I scrolled.", max_tool_steps=1)
    assert await it.say("look") == "I scrolled.\n\nShall I go on?" == it.spoken


async def test_the_question_comes_in_the_language_of_the_task() -> None:
    assert _closing_question(State.read({"task": "посмотри всё"}), "Готово.") == "\n\nПродолжать?"
    assert _closing_question(State.read({"task": "看一下"}), "可以继续吗？") == ""


async def test_the_summary_is_written_by_rule_when_the_model_fails() -> None:
    it = shop(
        act("scroll", plan=["a", "b", "answer"], step=2, done="scrolled", facts=["A costs 5"]),
        RunFailed("away", code="llm_unavailable"), max_tool_steps=1,
    )  # fmt: skip
    answer = str(await it.say("look at everything"))
    for part in ("the limit of 1 steps", "- scrolled", "- A costs 5", "**Next step**: b", "Shall I go on?"):
        assert part in answer
    assert it.spoken == answer


async def test_a_summary_by_rule_tells_what_failed_once_and_never_as_done() -> None:
    wrong = act("click", eid="e99")
    it = shop(wrong, wrong, act("scroll"), RunFailed("away", code="llm_unavailable"), max_tool_steps=1)
    answer = str(await it.say("look at everything"))
    done, failed = answer.split("**Did not work**")
    assert "- Scrolled down" in done
    assert ": ok" not in done
    assert "e99" not in done
    assert failed.count("e99") == 1


async def test_a_summary_by_rule_says_in_the_language_of_the_task_what_was_done() -> None:
    it = shop(navigate(SHOP), act("scroll"), RunFailed("away", code="llm_unavailable"), max_tool_steps=2)
    answer = str(await it.say("Bitte sieh dir alle Seiten an und vergleiche die Preise"))
    assert "- Geöffnet" in answer
    assert "- Gescrollt" in answer


async def test_the_token_budget_ends_the_same_way() -> None:
    it = shop(act("scroll"), act("scroll", amount=1), "Paused?", options={"token_budget": 150})
    assert await it.say("look") == "Paused?"
    assert "the token budget" in it.model.prompts[-1]


async def test_the_cost_budget_ends_the_same_way_with_the_price_of_every_turn() -> None:
    told: list[int] = []

    def cost_of(usage: Mapping[str, Any]) -> float:
        told.append(usage["total_tokens"])
        return 0.4

    scrolls = [act("scroll", amount=amount) for amount in (1, 2, 3)]
    it = shop(*scrolls, "Paused?", stop("ok"), options={"cost_budget": 1.0, "cost_of": cost_of})
    assert await it.say("look") == "Paused?"
    assert len(told) == 3
    assert all(told)
    assert it.values["cost"] == pytest.approx(1.2)
    assert "the cost budget" in it.model.prompts[-1]
    assert await it.say("go on") == "ok"
    assert it.values["cost"] == pytest.approx(0.4)


async def test_a_model_without_a_price_has_no_cost_budget() -> None:
    it = shop(act("scroll"), stop("ok"), options={"cost_budget": 0.000001})
    assert await it.say("look") == "ok"


async def test_the_time_budget_ends_the_same_way_and_waiting_does_not_count() -> None:
    it = shop(act("scroll"), "Paused?", options={"run_timeout": 0.0001})
    assert await it.say("look") == "Paused?"
    assert "the time for this task" in it.model.prompts[-1]
    it = shop(act("need_user", reason="log in"), act("scroll"), stop("ok"))
    await it.say("look")
    before = it.values["deadline"]
    assert it.question
    await it.answer(done=True)
    assert it.values["deadline"] > before


async def test_waiting_for_a_free_browser_does_not_count_either() -> None:
    it = shop(act("scroll"), stop("ok"), options={"run_timeout": 0.0001}, queued=60.0)
    assert await it.say("look") == "ok"


# The same thing again and again


async def test_an_action_without_effect_is_told_before_the_person_is_asked() -> None:
    it = shop(again=act("wait", ms=1))
    assert await it.say("wait for it") is None
    assert it.browser.log == ["wait 1", "wait 1"]
    assert "done 2 times on this very page without effect; change the plan" in it.model.prompts[3]
    assert len(it.model.prompts) == 5, "two attempts that were made, two that were refused, one that asks"
    question = it.question or {}
    assert question["kind"] == "manual"
    assert "shop.example" in question["reason"]


async def test_another_plan_after_the_warning_goes_on() -> None:
    same = act("wait", ms=1)
    it = shop(same, same, same, click("Kettle"), stop("ok"))
    assert await it.say("go") == "ok"
    assert it.browser.log == ["wait 1", "wait 1", "click Kettle"]


async def test_the_same_action_on_a_changed_page_is_progress() -> None:
    it = shop(again=act("scroll"), max_tool_steps=6)
    it.browser.before_look = lambda browser: browser.pages.update(
        {SHOP: PAGES[SHOP] + f'\n- link "Item {browser.looks}" [ref=i1] [box=0,120,200,20]'}
    )
    it.model.turns[:] = [act("scroll")] * 6 + ["Six screens seen. Go on?"]
    assert await it.say("collect") == "Six screens seen. Go on?"
    assert len(it.browser.log) == 6


async def test_two_actions_in_turn_without_effect_are_noticed_too() -> None:
    it = shop(*[act("scroll"), act("scroll", direction="up")] * 3, again=stop("I give up."))
    assert await it.say("find it") == "I give up."
    assert len(it.browser.log) == 4


# Answers of the model that cannot be used


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("I would click the button.", "not in words"),
        ({"raw": '{"action": "fly"}'}, "action"),
        ({"raw": "[1, 2"}, ""),
        ({"raw": '{"action":"back"}', "tool": "browser_click"}, "there is no tool `browser_click`"),
        ({"raw": '{"action":"click","eid":{"x":1}}'}, "eid"),
    ],
)
async def test_an_unusable_answer_gets_a_repair_turn(bad: Any, why: str) -> None:
    it = shop(bad, stop("ok"))
    assert await it.say("go") == "ok"
    assert "Your last answer could not be used" in it.model.prompts[1]
    assert why in it.model.prompts[1]


@pytest.mark.parametrize(
    "words",
    ['Like this:\n```json\n{"action": "scroll"}\n```', 'Sure! {"action":"stop","final_response":"ok"}'],
)
async def test_a_decision_is_never_read_out_of_words(words: str) -> None:
    it = shop(words, stop("done"))
    assert await it.say("go") == "done"
    assert it.browser.log == []
    assert "answer by a call of the tool `act`, not in words" in it.model.prompts[1]


async def test_repairs_are_laps_of_the_graph_and_do_not_add_up_over_steps() -> None:
    it = shop("words", "words", act("scroll"), "words", "words", stop("ok"))
    assert await it.say("go") == "ok"
    assert it.values["tokens"] == 600, "every lap is counted"
    assert (it.values["repairs"], it.values["problem"]) == (0, None)


async def test_an_answer_that_takes_back_what_was_streamed_fails_the_run() -> None:
    it = shop({"raw": '{"action":"stop","final_response":"A is best.","final_response":"B is best."}'})
    with pytest.raises(RunFailed) as failure:
        await it.say("go")
    assert failure.value.code == "llm_bad_response"
    assert it.values.get("final_response") is None


@pytest.mark.parametrize("odd", ["\\ud83d", "\n"])
async def test_invalid_characters_are_sent_with_the_final_answer(odd: str) -> None:
    it = shop({"raw": f'{{"action":"stop","final_response":"early {odd} late"}}'})
    assert await it.say("go") == it.spoken == it.values["final_response"]
    assert it.spoken in ("early \ufffd late", "early \n late")


async def test_words_beside_an_empty_answer_are_the_answer() -> None:
    it = shop({"raw": '{"action":"stop","final_response":""}', "beside": "It is 42."})
    assert await it.say("go") == "It is 42." == it.spoken


async def test_while_it_asks_again_the_person_is_told_why() -> None:
    it = shop("words", "words", stop("ok"))
    await it.say("go")
    assert [payload["text"][-28:] for payload in it.of("note")] == [
        "asking again (1 of 2 times).",
        "asking again (2 of 2 times).",
    ]


async def test_the_third_unusable_answer_fails_the_run_with_a_code() -> None:
    it = shop(again="words, words")
    with pytest.raises(RunFailed) as failure:
        await it.say("go")
    assert failure.value.code == "llm_bad_response"
    assert len(it.model.prompts) == 3


async def test_an_answer_that_was_streamed_is_kept_whatever_is_wrong_around_it() -> None:
    it = shop({"raw": '{"action":"stop","final_response":"All done.","ms":'})
    assert await it.say("go") == "All done." == it.spoken
    assert len(it.model.prompts) == 1


async def test_an_answer_cut_in_the_middle_is_no_answer() -> None:
    it = shop({"raw": '{"action":"stop","final_response":"All do'})
    with pytest.raises(RunFailed) as failure:
        await it.say("go")
    assert failure.value.code in ("llm_bad_response", "output_limit")


async def test_a_failing_model_fails_the_run_with_its_own_code() -> None:
    it = shop(RunFailed("slow down", code="llm_rate_limited"))
    with pytest.raises(RunFailed) as failure:
        await it.say("go")
    assert failure.value.code == "llm_rate_limited"


async def test_the_next_message_works_after_a_failed_one() -> None:
    it = shop(RunFailed("away", code="llm_unavailable"), stop("here"))
    with pytest.raises(RunFailed):
        await it.say("go")
    assert await it.say("again") == "here"


DEAD = '- button "Refresh list" [ref=d1] [box=0,90,90,20]'


def ticking(text: str, *turns: Any) -> World:
    """A page with a dead button next to a text that is another at each look."""
    it = shop(*turns)
    it.browser.before_look = lambda browser: browser.pages.update(
        {SHOP: f"{PAGES[SHOP]}\n- paragraph: {text.format(n=browser.looks)}\n{DEAD}"}
    )
    return it


@pytest.mark.parametrize("text", ["Time now 12:00:{n}", "Viewers {n}", "Price {n}.50 EUR in {n} shops"])
async def test_a_dead_button_beside_what_ticks_is_pressed_twice(text: str) -> None:
    it = ticking(text, *[click("Refresh list")] * 3, stop("It does nothing."))
    assert await it.say("refresh the list") == "It does nothing."
    assert it.browser.log == ["click Refresh list"] * 2
    assert "done 2 times on this very page without effect" in it.model.prompts[-1]


async def test_a_dead_button_is_called_so_at_once() -> None:
    it = shop(click("Refresh list"), stop("It does nothing."))
    it.browser.pages[SHOP] = f"{PAGES[SHOP]}\n{DEAD}"
    assert await it.say("refresh the list") == "It does nothing."
    assert 'click button "Refresh list": ok; nothing on the page changed' in it.model.prompts[-1]


@pytest.mark.parametrize(
    ("closed", "opened"),
    [
        ('- button "Export" [ref=m1]', '- button "Export" [expanded] [ref=m1]\n- menuitem "March" [ref=m2]'),
        ('- button "Export" [ref=m1]', '- button "Export" [ref=m1]\n- menuitem "March" [ref=m2]'),
        ('- button "Export" [ref=m1]\n- paragraph: Closed', '- button "Export" [ref=m1]\n- menuitem "March" [ref=m2]'),
    ],
)  # fmt: skip
async def test_a_menu_can_be_used_twelve_times(closed: str, opened: str) -> None:
    it = shop(*[click("Export"), click("March")] * 12, stop("Exported."), max_tool_steps=30)

    def show(browser: ScriptedBrowser) -> None:
        is_open = bool(browser.log) and browser.log[-1] == "click Export"
        browser.pages[SHOP] = f"{PAGES[SHOP]}\n{opened if is_open else closed}"

    it.browser.before_look = show
    assert await it.say("export each month") == "Exported."
    assert it.browser.log == ["click Export", "click March"] * 12


async def test_a_button_that_adds_to_a_number_can_be_pressed_many_times() -> None:
    it = shop(*[click("Refresh list")] * 8, stop("Eight."))
    it.browser.before_look = lambda browser: browser.pages.update(
        {SHOP: f"{PAGES[SHOP]}\n- paragraph: Pieces {len(browser.log)}\n{DEAD}"}
    )
    assert await it.say("add eight") == "Eight."
    assert len(it.browser.log) == 8
