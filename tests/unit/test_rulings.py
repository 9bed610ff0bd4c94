"""What the policy decides is an event: what it allows, too, and never a secret in it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from langchain_core.runnables import RunnableLambda

from server.agent.gate.masking import MASK
from server.agent.gate.rulings import publish_ruling
from server.agent.policy import Judgement, Verdict
from server.browser.observation import Element, Observation, Page
from server.events import Decision, PolicyRuled, Stamped, now, to_observer
from server.grants.coverage import GrantUse, Need
from tests.support.actions import aimed
from tests.support.chat import ask, new_session, of_type, read_stream, send, wait_for_status
from tests.unit.test_decisions import decide

ACTS = ("navigate", "click", "type", "select", "press", "browser_click", "browser_navigate", "browser_type")


@pytest.mark.parametrize("agent", ["operator", "assistant"])
async def test_each_action_is_ruled_on_before_it_is_done(client: httpx.AsyncClient, agent: str) -> None:
    session_id = await new_session(client, agent=agent)
    await send(client, session_id, "shop for a kettle")
    pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    await decide(client, session_id, pending["reference"], confirmed=True)
    await wait_for_status(client, session_id, "completed")
    events = await read_stream(client, session_id)
    acts = [event for event in of_type(events, "tool_start") if event["name"] in ACTS]
    assert acts
    for act in acts:
        before = events[: events.index(act)]
        rulings = [event for event in of_type(before, "policy") if event["call_id"] == act["call_id"]]
        assert rulings, act
    verdicts = [event["verdict"] for event in of_type(events, "policy")]
    assert {"allow", "ask"} <= set(verdicts)
    (asked,) = {
        (event["kind"], event["reason"], event["target"]["name"])
        for event in of_type(events, "policy")
        if event["verdict"] == "ask"
    }
    assert asked == ("order", "places an order or a booking", "Place order")


async def test_what_is_denied_is_told_with_its_reason(client: httpx.AsyncClient) -> None:
    await client.patch("/api/settings", json={"blocked_hosts": ["shop.example"]})
    _, events = await ask(client, "shop for a kettle")
    denied = [event for event in of_type(events, "policy") if event["verdict"] == "deny"]
    assert denied
    assert denied[0]["action"] == "navigate"
    assert denied[0]["reason"]
    assert not [event for event in of_type(events, "tool_start") if event["name"] == "navigate"]


async def ruled_on(action: dict[str, Any], seen: Observation, judgement: Judgement) -> PolicyRuled:
    """The one event that is published."""

    async def publish(_: object) -> None:
        await publish_ruling("c1", aimed(action, seen), judgement)

    told: list[Any] = [
        event["data"]
        async for event in RunnableLambda(publish).astream_events(None, version="v2")
        if event["event"] == "on_custom_event"
    ]
    assert len(told) == 1
    return PolicyRuled.model_validate(told[0])


async def test_no_secret_is_in_it() -> None:
    field = Element(eid="e1", role="textbox", name="Password hunter2", ref="r1", secret=True, tag="input")
    observation = Observation(
        page=Page(url="https://anna:pass@a.example/?code=hunter2", title="Log in"), interactive=[field]
    )
    action = {"id": "c1", "kind": "type", "reason": "", "fields": [{"eid": "e1", "text": "hunter2"}]}
    judgement = Judgement(Verdict.ASK, "hands hunter2 to the page", "credential")
    ruled = await ruled_on(action, observation, judgement)
    assert "hunter2" not in ruled.model_dump_json()
    assert "pass@" not in ruled.model_dump_json()
    assert ruled.reason == f"hands {MASK} to the page"
    assert ruled.target
    assert ruled.target.name == f"Password {MASK}"


@pytest.mark.parametrize(
    ("action", "url"),
    [
        ({"kind": "navigate", "url": "https://b.example/"}, "https://b.example/"),
        (
            {"kind": "tool", "tool": "browser_navigate", "args": {"url": "https://b.example/"}},
            "https://b.example/",
        ),
        ({"kind": "tool", "tool": "browser_click", "args": {}}, "https://a.example/"),
        ({"kind": "click", "eid": "e1"}, "https://a.example/"),
    ],
)
async def test_it_names_the_address_that_is_opened_or_that_of_the_page(
    action: dict[str, Any], url: str
) -> None:
    seen = Observation(
        page=Page(url="https://a.example/", title="A"),
        interactive=[Element(eid="e1", role="button", name="Go", ref="r1")],
    )
    ruled = await ruled_on(action, seen, Judgement(Verdict.ALLOW, "harmless"))
    assert (ruled.url, ruled.kind, ruled.grants) == (url, None, None)


@pytest.mark.parametrize(("shows", "name"), [("Pay", "Pay"), ("", "Go")])
async def test_its_target_is_named_by_what_a_person_sees(shows: str, name: str) -> None:
    button = Element(eid="e1", role="button", name="Go", shows=shows, ref="r1")
    seen = Observation(page=Page(url="https://a.example/", title="A"), interactive=[button])
    mark = GrantUse(grant_id="g", scope="run", need=Need(site="a.example", kind="pay"))
    ruled = await ruled_on(
        {"kind": "click", "eid": "e1"}, seen, Judgement(Verdict.ALLOW, "allowed", "pay", uses=(mark,))
    )
    assert ruled.target
    assert ruled.target.name == name
    assert [(one.id, one.scope) for one in ruled.grants or ()] == [("g", "run")]


def test_observers_know_the_policys_decision_from_the_persons() -> None:
    def told(event: PolicyRuled | Decision) -> dict[str, Any]:
        stamped = Stamped(session_id="s", run_id="r", epoch=1, seq=1, ts=now(), event=event)
        return dict(to_observer(stamped) or {})

    ruled = told(PolicyRuled(call_id="c", action="click", verdict="allow", reason="harmless"))
    decided = told(Decision(reference="q", confirmed=True))
    assert (ruled["type"], ruled["payload"]["by"], ruled["payload"]["verdict"]) == (
        "policy_result",
        "policy",
        "allow",
    )
    assert decided["type"] == "policy_result"
    assert decided["payload"] == {"reference": "q", "confirmed": True, "by": "person", "run_id": "r"}
