"""Without any key: the demo model works in a real browser, through the server as a user starts it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.chat import follow, new_session, of_type, send
from tests.support.server import serving
from tests.support.sites import Site

pytestmark = pytest.mark.timeout(180)


@pytest.mark.parametrize("agent", ["operator", "assistant"])
async def test_the_demo_model_fills_in_a_form_and_asks_before_it_sends_it(agent: str, tmp_path: Path) -> None:
    settings = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true"}
    with Site() as site, serving(tmp_path / "data", allow_private_network="true", **settings) as server:
        async with httpx.AsyncClient(base_url=server.url, headers=server.headers, timeout=120) as client:
            session = await new_session(client, agent=agent)
            task = f"open {site.url('/form')}, fill Name with Ann, select Blue in Colour, click Send and read the page"
            await send(client, session, task)
            events = []
            async for event in follow(client, f"/api/sessions/{session}/stream"):
                events.append(event)
                if event["type"] == "interrupt":
                    assert site.effects == []
                    answer = {"reference": event["reference"], "confirmed": True}
                    await client.post(f"/api/sessions/{session}/decision", json=answer)
            kept = (await client.get(f"/api/sessions/{session}")).json()["messages"]

    assert [effect.name for effect in site.effects] == ["form"]
    assert site.effects[0].fields["name"] == "Ann"
    said = "".join(event["text"] for event in of_type(events, "token"))
    assert "Thanks, Ann" in said
    assert "not an LLM" in said
    assert (kept[-1]["role"], kept[-1]["content"]) == ("assistant", said)
    assert len(of_type(events, "token")) > 3
    assert [m["role"] for m in kept[1:-1]] == ["tool"] * 4
    assert all(m["meta_json"].get("screenshot") for m in kept[1:-1])
