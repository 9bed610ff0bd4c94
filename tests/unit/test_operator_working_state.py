"""Goal, plan, progress and facts: they outlive the step, the page, the plan and the message."""

import re
from itertools import count, pairwise
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from server.agent.context import UserUpdates
from server.errors import RunFailed
from tests.support.operator_world import Granted, World, world
from tests.support.scripted_model import act, click, navigate, on, stop
from tests.unit.test_operator_graph import CART, LEADS, PAGES, SHOP, SHOP_PAGE

PLAN = ["Open the shop", "Compare prices", "Give the answer"]


def shop(*turns: Any, **options: Any) -> World:
    return world(dict(PAGES), turns, leads=dict(LEADS), url=SHOP, **options)


async def test_the_first_message_is_the_goal_and_the_model_may_word_it() -> None:
    it = shop(act("scroll", goal="Find the cheapest kettle", plan=PLAN, step=1), stop("ok"))
    await it.say("kettle, cheap!")
    assert it.values["current_goal"] == "Find the cheapest kettle"
    assert "Task: kettle, cheap!\nGoal: Find the cheapest kettle" in it.model.prompts[1]


async def test_a_plan_is_worked_off_and_the_answer_completes_it() -> None:
    it = shop(
        act("scroll", plan=PLAN, step=1, done="opened"), act("scroll", step=2, done="compared", blocked="no stock"),
        stop("5 EUR"),
    )  # fmt: skip
    await it.say("find it")
    assert it.values["progress"] == {"current": 3, "done": ["opened", "compared"], "blocked": ["no stock"]}
    assert "> 2. Compare prices" in it.model.prompts[2]
    assert "Done: opened; compared" in it.model.prompts[2]


@pytest.mark.parametrize(
    ("task", "disobedient", "plan"),
    [
        ("find it", {}, ["Look at the page", "Do what is asked and check it", "Give the answer"]),
        ("find it", {"plan": []}, ["Look at the page", "Do what is asked and check it", "Give the answer"]),
        ("найди чайник", {"plan": ["Поискать"]}, ["Поискать", "Сделать, что нужно, и проверить", "Дать ответ"]),
        ("find it", {"plan": ["Search", "Compare", "Stop"]}, ["Search", "Compare", "Stop", "Give the answer"]),
        ("find it", {"plan": [f"Do {n}" for n in range(1, 10)]}, ["Do 1", "Do 2", "Do 3", "Do 4", "Do 5", "Do 9"]),
    ],
)  # fmt: skip
async def test_a_model_that_plans_badly_gets_a_plan_that_ends_with_the_answer(
    task: str, disobedient: dict[str, Any], plan: list[str]
) -> None:
    it = shop(act("scroll", **disobedient), stop("5 EUR"))
    await it.say(task)
    expected = plan if len(plan) < 6 else [*plan[:5], "Give the answer"]
    assert it.values["plan"] == expected
    assert (
        "\n".join(f"{at}. {item}" for at, item in enumerate(expected, 1)).splitlines()[-1]
        in it.model.prompts[1]
    )
    assert it.values["progress"]["current"] == len(expected)


async def test_a_task_that_is_answered_at_once_needs_no_plan() -> None:
    it = shop(stop("Hello!"), stop("It is blue.", plan=["Say the colour"]))
    await it.say("hi")
    assert it.values["plan"] == []
    await it.say("what colour is it?")
    assert it.values["plan"] == ["Say the colour"]


async def test_eids_and_raw_text_of_a_disobedient_model_stay_out_of_the_working_state() -> None:
    long = "Brushed steel, one litre, two minutes, a lid that locks and a handle that stays cool. " * 3
    page = SHOP_PAGE + f"\n- paragraph [ref=p1] [box=0,120,900,60]: {long.strip()}"
    wordy = act(
        "scroll", goal="Click e2", plan=["Click e2", "Press [e3]", "Say what e2 link shows"],
        done="clicked e2", blocked="button e3 is grey", facts=[f"About it: {long}", "Link e2 leads to the kettle"],
    )  # fmt: skip
    it = world({SHOP: page}, [wordy, stop("ok")], url=SHOP)
    await it.say("go")
    kept = {name: it.values[name] for name in ("current_goal", "plan", "progress", "facts")}
    assert not re.search(r"\be\d", str(kept))
    assert it.values["plan"] == ["Click", "Press", "Say what link shows"]
    fact, link = (fact["fact"] for fact in it.values["facts"])
    assert len(fact) < len(long) - 100
    assert fact.startswith("About it: Brushed steel")
    assert link == "Link leads to the kettle"


async def test_every_change_of_the_working_state_is_told() -> None:
    it = shop(act("scroll", plan=PLAN, step=1), act("scroll", facts=["A costs 5"]), stop("ok"))
    await it.say("find it")
    told = it.of("state")
    assert [len(payload["facts"]) for payload in told] == [0, 0, 1, 1]
    assert [payload["plan"] for payload in told][:2] == [[], PLAN]
    assert told[-1]["progress"]["current"] == len(PLAN), "with the answer all is done"


async def test_a_replan_keeps_the_facts() -> None:
    it = shop(
        act("scroll", plan=PLAN, facts=["A costs 5"]),
        act("scroll", plan=["Try another shop", "Compare", "Answer"], facts=["B costs 7"]),
        stop("ok"),
    )
    await it.say("compare")
    assert it.values["plan"][0] == "Try another shop"
    assert [fact["fact"] for fact in it.values["facts"]] == ["A costs 5", "B costs 7"]


async def test_facts_carry_the_page_and_time_they_came_from() -> None:
    it = shop(click("Kettle", facts=["Kettles cost 43.90"]), stop("ok"))
    await it.say("price?")
    (fact,) = it.values["facts"]
    assert fact["url"] == SHOP
    assert fact["at"].endswith("+00:00")
    assert f"- Kettles cost 43.90 ({SHOP})" in it.model.prompts[1]


async def test_only_the_newest_page_is_seen_and_old_eids_are_gone() -> None:
    it = shop(click("Kettle"), stop("ok"))
    await it.say("go")
    work, _, page = it.model.prompts[1].partition("<page>")
    assert "Place order" in page
    assert "Search" not in page
    assert "[e" not in work.partition("Task:")[2]


async def test_continue_keeps_the_goal_the_plan_and_the_facts() -> None:
    it = shop(again=act("scroll", plan=PLAN, facts=["A costs 5"], step=2), max_tool_steps=1)
    it.model.turns[:] = [it.model.again, "Scrolled. Go on?"]
    await it.say("compare all kettles")
    it.model.turns[:] = [stop("A is cheapest.")]
    for_second = len(it.model.prompts)
    assert await it.say("да, продолжай") == "A is cheapest."
    prompt = it.model.prompts[for_second]
    assert "Task: compare all kettles" in prompt
    assert "A costs 5" in prompt
    assert "> 2. Compare prices" in prompt
    assert it.values["current_goal"] == "compare all kettles"


async def test_a_new_request_after_the_answer_replaces_the_goal_and_the_plan() -> None:
    it = shop(stop("5 EUR", plan=PLAN, facts=["A costs 5"]), stop("Sunny."))
    await it.say("price of A?")
    await it.say("how is the weather?")
    assert it.values["current_goal"] == "how is the weather?"
    assert it.values["plan"] == []
    assert it.values["facts"][0]["fact"] == "A costs 5"
    assert "Task: how is the weather?" in it.model.prompts[1]
    assert "User: price of A?" in it.model.prompts[1]
    assert "You: 5 EUR" in it.model.prompts[1]


async def test_feedback_on_unfinished_work_is_the_task_and_the_goal_stays_the_anchor() -> None:
    it = shop(act("scroll", plan=PLAN), "Paused. Go on?", max_tool_steps=1)
    await it.say("buy a kettle")
    it.model.turns[:] = [stop("ok")]
    await it.say("only red ones")
    assert "Task: only red ones\nGoal: buy a kettle" in it.model.prompts[-1]
    assert it.values["plan"] == PLAN


async def test_an_answer_in_between_does_not_complete_the_plan_of_unfinished_work() -> None:
    it = shop(act("scroll", plan=PLAN, step=2), "Paused. Go on?", max_tool_steps=1)
    await it.say("buy a kettle")
    it.model.turns[:] = [stop("It is blue.")]
    await it.say("what colour is the first?")
    assert it.values["progress"]["current"] == 1
    it.model.turns[:] = [stop("Bought.", step=3)]
    await it.say("continue")
    assert it.values["progress"]["current"] == len(PLAN)


async def test_the_plan_of_a_new_task_begins_at_its_first_item() -> None:
    it = shop(
        act("scroll", plan=PLAN, step=3, done=PLAN[0], blocked=PLAN[1]), "Paused. Go on?", max_tool_steps=1
    )
    await it.say("buy a kettle")
    it.model.turns[:] = [
        act("scroll", plan=[*PLAN[:2], "Tell the colour", "Give the answer"], done="scrolled"),
        "Paused.",
    ]
    await it.say("what colour has the first kettle?")
    assert it.values["progress"] == {"current": 0, "done": ["scrolled"], "blocked": []}


async def test_a_plan_that_replaces_its_own_keeps_what_is_done() -> None:
    it = shop(
        act("scroll", plan=PLAN, step=2, done=PLAN[0]), act("scroll", plan=[PLAN[0], "Ask", "Give the answer"]),
        "Paused. Go on?", max_tool_steps=2,
    )  # fmt: skip
    await it.say("buy a kettle")
    assert it.values["progress"] == {"current": 1, "done": [PLAN[0]], "blocked": []}


async def test_the_same_words_begin_an_unfinished_task_anew() -> None:
    it = shop(act("scroll", plan=PLAN, step=3, done=PLAN[0]), "Paused. Go on?", max_tool_steps=1)
    await it.say("buy a kettle")
    it.model.turns[:] = [stop("ok")]
    await it.say("buy a kettle")
    assert PLAN[0] not in it.model.prompts[-1]
    assert it.values["progress"] == {"current": 0, "done": [], "blocked": []}


async def test_a_message_that_is_run_again_goes_on_from_what_is_known() -> None:
    it = shop(
        act("scroll", plan=PLAN, step=2, facts=["A costs 5"]), RunFailed("away", code="llm_unavailable")
    )
    with pytest.raises(RunFailed):
        await it.say("compare")
    it.numbers = count()
    it.model.turns[:] = [stop("ok")]
    await it.say("compare")
    assert "> 2. Compare prices" in it.model.prompts[-1]
    assert "A costs 5" in it.model.prompts[-1]


async def test_an_edited_message_is_a_new_goal_and_takes_the_place_of_the_old() -> None:
    it = shop(stop("The blue one is bought.", plan=PLAN))
    await it.say("buy a blue kettle")
    it.numbers = count()
    it.model.turns[:] = [stop("red")]
    await it.say("buy a red kettle")
    assert it.values["current_goal"] == "buy a red kettle"
    assert it.values["plan"] == []
    assert "blue" not in it.model.prompts[-1]


async def test_counters_start_anew_with_each_message() -> None:
    it = shop(act("scroll"), stop("one"), act("scroll"), stop("two"), max_tool_steps=2)
    await it.say("one")
    assert await it.say("two") == "two"
    assert it.values["tool_steps"] == 1
    assert len(it.values["steps"]) == 1


# The person at the side


async def test_a_steering_message_is_read_before_the_next_step() -> None:
    it = shop(act("scroll"), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(messages=("only red ones",))]
    await it.say("find a kettle")
    assert "only red ones" not in it.model.prompts[0]
    assert "the user said: only red ones" in it.model.prompts[1]
    assert "User: only red ones" in it.model.prompts[1]


async def test_a_steering_message_right_before_an_act_makes_the_agent_think_again() -> None:
    it = shop(click("Kettle"), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(messages=("do not touch kettles",))]
    await it.say("find a kettle")
    assert it.browser.log == []
    assert "do not touch kettles" in it.model.prompts[1]


async def test_an_edited_plan_is_followed_from_the_next_step_and_not_overwritten() -> None:
    mine = ("Look at teapots", "Give the answer")
    it = shop(act("scroll", plan=PLAN), act("scroll", plan=PLAN), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(plan=mine)]
    await it.say("find a kettle")
    assert "only proposed to them):\n> 1. Look at teapots" in it.model.prompts[1]
    assert it.values["plan"] == list(mine)
    assert list(mine) in [payload["plan"] for payload in it.of("state")]


MINE = ("Look at teapots", "Give the answer")
NEW = ["Try another shop", "Compare", "Answer"]


async def test_a_new_plan_beside_an_edited_one_is_proposed_and_the_edited_one_is_followed() -> None:
    it = shop(act("scroll", plan=PLAN), act("wait", plan=NEW), act("scroll", amount=5), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(plan=MINE)]
    await it.say("find a kettle")
    assert (it.values["plan"], it.values["proposed_plan"]) == (list(MINE), NEW)
    assert "Look at teapots" in it.model.prompts[2]
    assert "Try another shop" not in it.model.prompts[2]
    assert [payload["proposed_plan"] for payload in it.of("state")][-2:] == [NEW, NEW]
    assert it.of("state")[-1]["plan"] == list(MINE)


async def test_a_plan_that_the_person_emptied_stays_empty_until_the_model_has_another() -> None:
    it = shop(act("scroll", plan=PLAN), act("wait"), act("back", plan=NEW), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(plan=())]
    await it.say("find a kettle")
    assert [payload["plan"] for payload in it.of("state")][-1] == []
    assert it.values["proposed_plan"] == NEW


async def test_what_was_turned_down_by_an_edit_is_not_proposed_again() -> None:
    it = shop(act("scroll", plan=PLAN), act("wait", plan=PLAN), act("back", plan=list(MINE)), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(plan=(*MINE[:1], "Weigh them", MINE[1]))]
    await it.say("find a kettle")
    assert it.values["plan"][0] == "Look at teapots"
    assert it.values["proposed_plan"] == [MINE[0], "Do what is asked and check it", MINE[1]]


async def test_a_proposal_that_is_accepted_is_followed_and_the_model_plans_freely_again() -> None:
    newer = ["Ask the shop", "Wait for it", "Answer"]
    it = shop(
        act("scroll", plan=PLAN), act("wait", plan=NEW), act("back"), act("wait", plan=newer), stop("ok")
    )
    it.inbox.news = [
        UserUpdates(),
        UserUpdates(),
        UserUpdates(plan=MINE),
        UserUpdates(),
        UserUpdates(plan=tuple(NEW)),
    ]
    await it.say("find a kettle")
    assert "Plan:\n> 1. Try another shop" in it.model.prompts[2]
    assert "the user accepted the new plan" in it.model.prompts[2]
    assert (it.values["plan"], it.values["proposed_plan"]) == (newer, [])


async def test_a_proposal_that_is_turned_down_does_not_come_again_and_another_one_does() -> None:
    newer = ["Ask the shop", "Wait for it", "Answer"]
    it = shop(
        act("scroll", plan=PLAN),
        act("wait", plan=NEW),
        act("back", plan=NEW),
        act("wait", plan=newer),
        stop("ok"),
    )
    it.inbox.news = [
        UserUpdates(),
        UserUpdates(),
        UserUpdates(plan=MINE),
        UserUpdates(),
        UserUpdates(dismissed=tuple(NEW)),
    ]
    await it.say("find a kettle")
    told = [payload["proposed_plan"] for payload in it.of("state")]
    assert [plan for plan, before in zip(told[1:], told, strict=False) if plan != before] == [NEW, [], newer]
    assert it.values["plan"] == list(MINE)
    assert "the user turned the proposed plan down" in it.model.prompts[2]


async def test_a_proposal_survives_a_restart_and_goes_with_its_goal() -> None:
    it = shop(act("scroll", plan=PLAN), act("wait", plan=NEW), stop("ok"), stop("hello"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(plan=MINE)]
    await it.say("find a kettle")
    it.build()
    assert (await it.graph.aget_state({"configurable": {"thread_id": "s"}})).values["proposed_plan"] == NEW
    await it.say("another task")
    assert (it.values["plan"], it.values["proposed_plan"], it.values["plan_edited"]) == ([], [], False)


async def test_a_plan_of_the_persons_own_may_be_as_long_as_they_like() -> None:
    mine = tuple(f"Step {number}" for number in range(9))
    it = shop(act("scroll", plan=PLAN), stop("ok"))
    it.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(plan=mine)]
    await it.say("find a kettle")
    assert it.values["plan"] == list(mine)


async def test_after_a_take_over_the_page_is_looked_at_anew_and_the_note_is_told() -> None:
    it = shop(on("Kettle", "read"), stop("ok"))
    it.inbox.news = [
        UserUpdates(),
        UserUpdates(),
        UserUpdates(takeover="address changed to /cart; a value was entered in User"),
    ]
    await it.say("go")
    assert it.browser.looks == 2
    assert "a value was entered in User" in it.model.prompts[1]


async def test_messages_stay_bounded() -> None:
    it = shop(again=stop("ok"))
    for number in range(30):
        await it.say(f"message {number}")
    assert len(it.values["messages"]) <= 42
    assert it.values["messages"][-2] == HumanMessage("message 29", id="m29")


async def test_the_prompt_grows_by_a_line_a_step_and_not_with_the_pages() -> None:
    it = shop(*(navigate(url) for url in (CART, SHOP, CART + "?1", SHOP + "?1")), stop("ok"))
    await it.say("go")
    lengths = [len(prompt.partition("<page>")[0]) for prompt in it.model.prompts]
    growth = [after - before for before, after in pairwise(lengths[1:])]
    assert max(growth) < 60


async def test_nothing_the_model_writes_makes_every_later_prompt_long() -> None:
    long = "x" * 8000
    turns = [
        act("scroll", goal=long, plan=[long] * 2, done=long, blocked=long, facts=[long, "A costs 5"]),
        navigate(f"{SHOP}?q={long}", facts=["B costs 7"]), act("press", key=long), act("scroll", facts=["C costs 9"]),
        navigate(CART), stop("ok"),
    ]  # fmt: skip
    it = shop(*turns)
    it.model.piece = 300
    it.browser.failing["press"] = "No such key."
    it.grants = Granted({("shop.example", "unknown_submit")})
    assert await it.say("look") == "ok"
    assert max(map(len, it.model.prompts)) < 6000
    assert ": No such key." in it.model.prompts[3]
    assert "- C costs 9 (https://shop.example/?q=xxx" in it.model.prompts[-1]


async def test_a_form_of_many_fields_is_one_short_line() -> None:
    many = [{"eid": "e1", "text": f"word {n} " * 50} for n in range(90)]
    it = shop(act("type", fields=many), stop("ok"))
    it.model.piece = 300
    await it.say("fill it in")
    (step,) = it.values["steps"]
    assert len(step) < 800
    assert step.endswith(", 84 more: ok")


async def test_what_the_person_is_asked_to_do_names_no_eids_and_has_an_end() -> None:
    it = shop(
        act("need_user", reason="Log in [e2] and click e3 there.\n\nThen say done. " + "Please. " * 900)
    )
    await it.say("go")
    text = (it.question or {})["reason"]
    assert text.startswith("Log in and click there.\nThen say done.")
    assert len(text) <= 1000
