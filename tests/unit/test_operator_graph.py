"""The real graph over a scripted model and a scripted browser: every node, every edge."""

import logging
from pathlib import Path
from typing import Any

import pytest

from server.agent.gate import Gate
from tests.support.operator_world import FINALS, World, world
from tests.support.scripted_model import act, click, navigate, on, stop, type_into

SHOP = "https://shop.example/"
CART = "https://shop.example/cart"
THANKS = "https://shop.example/thanks"
SHOP_PAGE = """\
- heading "Shop" [level=1] [ref=e1] [box=0,0,200,20]
- textbox "Search" [ref=e2] [box=0,30,200,20]
- link "Kettle" [ref=e3] [box=0,60,200,20]:
  - /url: /cart
- button "Grey" [disabled] [ref=e4] [box=0,90,200,20]"""
CART_PAGE = """\
- heading "Checkout" [level=1] [ref=c1] [box=0,0,200,20]
- paragraph [ref=c2] [box=0,30,200,20]: Total €43.90
- button "Place order" [ref=c3] [box=128,72,256,36]"""
PAGES = {
    SHOP: SHOP_PAGE,
    CART: CART_PAGE,
    THANKS: '- heading "Thank you" [level=1] [ref=t1] [box=0,0,200,20]',
}
LEADS = {(SHOP, "Kettle"): CART, (CART, "Place order"): THANKS}

EDGES = {
    ("__start__", "ingest_user_input"), ("ingest_user_input", "maybe_observe"), ("maybe_observe", "plan_action"),
    ("plan_action", "validate_action"),
    ("validate_action", "policy_gate"), ("validate_action", "plan_action"), ("validate_action", "manual_interrupt"),
    ("validate_action", "finalize_blocked"),
    ("policy_gate", "execute_action"), ("policy_gate", "confirm_interrupt"), ("policy_gate", "manual_interrupt"),
    ("policy_gate", "finalize_denied"),
    ("confirm_interrupt", "execute_action"), ("confirm_interrupt", "finalize_cancelled"),
    ("confirm_interrupt", "maybe_observe"), ("manual_interrupt", "maybe_observe"),
    ("execute_action", "maybe_stop_or_continue"), ("maybe_stop_or_continue", "maybe_observe"),
    ("maybe_stop_or_continue", "finalize_done"), ("maybe_stop_or_continue", "finalize_limit"),
    *((final, "__end__") for final in FINALS),
}  # fmt: skip


def shop(*turns: Any, **options: Any) -> World:
    return world(PAGES, turns, leads=dict(LEADS), url=SHOP, **options)


def test_the_graph_has_exactly_the_nodes_and_edges_of_its_design() -> None:
    drawn = shop().graph.get_graph()
    assert {(edge.source, edge.target) for edge in drawn.edges} == EDGES


async def test_an_answer_without_a_step_ends_done() -> None:
    it = shop(stop("Hello!"))
    assert await it.say("hi") == "Hello!"
    assert it.values["outcome"] == "done"
    assert it.browser.log == []


async def test_talk_alone_starts_no_browser_and_the_first_need_does() -> None:
    it = shop(stop("Harbour"), stop("Hi"), navigate(CART), stop("There."), is_open=False)
    assert await it.say("ping") == "Harbour"
    assert await it.say("hello") == "Hi"
    assert not it.is_open
    assert it.browser.looks == 0
    assert "URL: about:blank" in it.model.prompts[0]
    assert await it.say("open the cart") == "There."
    assert it.is_open
    assert "Place order" in it.model.prompts[3]


async def test_steps_follow_each_other_until_the_answer() -> None:
    it = shop(type_into({"Search": "kettle"}), click("Kettle"), stop("In the cart."))
    assert await it.say("put a kettle in the cart") == "In the cart."
    assert it.browser.log == ["type Search=kettle", "click Kettle"]
    assert it.values["tool_steps"] == 2
    assert [payload["step"] for payload in it.of("step")] == [1, 2]


@pytest.mark.parametrize(
    ("turn", "done"),
    [
        (on("Kettle", "hover"), "hover Kettle"),
        (on("Search", "select", option="Tea"), "select Tea in Search"),
        (act("press", key="Escape"), "press Escape"),
        (act("scroll", direction="up", amount=300), "scroll up 300"),
        (act("scroll"), "scroll down 600"),
        (act("wait", ms=250), "wait 250"),
        (act("wait", ms=999_999), "wait 10000"),
        (act("back"), "back"),
        (act("switch_tab", tab=0), "switch_tab 0"),
        (act("dialog"), "dialog False None"),
        (navigate(CART), f"navigate {CART}"),
        (on("Kettle", "focus"), "focus Kettle"),
        (on("Kettle", "read"), "read Kettle"),
    ],
)
async def test_every_action_reaches_the_browser(turn: Any, done: str) -> None:
    it = shop(turn, stop("ok"))
    assert await it.say("do it") == "ok"
    assert it.browser.log == [done]


async def test_why_a_step_is_taken_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "server")
    await shop(act("scroll", reason="The rest of the list is below."), stop("ok")).say("look")
    assert "because: The rest of the list is below." in caplog.text


async def test_a_screenshot_is_a_step_and_changes_nothing() -> None:
    it = shop(act("screenshot"), stop("ok"))
    await it.say("look")
    assert it.browser.log == []
    assert it.values["tool_steps"] == 1
    assert "screenshot: ok; This model cannot see pictures." in it.model.prompts[1]


async def test_only_a_file_of_the_session_can_be_given_to_a_page(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "photo.jpg").write_bytes(b"x")
    outside, inside = on("Kettle", "upload", file="/etc/passwd"), on("Kettle", "upload", file="photo.jpg")
    it = shop(outside, inside, stop("ok"), files=tmp_path)
    assert await it.say("send the photo") is None
    assert "Files to upload: photo.jpg" in it.model.prompts[0]
    assert "there is no file '/etc/passwd', only: photo.jpg" in it.model.prompts[1]
    assert (it.question or {})["risk"] == "upload"
    await it.answer(True)
    assert it.browser.log == [f"upload {tmp_path / 'given' / 'photo.jpg'}"]


async def test_what_was_read_is_seen_once_and_not_kept() -> None:
    it = shop(on("Kettle", "read"), act("scroll"), stop("ok"))
    await it.say("read it")
    assert [("text around Kettle" in prompt) for prompt in it.model.prompts] == [False, True, False]
    assert it.values["reading"] is None


async def test_screenshot_and_observation_come_together_after_what_may_change_the_page() -> None:
    it = shop(act("scroll"), on("Kettle", "read"), act("wait"), stop("ok"))
    await it.say("look around")
    assert it.browser.looks == 3  # first, after scroll, after wait; not after read
    assert len(it.of("observation")) == 3
    assert all(payload["screenshot"] for payload in it.of("observation"))


async def test_every_tool_start_has_its_end_with_a_picture() -> None:
    it = shop(click("Kettle"), stop("ok"))
    await it.say("go")
    (start,), (end,) = it.of("tool_start"), it.of("tool_end")
    assert start["call_id"] == end["call_id"]
    assert start["args"]["element"] == 'link "Kettle"'
    assert end["ok"]
    assert end["url"] == CART
    assert end["screenshot"]
    assert end["box"] == [0.0, 8.33, 15.62, 2.78]


async def test_a_wrong_eid_is_told_and_planned_anew() -> None:
    it = shop(act("click", eid="e99"), click("Kettle"), stop("ok"))
    assert await it.say("go") == "ok"
    assert "click: there is no element [e99] on this page" in it.model.prompts[1]
    assert it.values["tool_steps"] == 1


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (act("click"), "click needs eid"),
        (on("Grey", "click"), "is disabled"),
        (on("Kettle", "type", text="x"), "cannot be typed into"),
        (act("type", text="x"), "type needs eid and text"),
        (act("navigate"), "navigate needs url"),
        (navigate("https:///"), "is no whole address"),
        (act("press"), "press needs key"),
        (act("stop"), "stop needs final_response"),
        (on("Search", "select"), "select needs option"),
    ],
)
async def test_an_action_that_cannot_be_taken_is_told(turn: Any, why: str) -> None:
    it = shop(turn, stop("ok"))
    await it.say("go")
    assert why in it.model.prompts[1]
    assert it.browser.log == []
    assert why in it.values["failures"][0]


async def test_three_invalid_actions_in_a_row_end_blocked() -> None:
    it = shop(again=act("click", eid="e99"))
    answer = await it.say("go")
    assert it.values["outcome"] == "blocked"
    assert str(answer).startswith(
        "I cannot go on: 3 times in a row the step I chose was not possible on this page."
    )
    assert len(it.model.prompts) == 3
    assert it.spoken == answer


async def test_wrong_eids_between_sound_steps_do_not_add_up() -> None:
    wrong = act("click", eid="e99")
    it = shop(wrong, wrong, act("scroll"), wrong, wrong, act("wait"), wrong, stop("ok"))
    assert await it.say("go") == "ok"


async def test_a_denied_action_ends_denied_and_never_happens() -> None:
    it = shop(navigate("javascript:alert(1)"))
    answer = await it.say("run it")
    assert it.values["outcome"] == "denied"
    assert "only http" in str(answer)
    assert it.browser.log == []
    assert it.spoken == answer


async def test_a_blocked_host_is_denied() -> None:
    it = shop(navigate("https://evil.example/"), gate=Gate(blocked_hosts=("evil.example",)))
    await it.say("go there")
    assert it.values["outcome"] == "denied"
    assert it.browser.log == []


async def test_a_failed_step_is_told_and_the_work_goes_on() -> None:
    it = shop(click("Kettle"), stop("ok"))
    it.browser.failing["click Kettle"] = "Another element is in the way."
    await it.say("go")
    assert it.of("tool_end")[0]["ok"] is False
    assert "Another element is in the way." in it.model.prompts[1]
    assert it.values["failures"]


async def test_notes_of_the_browser_reach_the_model() -> None:
    it = shop(act("scroll"), stop("ok"))
    it.browser.notes.append("The browser was restarted: open pages and what was typed are lost.")
    await it.say("go")
    assert "The browser was restarted" in it.model.prompts[0]


async def test_an_address_on_the_site_at_hand_may_be_short() -> None:
    it = shop(navigate("/cart"), navigate("?page=2"), stop("ok"))
    assert await it.say("go") == "ok"
    assert it.browser.log == [f"navigate {CART}", f"navigate {CART}?page=2"]


async def test_a_short_address_on_no_site_is_told_and_ends_nothing() -> None:
    it = shop(navigate("/cart"), stop("ok"), is_open=False)
    assert await it.say("go") == "ok"
    assert "'/cart' is no whole address" in it.model.prompts[1]


async def test_a_control_that_is_covered_is_no_silent_site() -> None:
    it = shop(on("Search", "hover"), on("Kettle", "hover"), stop("ok"))
    it.browser.failing["hover"] = "Not done within 5 s: something else covers it."
    await it.say("go")
    assert "something else covers it" in it.model.prompts[2]
    assert "leave it" not in it.model.prompts[2]


async def test_a_site_that_does_not_answer_twice_is_to_be_left() -> None:
    it = shop(navigate(CART + "?a"), navigate(CART + "?b"), stop("ok"))
    it.browser.failing["navigate"] = "The page did not answer within 20 s."
    await it.say("go")
    assert "leave it" not in it.model.prompts[1]
    assert "did not answer 2 times: leave it" in it.model.prompts[2]


async def test_the_answer_streams_while_it_is_written_and_is_kept_byte_for_byte() -> None:
    answer = 'Две строки:\n"чай" \\ 😀 – done'
    it = shop(stop(answer))
    assert await it.say("tell me") == answer
    assert it.spoken == answer
    assert len(it.of("token")) > 5
    assert it.values["messages"][-1].text == answer


async def test_state_holds_plain_values_no_picture_and_one_page() -> None:
    it = shop(click("Kettle"), on("Place order", "focus"), stop("ok"))
    await it.say("go")
    plain = {name: value for name, value in it.values.items() if name != "messages"}
    _assert_plain(plain)
    assert it.values["last_observation"]["page"]["url"] == CART
    assert "Kettle" not in str(it.values["last_observation"])


def _assert_plain(value: Any) -> None:
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value)
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            _assert_plain(item)
    else:
        assert value is None or isinstance(value, str | int | float | bool)


async def test_there_is_no_loop_in_agent_code() -> None:
    import ast

    from server.agent import operator

    for path in Path(operator.__file__).parent.glob("*.py"):
        assert not any(isinstance(node, ast.While) for node in ast.walk(ast.parse(path.read_text()))), path
