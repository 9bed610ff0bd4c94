"""The player of the task bench finds controls and answers in what it is sent, and the tasks have their pages."""

from __future__ import annotations

from typing import Any

import pytest

from bench.task.hands import StockHand
from bench.task.player import Player
from bench.task.request_parts import parts_of
from bench.task.script import Look, Script, Target, Task, check, click, fill
from bench.task.shown import one_line, read_observation, read_snapshot, words_of
from bench.task.site import open_site
from bench.task.tasks import KINDS, TASKS
from tests.support.model_reply import Asked, Reply
from tests.support.sites import Site

OBSERVATION = """URL: http://shop.example/
Title: Mail
# Inbox
[e1] clickable "Anna Low"
[e2] clickable "trash" (Anna Low)
[e3] clickable "Bruno May"
[e4] clickable "trash" (Bruno May)
- 49.90 € | ★★★★☆ (315)
[e5] textbox "Search" value="kettle"
[e6] button "Search"
# Gift card
[e7] textbox "Code"
[e8] button "Apply" #2"""
SNAPSHOT = """- main [ref=e1]:
  - row "Anna Low 2026" [ref=e2]:
    - cell "Anna Low" [ref=e3]
    - button "Delete" [ref=e4] [cursor=pointer]
  - row "Bruno May 2025" [ref=e5]:
    - cell "Bruno May" [ref=e6]
    - button "Delete" [ref=e7] [cursor=pointer]
    - generic [ref=e8] [cursor=pointer]
  - textbox [ref=e9]:
    - /placeholder: Name or e-mail
  - 'button "Say: hello" [ref=e10]'
  - text: Total 12 €"""


@pytest.mark.parametrize(
    ("target", "eid"),
    [
        (Target("trash", near="Bruno May"), "e4"),
        (Target("trash|delete", near="Anna Low"), "e2"),
        (Target("Search", kind="field"), "e5"),
        (Target("Search", kind="button"), "e6"),
        (Target("Apply", near="Gift card"), "e8"),
        (Target("Apply", near="Anna Low"), None),
        (Target("Pay"), None),
        (Target("trash", near="Clara"), None),
    ],
)
def test_a_control_is_found_in_an_observation_by_its_words_and_those_near_it(
    target: Target, eid: str | None
) -> None:
    assert read_observation(OBSERVATION).find(target) == eid


@pytest.mark.parametrize(
    ("target", "ref"),
    [
        (Target("Delete", near="Bruno May"), "e7"),
        (Target("Delete", near="Anna Low"), "e4"),
        (Target("Name or e-mail", kind="field"), "e9"),
        (Target("say: hello"), "e10"),
        (Target("trash", near="Anna Low"), None),
        (Target("Delete", near="Clara"), None),
    ],
)
def test_a_control_is_found_in_a_snapshot_in_the_smallest_part_with_the_words(
    target: Target, ref: str | None
) -> None:
    assert read_snapshot(SNAPSHOT).find(target) == ref


def test_the_words_of_both_forms_are_read_alike() -> None:
    assert "49.90 € ★★★★☆ (315)" in read_observation(OBSERVATION).text
    assert "Bruno May 2025" in read_snapshot(SNAPSHOT).text
    assert one_line("## Mill\n| [Part 7](/p/7) | **9 kg** |") == "Mill Part 7 9 kg"


def test_every_task_has_its_page_and_every_kind_two_tasks() -> None:
    with Site() as site:
        open_site(site)
        missing = [task.page for task in TASKS if task.page not in site.pages]
    assert missing == []
    assert len(TASKS) == len({task.name for task in TASKS}) == 40
    assert [kind for kind in KINDS if sum(task.kind == kind for task in TASKS) < 2] == []


def _operator_asks(page: str, steps: str = "", facts: str = "") -> Asked:
    text = (
        f"Task: t\n{facts}Steps so far:\n{steps}<page>\n{page}\n</page>"
        if steps
        else f"Task: t\n<page>\n{page}\n</page>"
    )
    tools = [{"type": "function", "function": {"name": "act"}}]
    return Asked("chat", {"messages": [{"role": "user", "content": text}], "tools": tools}, {})


def _args(reply: Reply) -> dict[str, Any]:
    args = reply.calls[0].args
    assert isinstance(args, dict)
    return args


def _task(script: Any) -> Task:
    return Task("t", "form", "t", "/", script, "12 €", lambda site: True)


def test_acts_that_do_not_wait_for_each_other_go_in_one_move_and_what_was_not_done_is_done_again() -> None:
    def script() -> Script:
        yield [fill({"Search": "tea"}), click("trash", near="Bruno May"), click("Search", kind="button")]
        return str((yield Look(r"\d+\.\d+ €"))[0])

    player = Player(_task(script), "http://a.example/", len)
    assert _args(player(_operator_asks("URL: about:blank")))["action"] == "navigate"
    opened = "1. navigate http://a.example/: ok\n"
    move = _args(player(_operator_asks(OBSERVATION, opened)))
    assert (move["action"], move["eid"]) == ("type", "e5")
    assert move["then"] == [{"action": "click", "eid": "e4"}, {"action": "click", "eid": "e6"}]
    stopped = (
        opened
        + '2. type "tea": ok\n3. failed: the page changed after that\n4. not done of that move: click\n'
    )
    again = _args(player(_operator_asks(OBSERVATION, stopped)))
    assert (again["action"], again["eid"], again["then"]) == (
        "click",
        "e4",
        [{"action": "click", "eid": "e6"}],
    )
    done = stopped + "5. click: ok\n6. click: sent POST a.example/search 200\n"
    assert _args(player(_operator_asks(OBSERVATION, done)))["final_response"] == "49.90 €"
    assert player.acts == 4


def test_each_field_and_each_part_of_a_text_is_an_act_as_a_person_counts_them() -> None:
    def script() -> Script:
        yield [fill({"Search": "tea", "Code": "12"}), Look(r"Mill (\d+)", "all")]
        return "12 €"

    player = Player(_task(script), "http://a.example/", len)
    player(_operator_asks("URL: about:blank"))
    opened = "1. navigate http://a.example/: ok\n"
    move = _args(player(_operator_asks(OBSERVATION, opened)))
    assert move["fields"] == [{"eid": "e5", "text": "tea"}, {"eid": "e7", "text": "12"}]
    player(_operator_asks(OBSERVATION, f"{opened}2. type: ok\n"))
    assert player.acts == 1 + 2 + 1


def test_the_tokens_of_a_request_are_counted_by_its_parts() -> None:
    asked = _operator_asks("URL: http://a.example/", "1. click: ok\n", "Facts:\n- found 1\n")
    asked.body["messages"].insert(0, {"role": "system", "content": "Be brief."})
    parts = parts_of(asked)
    assert parts["rules"] == "Be brief."
    assert parts["schema"] == '[{"type":"function","function":{"name":"act"}}]'
    assert (parts["task"], parts["page"]) == ("Task: t", "URL: http://a.example/")
    assert "- found 1" in parts["history"]
    assert "1. click: ok" in parts["history"]
    text = asked.body["messages"][1]["content"]
    assert sum(map(len, (parts["task"], parts["history"], parts["page"]))) == len(text)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("Oskar Lindqvist.*", "Oskar Lindqvist"),
        (r"Next\W*", "Next"),
        ("|toggle|expand", "toggle"),
        (".*", ""),
    ],
)
def test_a_control_is_searched_for_by_the_words_of_its_name(pattern: str, words: str) -> None:
    assert words_of(pattern) == words


def test_what_is_not_shown_is_looked_for_a_bounded_number_of_times() -> None:
    def script() -> Script:
        yield click("Pay")
        return "12 €"

    player, steps, kinds = Player(_task(script), "http://a.example/", len), "", []
    for number in range(1, 30):
        move = _args(player(_operator_asks(f"{OBSERVATION}\n- {number}", steps)))
        kinds.append(move["action"])
        if move["action"] == "stop":
            break
        steps += f"{number}. {move['action']}: ok\n"
    assert kinds == ["navigate", *["scroll"] * 12, "stop"]
    assert move["final_response"] != "12 €"


def test_an_answer_needs_what_was_found_to_be_in_the_request_still() -> None:
    def script() -> Script:
        price = str((yield Look(r"\d+\.\d+ €"))[0])
        yield click("trash", near="Anna Low")
        return price

    for facts, answer in (("Facts:\n- found 49.90 €\n", "49.90 €"), ("", "I could not do it.")):
        player = Player(_task(script), "http://a.example/", len)
        player(_operator_asks("URL: about:blank"))
        opened = "1. navigate http://a.example/: ok\n"
        move = _args(player(_operator_asks(OBSERVATION, opened)))
        assert move["facts"] == ["found 49.90 €"]
        last = player(_operator_asks('[e1] button "Other"', f"{opened}2. click: ok\n", facts))
        assert _args(last)["final_response"] == answer


def test_stock_is_played_with_a_form_in_one_call_and_snapshots_where_it_needs_one() -> None:
    hand = StockHand()
    assert hand.act([fill({"Name or e-mail": "Ann"})], None) is not None  # a look: nothing was shown yet
    text = f"### Snapshot\n```yaml\n{SNAPSHOT}\n```"
    hand.take(Asked("chat", {"messages": [{"role": "tool", "content": text}]}, {}))
    sent = hand.act(
        [fill({"Name or e-mail": "Ann"}), check("Say: hello"), click("Delete", near="Bruno May")], None
    )
    assert sent is not None
    assert sent.reply.calls[0].name == "browser_fill_form"
    assert len(sent.acts) == 2
    assert hand.take(Asked("chat", {"messages": [{"role": "tool", "content": "### Error\nno"}]}, {})) == 0
    looked = hand.act([click("Delete", near="Bruno May")], None)
    assert looked is not None
    assert looked.reply.calls[0].name == "browser_snapshot"
