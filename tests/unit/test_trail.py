"""What is kept of each act: what it was done to, in words that mean the same tomorrow, and how it was judged."""

from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from server.agent.actions import aim, read_action
from server.agent.assistant.agent import build_assistant
from server.agent.event_adapter import EventAdapter
from server.agent.gate.rulings import Ruling, ruling_of
from server.agent.policy import Judgement, Verdict
from server.agent.streaming import graph_events
from server.agent.trail import Trail, trail_of
from server.browser.browser import ToolSpec
from server.browser.observation import Budget, Extra, observe_snapshot
from server.browser.observation.page_script import FrameInView
from server.events import ToolEnd
from tests.support.chat import ask
from tests.support.operator_world import Granted, World, world
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel, click, stop, type_into
from tests.unit.test_assistant import new_context

SHOP = "https://shop.example/cart?step=2"
PAGE = """\
- heading "Basket" [level=1] [ref=e1] [box=0,0,200,20]
- listitem [ref=i1] [box=0,30,400,20]:
  - text: Blue kettle
  - button "Remove" [ref=e2] [box=200,30,50,20]
- listitem [ref=i2] [box=0,60,400,20]:
  - text: Red kettle
  - button "Remove" [ref=e3] [box=200,60,50,20]
- form "Delivery" [ref=f1] [box=0,90,400,90]:
  - textbox "Name" [ref=e4] [box=0,90,200,20]
  - textbox "Password" [ref=e5] [box=0,120,200,20]
  - button "Place order" [ref=e6] [box=0,150,200,20]
- link "Terms" [ref=e7] [box=0,190,100,20]:
  - /url: https://ann:hunter2@shop.example/terms"""


def shop(*turns: Any, **options: Any) -> World:
    return world({SHOP: PAGE}, turns, url=SHOP, **options)


def trails(it: World) -> list[dict[str, Any]]:
    return [end["trail"] for end in it.of("tool_end")]


async def test_a_control_of_a_row_is_named_by_its_row_and_counted() -> None:
    it = shop(lambda prompt: {"reason": "r", "action": "hover", "eid": "e2"}, stop("Done."))
    await it.say("look")
    (trail,) = trails(it)
    (target,) = trail["targets"]
    assert (target["role"], target["name"], target["nth"], target["of"]) == ("button", "Remove", 2, 2)
    assert target["near"][0] == "Red kettle"
    assert trail["url"] == SHOP
    assert trail["verdict"] == "allow"


def near_of(rows: str, name: str) -> list[str]:
    seen = observe_snapshot(rows, url=SHOP)
    eid = next(element.eid for element in seen.interactive if element.name == name)
    (target,) = trail_of(aim(read_action({"kind": "click", "eid": eid}), seen), Ruling())["targets"]
    return list(target.get("near", ()))


@pytest.mark.parametrize(
    "passing",
    [
        "- status [ref=s1] [box=100,30,90,20]: Added to your basket",
        "- alert [ref=s1] [box=100,30,90,20]: Only 2 of 300 are left, and they will be sent to you by Tuesday",
        "- tooltip [ref=s1] [box=100,30,90,20]: Blue",
    ],
)
def test_words_that_come_and_go_are_no_part_of_a_targets_identity(passing: str) -> None:
    row = '- listitem [ref=i1] [box=0,30,400,20]:\n  - text: Blue kettle\n{}  - button "Add" [ref=e2] [box=300,30,50,20]'
    before, after = row.format(""), row.format(f"  {passing}\n")
    assert before != after
    assert near_of(after, "Add") == near_of(before, "Add") == ["Blue kettle"]


def test_a_control_within_a_message_is_named_by_the_message() -> None:
    """There is nothing else to know it by."""
    rows = '- alert [ref=i1] [box=0,30,400,20]:\n  - text: Your session ends\n  - button "Stay" [ref=e2] [box=300,30,50,20]'
    assert near_of(rows, "Stay") == ["Your session ends"]


async def test_a_form_is_named_and_what_was_typed_is_not_kept() -> None:
    it = shop(type_into({"Name": "Ann Secretive", "Password": "hunter2"}), stop("Done."))
    await it.say("fill it in")
    await it.answer(True)
    (trail,) = trails(it)
    assert [target["name"] for target in trail["targets"]] == ["Name", "Password"]
    assert {target["form"] for target in trail["targets"]} == {"Delivery"}
    assert "Secretive" not in str(trail)
    assert "hunter2" not in str(trail)


async def test_a_key_is_recorded_with_the_field_that_it_went_to() -> None:
    press = {"reason": "r", "action": "press", "key": "Tab"}
    it = shop(type_into({"Name": "Ann"}), press, stop("Done."))
    await it.say("fill it in")
    assert [target["name"] for target in trails(it)[1]["targets"]] == ["Name"]


async def test_an_approved_act_keeps_its_effect_and_the_models_claim() -> None:
    it = shop(click("Place order", commits="order"), stop("Done."))
    await it.say("order it")
    await it.answer(True)
    (trail,) = trails(it)
    assert (trail["verdict"], trail["kind"], trail["commits"], trail["site"]) == (
        "ask",
        "order",
        "order",
        "shop.example",
    )


async def test_what_a_grant_allowed_counts_as_asked() -> None:
    it = shop(click("Place order"), stop("Done."), grants=Granted({("shop.example", "order")}))
    await it.say("order it")
    assert (trails(it)[0]["verdict"], trails(it)[0]["kind"]) == ("ask", "order")


def test_a_judgement_without_an_effect_is_kept_as_it_is() -> None:
    assert ruling_of(Judgement(Verdict.ALLOW, "")) == Ruling(verdict="allow")
    assert ruling_of(Judgement(Verdict.ASK, "no name")) == Ruling(verdict="ask")


def test_links_lead_somewhere_without_the_login_in_their_address() -> None:
    seen = observe_snapshot(PAGE, url=SHOP)
    eid = next(element.eid for element in seen.interactive if element.name == "Terms")
    trail = trail_of(aim(read_action({"kind": "click", "eid": eid}), seen), Ruling())
    assert trail["targets"][0]["leads_to"] == "https://shop.example/terms"


def test_all_of_the_page_is_counted_though_the_model_saw_a_part() -> None:
    rows = "\n".join(f'- button "Remove" [ref=r{at}] [box=0,{30 * at},50,20]' for at in range(90))
    seen = observe_snapshot(rows, url=SHOP, budget=Budget(elements=10))
    trail = Trail.model_validate(
        trail_of(aim(read_action({"kind": "click", "eid": "e3"}), seen), Ruling()) | {"verdict": "allow"}
    )
    assert (trail.targets[0].nth, trail.targets[0].of) == (3, 90)


def test_a_name_that_the_model_saw_cut_is_kept_whole() -> None:
    headline = "A headline of many words that goes on for longer than a line out of view has room " * 2
    seen = observe_snapshot(f'- link "{headline.strip()}" [ref=l1] [box=0,2000,50,20]', url=SHOP)
    assert seen.interactive[0].name.endswith("…")
    trail = trail_of(aim(read_action({"kind": "click", "eid": "e1"}), seen), Ruling())
    assert trail["targets"][0]["name"] == headline.strip()


def test_the_frame_of_an_element_is_named_without_its_query() -> None:
    page = """\
- button "Pay" [ref=e1] [box=0,0,50,20]
- iframe [ref=e2] [box=0,100,400,200]:
  - button "Pay" [ref=f1e1] [box=10,10,50,20]"""
    frame = FrameInView(box=(0, 100, 400, 200), name="card", url="https://bank.example/form?token=1")
    seen = observe_snapshot(page, url=SHOP, extra=Extra(framed=(frame,)))
    assert [element.frame for element in seen.interactive] == ["", "card https://bank.example/form"]


async def test_it_is_stored_and_exported_with_the_tool_message_and_not_streamed(
    client: httpx.AsyncClient,
) -> None:
    session_id, events = await ask(client, "steps please", max_tool_steps=1)
    assert not any("trail" in event for event in events if event["type"] == "tool_end")
    stored = (await client.get(f"/api/sessions/{session_id}")).json()["messages"]
    exported = (await client.get(f"/api/sessions/{session_id}/export?format=json")).json()["messages"]
    for messages in (stored, exported):
        (meta,) = (message["meta_json"] for message in messages if message["role"] == "tool")
        assert Trail.model_validate(meta["trail"]).verdict == "allow"


async def test_the_assistants_acts_have_a_trail_too() -> None:
    buy = {"tool": "browser_click", "raw": '{"target": "e6", "element": "Harmless link"}'}
    fill = {"tool": "browser_type", "raw": '{"target": "e5", "text": "hunter2"}'}
    look = {"tool": "browser_snapshot", "raw": "{}"}
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("target", "element", "text")},
    }
    specs = [ToolSpec(name, name, schema) for name in ("browser_click", "browser_type")]
    specs += [ToolSpec("browser_snapshot", "look", schema, acts=False)]
    model = ScriptedModel(turns=[buy, fill, look, "Done."], prompts=[], asked=[])
    graph = build_assistant(model, specs, checkpointer=InMemorySaver())
    context = new_context(
        browser=ScriptedBrowser({SHOP: PAGE}, url=SHOP), max_tool_steps=9,
        grants=Granted({("shop.example", "order")}),
    )  # fmt: skip
    adapter, ends = EventAdapter("m"), list[ToolEnd]()
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    given: Any = {"messages": [HumanMessage("Buy it.")]}
    while given:
        async for raw in graph_events(graph, given, config, context=context, durability="exit"):
            ends += [event for event in adapter.feed(raw) if isinstance(event, ToolEnd)]
        asked = (await graph.aget_state(config)).interrupts
        yes = {"reference": asked[0].value["reference"], "confirmed": True} if asked else None
        given = Command(resume=yes) if yes else None
    bought, filled = (Trail.model_validate(end.trail) for end in ends[:2])
    assert (bought.targets[0].name, bought.targets[0].form) == ("Place order", "Delivery")
    assert (bought.verdict, bought.kind, bought.site, bought.url) == ("ask", "order", "shop.example", SHOP)
    assert filled.targets[0].name == "Password"
    assert "hunter2" not in str([end.trail for end in ends])
    assert ends[2].trail is None


async def test_the_assistants_trail_is_exported(client: httpx.AsyncClient) -> None:
    session_id, _ = await ask(client, "steps please", max_tool_steps=1, agent="assistant")
    exported = (await client.get(f"/api/sessions/{session_id}/export?format=json")).json()["messages"]
    (meta,) = (message["meta_json"] for message in exported if message["role"] == "tool")
    assert Trail.model_validate(meta["trail"]).site == "shop.example"
