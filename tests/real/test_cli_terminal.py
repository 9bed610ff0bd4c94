"""The command line in a pseudo-terminal, against a scripted server: what a person does and sees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.eventually import eventually
from tests.support.scripted_api import TOKEN, ScriptedApi, ScriptedRun, serving
from tests.support.terminal import Terminal, run, terminal

READY = "what shall I do?"
BUSY = "add an instruction"
BY_HAND = "launch URL, observe"


@pytest.fixture
def api() -> ScriptedApi:
    return ScriptedApi()


@pytest.fixture
async def url(api: ScriptedApi) -> AsyncIterator[str]:
    async with serving(api) as url:
        yield url


@pytest.fixture
async def screen(url: str, tmp_path: Path) -> AsyncIterator[Terminal]:
    async with terminal("chat", url=url, token=TOKEN, home=tmp_path) as screen:
        await screen.shows(READY)
        yield screen


async def order(run: ScriptedRun) -> None:
    run.status("running")
    run.emit("state", goal="Buy it", plan=["Open the shop", "Order"], progress={"current": 0}, facts=[])
    run.tool("navigate", {"url": "https://shop.example"}, summary="Opened the shop.")
    run.emit("state", goal="Buy it", plan=["Open the shop", "Order"], progress={"current": 1}, facts=[])
    target = {"role": "button", "name": "Place order"}
    answer = await run.ask(
        "confirm",
        "It places an order.",
        action={"kind": "click"},
        target=target,
        url="https://shop.example/pay",
    )
    text = "It is **ordered**." if answer["confirmed"] else f"Left it: {answer.get('message')}"
    run.emit("token", message_id="m-end", text=text)
    run.done(text, id="m-end")


async def forever(run: ScriptedRun) -> None:
    run.status("running")
    await asyncio.Event().wait()


class TestTalking:
    async def test_a_task_is_shown_from_plan_to_answer_with_its_question(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        api.scripts["buy"] = order
        screen.enter("buy a kettle")
        await screen.shows("❯ buy a kettle")
        await screen.shows("Plan")
        await screen.shows("✓ navigate  https://shop.example  0.4 s")
        await screen.shows("▸ 2/2 Order")
        asked = await screen.shows("/no [words] refuses")
        for words in ("May I do this?", "“Place order”", "shop.example", "It places an order."):
            assert words in asked
        screen.enter("/yes")
        await screen.shows("✓ Approved")
        await screen.shows("It is ordered.")
        await screen.shows("done")
        assert api.asked("WS", "/user_confirm")[0]["confirmed"] is True

    async def test_a_refusal_takes_words_in_any_language_along(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        api.scripts["buy"] = order
        screen.enter("buy a kettle")
        await screen.shows("/no [words] refuses")
        screen.enter("/no возьми дешевле")
        await screen.shows("✗ Refused")
        await screen.shows("Left it: возьми дешевле")

    async def test_a_russian_terminal_is_spoken_to_in_russian(
        self, api: ScriptedApi, url: str, tmp_path: Path
    ) -> None:
        api.scripts["buy"] = order
        async with terminal("chat", url=url, token=TOKEN, home=tmp_path, LANG="ru_RU.UTF-8") as screen:
            await screen.shows("/help — список команд")
            screen.enter("buy a kettle")
            asked = await screen.shows("/no [слова] — отказать")
            for words in ("Можно это сделать?", "Нажать: кнопка «Place order»", "План"):
                assert words in asked
            screen.enter("/ye")
            await screen.shows("Команды /ye нет. Возможно, /yes?")
            screen.enter("/yes")
            await screen.shows("✓ Разрешено")
            await screen.shows("готово · ")

    async def test_what_is_typed_during_a_run_steers_it(self, api: ScriptedApi, screen: Terminal) -> None:
        api.scripts["long"] = forever
        screen.enter("a long task")
        await screen.shows(BUSY)
        screen.enter("hurry up")
        await screen.shows("❯ hurry up")  # as soon as it is typed
        sent = await eventually(
            lambda: api.asked("WS", "/user_message"), lambda it: len(it) == 2, message="it is sent"
        )
        assert sent[-1]["mode"] == "steer"
        screen.enter("/stop")
        await screen.shows("■ Task cancelled")

    async def test_a_run_that_fails_says_why_and_the_next_message_works(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        async def boom(run: ScriptedRun) -> None:
            run.fail("model_unavailable", "The model is away.")

        api.scripts["boom"] = boom
        screen.enter("boom")
        await screen.shows("✗ The model is away.  model_unavailable")
        screen.enter("hello")
        await screen.shows("You said hello")

    async def test_escape_sequences_of_a_page_do_nothing(self, api: ScriptedApi, screen: Terminal) -> None:
        async def evil(run: ScriptedRun) -> None:
            run.tool("click", {"eid": "e1"}, summary="\x1b]0;owned\x07\x1b[2Jhello")
            run.done("\x1b[8mhidden")

        api.scripts["evil"] = evil
        screen.enter("evil")
        await screen.shows("hidden")
        assert "\x1b]0;owned" not in screen.raw.decode()
        assert "\x1b[8m" not in screen.raw.decode()


class TestModes:
    async def test_the_browser_is_used_by_hand_in_cmd_mode_and_given_back(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        elements = [{"eid": "e1", "role": "button", "name": "Go", "value": None}]
        page = {"url": "https://a.example", "title": "A page"}
        api.browser["observe"] = {"page": page, "interactive": elements, "text_blocks": [], "overlays": []}
        screen.enter("/exit")
        await screen.shows("Command mode")
        screen.enter("observe")
        await screen.shows("e1  button  Go")
        screen.enter("click e1")
        await screen.shows("click done")
        screen.enter("buy it")
        await screen.shows("buy is not a command")
        screen.enter("/chat")
        await screen.shows("Chat mode")
        screen.enter("hello")
        await screen.shows("You said hello")
        assert [frame["text"] for frame in api.asked("WS", "/user_message")] == ["hello"]

    async def test_taking_the_browser_leaves_chat_mode_and_exit_leaves_the_rest(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        screen.enter("/launch https://a.example")
        await screen.shows("Command mode")
        await screen.shows("launch done")
        screen.enter("exit")
        assert await screen.ended() == 0
        assert api.asked("WS", "/user_message") == []

    async def test_commands_and_elements_complete_themselves(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        elements = [{"eid": "e17", "role": "button", "name": "Go", "value": None}]
        page = {"url": "https://a.example", "title": "A page"}
        api.browser["observe"] = {"page": page, "interactive": elements, "text_blocks": [], "overlays": []}
        screen.press("/obs")
        await screen.shows("see the page and its elements")
        screen.press("\t")
        await screen.shows("❯ /observe")
        screen.press("\r")
        await screen.shows("e17  button  Go")
        screen.press("click ")
        await screen.shows("button Go")
        screen.press("\t")
        await screen.shows("cmd ❯ click e17")
        screen.press("\r")
        await screen.shows("click done")
        assert api.asked("POST", "/browser/click") == [{"eid": "e17"}]

    async def test_a_wrong_command_is_explained(self, screen: Terminal) -> None:
        screen.enter("/stpo")
        await screen.shows("Did you mean /stop?")
        screen.enter("/yes")
        await screen.shows("Nothing is waiting for an answer.")
        screen.enter("/help")
        await screen.shows("/screenshot")


class TestPlan:
    async def test_the_plan_is_edited_at_the_prompt(self, api: ScriptedApi, screen: Terminal) -> None:
        async def planned(run: ScriptedRun) -> None:
            run.status("running")
            run.emit("state", goal="g", plan=["Look", "Answer"], progress={"current": 0}, facts=[])
            await asyncio.Event().wait()

        api.scripts["plan"] = planned
        screen.enter("plan it")
        await screen.shows("○ Answer")
        screen.enter("/plan edit")
        await screen.shows("plan ❯")
        screen.press(" twice\x1b\r")
        await screen.shows("○ Answer twice")
        assert api.asked("PUT", "/plan") == [{"plan": ["Look", "Answer twice"]}]

    async def test_a_proposed_plan_is_accepted_or_dismissed(self, api: ScriptedApi, screen: Terminal) -> None:
        async def proposing(run: ScriptedRun) -> None:
            run.status("running")
            run.emit("state", goal="g", plan=["Mine", "Answer"], proposed_plan=["Theirs", "Answer"], facts=[])
            await asyncio.Event().wait()

        api.scripts["propose"] = proposing
        screen.enter("propose it")
        await screen.shows("/plan accept uses it")
        screen.enter("/plan accept")
        await screen.shows("▸ Theirs")
        assert api.asked("PUT", "/plan") == [{"plan": ["Theirs", "Answer"]}]
        screen.enter("/plan dismiss")
        await screen.shows("proposed no other plan")
        assert api.asked("DELETE", "/plan/proposal") == []


class TestAttaching:
    async def test_a_session_that_runs_elsewhere_is_shown_from_its_history_on(
        self, api: ScriptedApi, url: str, tmp_path: Path
    ) -> None:
        go = asyncio.Event()

        async def script(run: ScriptedRun) -> None:
            run.status("running")
            run.tool("click", {"eid": "e1"}, summary="Clicked first.")
            run.emit("token", message_id="m-end", text="So far")
            await go.wait()
            run.emit("token", message_id="m-end", text=" and on.")
            run.done("So far and on.", id="m-end")

        chat = api.add_session("abc-1", title="Elsewhere")
        api.begin(chat, "from the web", script)
        async with terminal("chat", "abc", url=url, token=TOKEN, home=tmp_path) as screen:
            await screen.shows("❯ from the web")
            await screen.shows("Clicked first.")
            await screen.shows(BUSY)
            go.set()
            await screen.shows("So far and on.")
            await screen.shows("done")
            assert screen.text.count("Clicked first.") == 1
            api.begin(chat, "once more", order)
            await screen.shows("❯ once more")
            await screen.shows("May I do this?")

    async def test_a_broken_connection_is_said_and_taken_up_again(
        self, api: ScriptedApi, url: str, tmp_path: Path
    ) -> None:
        go = asyncio.Event()

        async def script(run: ScriptedRun) -> None:
            run.status("running")
            await go.wait()
            run.done("Back again.")

        api.begin(api.add_session("abc-1"), "wait", script)
        async with terminal("chat", "abc-1", url=url, token=TOKEN, home=tmp_path) as screen:
            await api.streams.get()
            await screen.shows(BUSY)
            api.break_lines()
            await screen.shows("The connection is lost")
            go.set()
            await screen.shows("Back again.")
        assert "last-event-id" in api.stream_headers[-1]


class TestLeaving:
    async def test_ctrl_c_leaves_at_the_second_time_and_the_run_goes_on(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        api.scripts["long"] = forever
        screen.enter("a long task")
        await screen.shows(BUSY)
        screen.press("half a line\x03")
        screen.press("\x03")
        await screen.shows("The run goes on without you")
        await screen.insist("\x03", "comes back here")
        assert await screen.ended() == 0
        assert [chat.row["status"] for chat in api.chats.values()] == ["running"]
        assert api.asked("WS", "/control") == []

    async def test_ctrl_c_stops_waiting_for_a_command_and_stays(
        self, api: ScriptedApi, screen: Terminal
    ) -> None:
        api.slow["/browser/launch"] = asyncio.Event()
        screen.enter("/launch https://slow.example")
        await api.slow_call.wait()
        screen.press("\x03")
        await screen.shows("Stopped waiting")
        screen.enter("wait 1")
        await screen.shows("wait done")

    async def test_what_was_typed_into_pages_is_not_in_the_history(
        self, screen: Terminal, tmp_path: Path
    ) -> None:
        screen.enter("/type e3 hunter2")
        await screen.shows("type done")
        screen.enter("/wait 1")
        await screen.shows("wait done")
        await screen.shows(BY_HAND)
        screen.press("\x04")
        assert await screen.ended() == 0
        kept = (tmp_path / ".local/state/pilothouse/history").read_text()
        assert "/wait 1" in kept
        assert "hunter2" not in kept
        assert "hunter2" not in screen.text


class TestPictures:
    async def test_a_terminal_that_can_shows_the_picture_itself(
        self, api: ScriptedApi, url: str, tmp_path: Path
    ) -> None:
        api.browser["screenshot"] = {"ok": True, "screenshot": "/api/files/screenshots/s/a.jpg"}
        async with terminal("chat", url=url, token=TOKEN, home=tmp_path, TERM="xterm-kitty") as screen:
            await screen.shows(READY)
            screen.enter("/screenshot")
            await screen.shows("picture")
            screen.enter("/wait 1")
            await screen.shows("wait done")
            assert b"\x1b_Ga=T,f=100" in screen.raw
            assert f"{url}/api/files/screenshots/s/a.jpg" in screen.raw.decode()


class TestTrouble:
    async def test_who_is_not_logged_in_is_told_how(self, url: str, tmp_path: Path) -> None:
        async with terminal("chat", url=url, token="wrong", home=tmp_path) as screen:
            await screen.shows("Not logged in")
            assert await screen.ended() == 1

    async def test_a_session_that_goes_away_ends_the_conversation(
        self, api: ScriptedApi, url: str, tmp_path: Path
    ) -> None:
        api.add_session("abc-1")
        async with terminal("chat", "abc-1", url=url, token=TOKEN, home=tmp_path) as screen:
            await api.streams.get()
            del api.chats["abc-1"]
            api.break_lines()
            await screen.shows("No such session.")
            assert await screen.ended() == 1


class TestWithoutTerminal:
    async def test_words_come_from_a_pipe_and_the_answer_goes_into_one(
        self, url: str, tmp_path: Path
    ) -> None:
        ran = await run("chat", url=url, token=TOKEN, home=tmp_path, stdin="hello\nthere\n")
        assert (ran.code, ran.out) == (0, "You said hello\nthere\n")
        assert "\x1b" not in ran.err

    async def test_the_token_of_this_machines_server_is_found(self, url: str, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "auth_token").write_text(TOKEN)
        assert (await run("sessions", url=url, token=None, home=tmp_path)).code == 0

    @pytest.mark.parametrize(
        "arguments", [("sessions",), ("chat", "-m", "hi"), ("doctor",), ("export", "last")]
    )
    async def test_a_server_that_is_not_there_is_one_line_and_code_one(
        self, arguments: tuple[str, ...], tmp_path: Path
    ) -> None:
        ran = await run(*arguments, url="http://127.0.0.1:9", token="x", home=tmp_path)
        assert ran.code == 1
        assert "No server at http://127.0.0.1:9" in ran.out + ran.err
        assert "Traceback" not in ran.err
