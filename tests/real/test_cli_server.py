"""The command line against the real server in mock mode, in a terminal and without one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import aclosing
from io import StringIO
from pathlib import Path

import pytest

from cli.client.address import Address
from cli.client.client import Client
from cli.commands.syntax import Call
from cli.commands.table import COMMANDS
from cli.conversation import Conversation
from cli.screen.screen import PlainScreen
from tests.support.cut_link import cut_link
from tests.support.eventually import eventually
from tests.support.server import Server, serving
from tests.support.terminal import Ran, run, terminal

READY = "what shall I do?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def at(server: Server, tmp_path: Path) -> dict[str, object]:
    return {"url": server.url, "token": server.token, "home": tmp_path}


async def pilothouse(at: dict[str, object], *arguments: str, **more: str) -> Ran:
    return await run(*arguments, **at, **more)  # type: ignore[arg-type]


async def test_an_order_is_asked_for_answered_and_done_once(at: dict[str, object], server: Server) -> None:
    async with terminal("chat", **at) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("shop for a kettle")
        await screen.shows("/yes does it")
        asked = await screen.shows("/api/files/screenshots/")  # printed after the box
        for words in ("Click the button “Place order”", "shop.example", "order", "left)"):
            assert words in asked
        screen.enter("/yes")
        told = await screen.shows("done ·")
        assert "The blue kettle is ordered: €43.90, delivered on Tuesday." in told
        assert told.count('✓ click  button "Place order"') == 1
        assert told.count("Approved") == 1
        screen.enter("/state")
        await screen.shows("goal    shop for a kettle")


async def test_a_russian_terminal_is_told_in_russian_what_the_server_says(at: dict[str, object]) -> None:
    """What steps did, why it asks, what is refused, and how a run failed."""
    async with terminal("chat", **at, LANG="ru_RU.UTF-8") as screen:  # type: ignore[arg-type]
        await screen.shows("что нужно сделать?")
        screen.enter("shop for a kettle")
        asked = await screen.shows("/yes — сделать")
        assert "✓ нажатие  ссылка «Blue kettle»" in asked
        assert "Нажато: ссылка «Blue kettle»." in asked
        assert "почему    оформляет заказ или бронь" in asked
        screen.enter("/no")
        await screen.shows("✗ Отклонено")
        await screen.shows("готово")
        screen.enter("/stop")
        await screen.shows("Останавливать нечего.")
        screen.enter("error please")
        await screen.shows("Модель-макет прервалась, как её и просили.")


async def test_a_question_is_answered_in_the_persons_own_words(at: dict[str, object]) -> None:
    async with terminal("chat", **at) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("shop for a kettle")
        await screen.shows("/yes does it")
        screen.enter("да")
        await screen.shows("✓ Approved")
        await screen.shows("The blue kettle is ordered")


async def test_one_terminal_sees_what_another_one_does(at: dict[str, object]) -> None:
    first = await pilothouse(at, "chat", "-m", "hello")
    assert first.code == 0
    async with terminal("chat", "last", **at) as screen:  # type: ignore[arg-type]
        await screen.shows("Hello! I am Pilothouse in mock mode")
        await screen.shows(READY)
        elsewhere = await pilothouse(at, "chat", "last", "-m", "slow story")
        assert elsewhere.code == 0
        await screen.shows("done ·")
        # The line above the prompt goes with the next drawing of the prompt.
        shown = await eventually(
            lambda: screen.text, lambda text: "working" not in text, message="the activity is gone"
        )
        assert "❯ slow story" in shown
        assert shown.count("Hello! I am Pilothouse") == 1
        assert shown.count("Wave 1 rolled") == 1


async def test_a_run_is_stopped_and_the_next_message_works(at: dict[str, object]) -> None:
    async with terminal("chat", **at) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("endless story")
        await screen.shows("Wave 1 rolled")
        screen.enter("/stop")
        await screen.shows("■ Task cancelled")
        screen.enter("think about boats")
        await screen.shows("Boats float because they push water aside.")


async def test_the_browser_is_driven_by_hand_under_the_same_policy(at: dict[str, object]) -> None:
    async with terminal("chat", **at) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("/launch https://shop.example/basket")
        await screen.shows("✓ launch  https://shop.example/basket")
        screen.enter("observe")
        await screen.shows("Place order", times=1)
        screen.enter("click e1")
        await screen.shows("/yes does it, /no leaves it.")
        screen.enter("yes")
        await screen.shows("https://shop.example/thanks")
        screen.enter("screenshot")
        await screen.shows("✓ screenshot")


async def test_an_answer_in_a_pipe_is_the_stored_text_and_nothing_else(at: dict[str, object]) -> None:
    ran = await pilothouse(at, "chat", "-m", "this is a ping test: do not think")
    assert (ran.code, ran.out) == (0, "Harbour\n")
    failed = await pilothouse(at, "chat", "-m", "error")
    assert (failed.code, failed.out) == (1, "")
    assert "The mock model failed" in failed.err


async def test_what_a_pipe_holds_is_said_even_when_it_is_no_text_and_nothing_is_refused(
    at: dict[str, object],
) -> None:
    odd = await pilothouse(at, "chat", stdin="\udcff\udcfe hello")
    assert (odd.code, "Hello!" in odd.out) == (0, True)
    empty = await pilothouse(at, "chat", stdin=" \n")
    assert (empty.code, empty.out) == (1, "")
    assert "nothing to say" in empty.err


async def test_an_output_that_is_full_is_told_in_words(at: dict[str, object]) -> None:
    with open("/dev/full", "wb") as full:  # noqa: ASYNC230  a device
        ran = await run("sessions", stdout=full, **at)  # type: ignore[arg-type]
    assert ran.code == 1
    assert ran.err.strip() == "The output cannot be written: No space left on device."


async def test_events_as_lines_of_json_are_those_of_the_protocol(at: dict[str, object]) -> None:
    ran = await pilothouse(at, "chat", "-m", "shop for a kettle", "--json")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 1
    assert events[-1]["type"] == "interrupt"
    answered = await pilothouse(at, "chat", events[0]["session_id"], "-m", "/yes", "--json")
    assert answered.code == 0
    last = json.loads(answered.out.splitlines()[-1])
    assert (last["type"], last["message"]["role"]) == ("done", "assistant")


async def test_sessions_are_listed_searched_opened_and_exported(
    at: dict[str, object], tmp_path: Path
) -> None:
    await pilothouse(at, "chat", "-m", "think about zeppelins")
    listed = await pilothouse(at, "sessions", "--search", "zeppelins", "--json")
    (found,) = [json.loads(line) for line in listed.out.splitlines()]
    assert found["title"] == "think about zeppelins"
    assert found["id"][:8] in (await pilothouse(at, "sessions")).out
    opened = await pilothouse(at, "open", found["id"][:8])
    assert opened.out == f"{at['url']}/s/{found['id']}\n"
    for form, sign in (("md", "zeppelins"), ("json", '"messages"'), ("html", "<html")):
        target = tmp_path / f"session.{form}"
        exported = await pilothouse(at, "export", found["id"], "--format", form, "-o", str(target))
        assert exported.code == 0, exported.err
        assert sign in target.read_text()
    assert "zeppelins" in (await pilothouse(at, "export", found["id"])).out


async def test_the_doctor_finds_everything_there(at: dict[str, object]) -> None:
    ran = await pilothouse(at, "doctor")
    assert ran.code == 0
    for name in ("server", "login", "readiness", "dialogue", "browser", "model", "versions"):
        assert f"✓ {name}" in ran.out
    assert "Mock mode" in ran.out


async def test_a_restart_of_the_server_is_survived(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        async with terminal("chat", url=server.url, token=server.token, home=tmp_path) as screen:
            await screen.shows(READY)
            screen.enter("think about boats")
            await screen.shows("done ·")
            await asyncio.to_thread(server.stop)
            await screen.shows("The connection is lost")
            screen.enter("hello")
            await screen.shows("No server at")
            with serving(tmp_path / "data", port=str(server.port), auth_token=server.token):
                screen.enter("hello")
                await screen.shows("mock mode")


async def test_words_and_a_yes_are_carried_out_once_when_their_acknowledgements_are_lost(
    server: Server,
) -> None:
    screen = PlainScreen(StringIO(), StringIO())
    async with (
        cut_link(server.port) as link,
        Client(Address(f"http://127.0.0.1:{link.port}", server.token), pause=0.05) as client,
        asyncio.timeout(120),
    ):
        talk = Conversation(client, screen)
        await talk.require_session()
        await client.dialogue(str(talk.session_id))
        link.swallows = b"GET /api/ws/"
        saying = asyncio.create_task(talk.send_message("shop for a kettle"))
        await eventually(
            lambda: client.session(str(talk.session_id)),
            lambda it: it["pending"],
            message="a question is open",
        )
        assert not saying.done()
        link.swallows = None
        link.cut()
        assert (await saying)["run_id"]
        await talk.attach(silently=True)
        link.swallows = b"GET /api/ws/"
        agreeing = asyncio.create_task(talk.do(Call(COMMANDS["yes"])))
        await eventually(
            lambda: client.session(str(talk.session_id)),
            lambda it: not it["pending"],
            message="it is answered",
        )
        assert not agreeing.done()
        link.swallows = None
        link.cut()
        await agreeing
        async with aclosing(client.follow(str(talk.session_id), (await saying)["run_id"])) as events:
            ends = [event.type async for event in events]
        session = await client.session(str(talk.session_id))
    assert ends[-1] == "done"
    assert [message["role"] for message in session["messages"]].count("user") == 1
    clicks = [message for message in session["messages"] if "click" in str(message["meta_json"])]
    assert sum("Place order" in message["content"] for message in clicks) == 1


async def test_a_table_is_asked_for_by_its_columns_in_a_script_and_at_the_prompt(
    at: dict[str, object],
) -> None:
    ran = await pilothouse(at, "chat", "-m", "think about boats", "--table", "name, length:number")
    assert ran.code == 0
    assert "no row was recorded" in ran.out
    wrong = await pilothouse(at, "chat", "-m", "think about boats", "--table", "name:euros")
    assert "one of the types" in wrong.err
    async with terminal("chat", **at) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("/table")
        await screen.shows("There is no table yet.")
        screen.enter("/table name, length:number")
        await screen.shows("Your next message asks for this table.")
        screen.enter("think about boats")
        await screen.shows("no row was recorded")


async def test_an_automation_is_made_listed_run_and_deleted(at: dict[str, object], server: Server) -> None:
    async with terminal("chat", **at, columns=120) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("/schedule daily 08:00 ping test")
        await screen.shows("next")
        async with Client(Address(server.url, server.token)) as client:
            (made,) = await client.automations()
            assert (made["task"], made["created_from"]) == ("ping test", None)
            name = made["id"][:8]
            screen.enter(f"/automation run {name}")
            await screen.shows("ping test: running")
            await eventually(
                client.automations, lambda it: it[0]["last"]["outcome"] == "completed", message="it ends"
            )
        screen.enter("/automations")
        await screen.shows("done")
        screen.enter(f"/automation log {name}")
        await screen.shows("· session")
        screen.enter(f"/automation one-model {name}")
        await screen.shows("ping test: it never uses the second model")
        screen.enter(f"/automation pause {name}")
        await screen.shows("Paused: ping test")
        screen.enter(f"/automation delete {name}")
        await screen.shows("Deleted: ping test")
        screen.enter("/automations")
        await screen.shows("There are no automations.")
        screen.enter("/schedule whenever ping test")
        await screen.shows("Write it as /schedule")


async def test_a_session_is_told_at_the_prompt_to_ask_before_it_starts(at: dict[str, object]) -> None:
    async with terminal("chat", **at) as screen:  # type: ignore[arg-type]
        await screen.shows(READY)
        screen.enter("/ask-first")
        await screen.shows("Runs of this session ask before they start.")
        screen.enter("shop for a kettle")
        await screen.shows("Do what is asked")
        await screen.shows("/yes")
        screen.enter("/yes 1")
        told = await screen.shows("done ·")
        assert "The blue kettle is ordered" in told
        screen.enter("/ask-first off")
        await screen.shows("Runs of this session start without asking.")
        screen.enter("ping test")
        await screen.shows("Harbour")


async def test_the_browser_is_handed_off_at_the_prompt_and_taken_back(server: Server) -> None:
    async with Client(Address(server.url, server.token)) as client, asyncio.timeout(60):
        talk = Conversation(client, PlainScreen(StringIO(), StringIO()))
        made = await talk.do(Call(COMMANDS["handoff"], {"minutes": 5}))
        assert made["link"].startswith(f"{server.url}/h#")
        path = f"/sessions/{talk.session_id}/handoff"
        assert len((await client.call("GET", path))["items"]) == 1
        await talk.do(Call(COMMANDS["handoff"], {"minutes": 0}))
        assert (await client.call("GET", path))["items"] == []
