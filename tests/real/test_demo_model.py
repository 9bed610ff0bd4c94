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
    assert (kept[-1]["role"], kept[-1]["content"]) == ("assistant", said)
    assert len(of_type(events, "token")) > 3
    assert [m["role"] for m in kept[1:-1]] == ["tool"] * 5
    assert all(m["meta_json"].get("screenshot") for m in kept[1:5])


UPLOAD = """<!doctype html><title>Send</title><h1>Send a file</h1><form method="post" action="/send">
<label>Your file <input type="file" onchange="document.title = 'Chosen: ' + this.files[0].name"></label><button>Send</button></form>
<label for="hidden" style="cursor: pointer; display: inline-block">Photo</label>
<input type="file" id="hidden" style="display: none" onchange="document.title = 'Photo: ' + this.files[0].name">"""


async def test_the_demo_model_uploads_the_attached_file_into_the_field_that_is_named(tmp_path: Path) -> None:
    settings = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true"}
    with Site() as site, serving(tmp_path / "data", allow_private_network="true", **settings) as server:
        page = site.add("/upload", UPLOAD)
        async with httpx.AsyncClient(base_url=server.url, headers=server.headers, timeout=120) as client:
            session = await new_session(client, agent="operator")
            await client.post(f"/api/sessions/{session}/files", files={"file": ("note.txt", b"milk")})
            reasons, answers = [], []
            for field in ("Your file", "Photo"):
                await send(client, session, f"open {page}, click {field}\n\nAttached files: note.txt")
                async for event in follow(client, f"/api/sessions/{session}/stream"):
                    if event["type"] == "interrupt":
                        reasons.append(event["reason"])
                        answer = {"reference": event["reference"], "confirmed": True}
                        await client.post(f"/api/sessions/{session}/decision", json=answer)
                answers.append(
                    (await client.get(f"/api/sessions/{session}")).json()["messages"][-1]["content"]
                )

    assert reasons == ["hands a file to the page"] * 2
    assert "The page is **Chosen: note.txt**" in answers[0]
    assert "The page is **Photo: note.txt**" in answers[1]


ARTICLE = """<!doctype html><meta charset="utf-8"><title>Port Ellis</title><h1>Port Ellis</h1>
<p>The harbour was built in 1871. Visitors come in summer.</p>
<p>The tariffs were raised in 2024 to 31 cents per ton. Boats under six metres pay nothing.</p>
<table><tr><th>Year</th><th>Tariff</th></tr><tr><td>2023</td><td>0.27</td></tr><tr><td>2024</td><td>0.31</td></tr></table>
<p>В 2025 году тарифы снова повысят.</p>"""
LOGINS = """<!doctype html><title>Start</title><header><button onclick="document.title = 'wrong'">Log in</button></header>
<main><h1>Welcome</h1><button onclick="document.title = 'right'">Log in</button></main>"""
DRAWING = """<!doctype html><title>Map</title><h1>Map</h1><canvas id="c" width="1200" height="600"></canvas>
<script>const c = document.getElementById('c').getContext('2d'); c.fillStyle = 'teal'; c.fillRect(0, 0, 1200, 600)</script>"""


async def test_the_demo_model_answers_questions_about_pages_and_asks_which_button_is_meant(
    tmp_path: Path,
) -> None:
    settings = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true"}
    with Site() as site, serving(tmp_path / "data", allow_private_network="true", **settings) as server:
        article, logins, drawing = (
            site.add("/article", ARTICLE),
            site.add("/logins", LOGINS),
            site.add("/map", DRAWING),
        )
        async with httpx.AsyncClient(base_url=server.url, headers=server.headers, timeout=120) as client:
            session = await new_session(client, agent="operator")

            async def ask(task: str, *answers: str) -> str:
                """The answer; each of `answers` is given to a question of the run, "" approves it."""
                await send(client, session, task)
                left = list(answers)
                async for event in follow(client, f"/api/sessions/{session}/stream"):
                    if event["type"] == "interrupt":
                        words = {"message": given} if (given := left.pop(0)) else {}
                        answer = {"reference": event["reference"], "confirmed": True, **words}
                        await client.post(f"/api/sessions/{session}/decision", json=answer)
                assert not left
                return str((await client.get(f"/api/sessions/{session}")).json()["messages"][-1]["content"])

            asked = await ask(f"open {article} and tell me what it says about the tariff in 2024")
            russian = await ask(f"открой {article} и скажи, какой тариф в 2025 году")
            missing = await ask(f"open {site.url('/nowhere')} and read the page")
            refused = (await client.get(f"/api/sessions/{session}")).json()["messages"][-1]["meta_json"]
            await ask(f"open {article}")
            absent = await ask("does it say anything about penguins?")
            drawn = await ask(f"open {drawing} and read it")
            clicked = await ask(f"open {logins} and click Log in", "the second")

    assert "> The tariffs were raised in 2024 to 31 cents per ton." in asked
    assert "| 2024 | 0.31 |" in asked
    assert "1871" not in asked
    assert (
        russian
        == "На странице «Port Ellis» по запросу «тариф 2025» найдено:\n\n> В 2025 году тарифы снова повысят."
    )
    assert f"Open {site.url('/nowhere')}. The page was not found (404)." in missing
    assert refused["outcome"] == "blocked"
    assert absent == "I did not find “penguins” on “Port Ellis”."
    assert "nothing in the drawing can be read as text" in drawn
    assert "The page is **right**" in clicked
