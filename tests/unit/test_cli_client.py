"""The client against a server on loopback: requests, error messages, reconnects."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from io import StringIO

import pytest
from starlette.responses import HTMLResponse, RedirectResponse
from typer.testing import CliRunner

from cli import doctor
from cli.client.address import Address
from cli.client.backoff import backoff
from cli.client.client import Client, Event
from cli.commands.parser import parse
from cli.commands.syntax import Call
from cli.conversation import Conversation
from cli.errors import CliError, ServerRefused, Unreachable, UsageError
from cli.main import app
from cli.once import run_line
from cli.screen.screen import PlainScreen
from scripts.describe_api import describe
from scripts.describe_cli_types import TARGET, text_of
from tests.support.eventually import eventually
from tests.support.scripted_api import PICTURE, TOKEN, ScriptedApi, ScriptedRun, problem, serving


@pytest.fixture
def api() -> ScriptedApi:
    return ScriptedApi()


@pytest.fixture
async def client(api: ScriptedApi) -> AsyncIterator[Client]:
    async with serving(api) as url, Client(Address(url, TOKEN), pause=0.01, quiet=5) as client:
        yield client


async def take(client: Client, session_id: str, wanted: int, run_id: str | None = None) -> list[Event]:
    """The first events of a stream, our own about the connection left out."""
    got: list[Event] = []
    async with asyncio.timeout(60), aclosing(client.follow(session_id, run_id)) as events:
        async for event in events:
            got += [event] if event.raw else []
            if len(got) == wanted:
                break
    return got


class TestCalls:
    async def test_a_session_is_found_by_id_beginning_and_as_the_last(
        self, api: ScriptedApi, client: Client
    ) -> None:
        api.add_session("abc-1", updated_at="2026-01-01T00:00:00Z")
        api.add_session("xyz-2", updated_at="2026-01-02T00:00:00Z")
        api.add_session("abd-3", updated_at="2026-01-01T12:00:00Z")
        assert await client.find("abc-1") == "abc-1"
        assert await client.find("x") == "xyz-2"
        assert await client.find("last") == "xyz-2"
        with pytest.raises(UsageError, match="2 sessions"):
            await client.find("ab")
        with pytest.raises(UsageError, match="No session nope"):
            await client.find("nope")

    async def test_no_session_at_all_is_said(self, client: Client) -> None:
        with pytest.raises(UsageError, match="no session yet"):
            await client.find("last")

    async def test_a_wrong_token_says_where_the_right_one_lies(self, client: Client) -> None:
        async with Client(Address(client.address.url, "wrong")) as stranger:
            with pytest.raises(ServerRefused, match="auth_token"):
                await stranger.sessions()

    async def test_a_server_that_is_not_there_is_named(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as gone:
            port = gone.getsockname()[1]
        async with Client(Address(f"http://127.0.0.1:{port}")) as client:
            with pytest.raises(Unreachable, match=f"No server at http://127.0.0.1:{port}"):
                await client.call("GET", "/health")

    async def test_another_program_at_that_address_is_told_from_ours(
        self, api: ScriptedApi, client: Client
    ) -> None:
        api.refusals["/config"] = HTMLResponse("<h1>hello</h1>")
        with pytest.raises(Unreachable, match="not as Pilothouse does"):
            await client.call("GET", "/config")
        api.refusals["/config"] = RedirectResponse("https://elsewhere.example/")
        with pytest.raises(Unreachable, match=r"elsewhere\.example"):
            await client.call("GET", "/config")

    async def test_answers_are_safe_to_print(self, api: ScriptedApi, client: Client) -> None:
        api.add_session("s1", title="a\x1b[2Jb")
        assert (await client.sessions())[0]["title"] == "a[2Jb"

    async def test_our_token_is_not_sent_to_where_a_picture_lies_elsewhere(self, client: Client) -> None:
        assert await client.picture("/api/files/screenshots/s/x.jpg") == PICTURE
        assert await client.picture(client.address.absolute("/api/files/screenshots/s/x.jpg")) == PICTURE
        with pytest.raises(CliError, match="elsewhere"):
            await client.picture("https://cdn.example/x.jpg")


class TestFollowing:
    async def test_a_broken_line_is_taken_up_without_loss_or_repeat(
        self, api: ScriptedApi, client: Client
    ) -> None:
        go = asyncio.Event()

        async def script(run: ScriptedRun) -> None:
            run.emit("token", message_id="m", text="one ")
            await go.wait()
            run.emit("token", message_id="m", text="two")
            run.done("one two", id="m")

        run = api.begin(api.add_session("s1"), "count", script)
        types, lost = [], 0
        async with asyncio.timeout(60), aclosing(client.follow("s1", run["id"])) as events:
            async for event in events:
                if event.type == "token" and not go.is_set():
                    api.break_lines()
                if event.type == "connection":
                    lost += event.data["lost"]
                    continue
                types.append(event.type)
                if lost and not go.is_set():
                    raise AssertionError("an event came again")
                if event.type == "token" and lost == 0:
                    asyncio.get_running_loop().call_later(0.1, go.set)
        assert types == ["message", "token", "token", "done"]
        assert lost == 1
        assert api.stream_headers[-1]["last-event-id"] == "1-2"

    async def test_a_line_separator_in_a_text_does_not_cut_an_event(
        self, api: ScriptedApi, client: Client
    ) -> None:
        async def script(run: ScriptedRun) -> None:
            run.emit("token", message_id="m", text="a\u2028b\x85c\r\nd")

        api.begin(api.add_session("s1"), "x", script)
        events = await take(client, "s1", 2)
        assert events[1].data["text"] == "a\u2028bc\nd"
        assert "\u2028" in events[1].raw

    async def test_it_goes_on_from_run_to_run(self, api: ScriptedApi, client: Client) -> None:
        async def script(run: ScriptedRun) -> None:
            run.done(run.text)

        chat = api.add_session("s1")
        api.begin(chat, "first", script)
        asyncio.get_running_loop().call_later(0.1, lambda: api.begin(chat, "second", script))
        events = await take(client, "s1", 4)
        assert [event.type for event in events] == ["message", "done", "message", "done"]
        assert {event.data["epoch"] for event in events} == {1, 2}

    async def test_a_session_that_is_gone_ends_it(self, client: Client) -> None:
        with pytest.raises(ServerRefused, match="No such session"):
            await take(client, "gone", 1)

    def test_waits_grow_to_a_limit(self) -> None:
        waits = backoff(1, limit=4)
        taken = [next(waits) for _ in range(6)]
        assert all(
            0.75 * wait <= got <= 1.25 * wait for wait, got in zip((1, 2, 4, 4, 4, 4), taken, strict=True)
        )


@pytest.fixture
def conversation(client: Client) -> Conversation:
    return Conversation(client, PlainScreen(StringIO(), StringIO()))


def out_of(conversation: Conversation) -> str:
    return conversation.screen._out.getvalue()  # type: ignore[attr-defined]


def log_of(conversation: Conversation) -> str:
    return conversation.screen._log.file.getvalue()  # type: ignore[attr-defined]


async def order(run: ScriptedRun) -> None:
    run.status("running")
    run.tool("navigate", {"url": "https://shop.example"}, summary="Opened.")
    answer = await run.ask("confirm", "It orders.", url="https://shop.example")
    run.emit("token", message_id="m-end", text="Ordered." if answer["confirmed"] else "Left it.")
    run.done("Ordered." if answer["confirmed"] else "Left it.", id="m-end")


class TestOneLine:
    async def test_the_answer_is_printed_and_zero_returned(self, conversation: Conversation) -> None:
        assert await run_line(conversation, "hello", waits=False) == 0
        assert out_of(conversation) == "You said hello\n"
        assert "❯ hello" in log_of(conversation)

    async def test_a_failed_run_returns_one_and_says_why(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        async def boom(run: ScriptedRun) -> None:
            run.fail("model_unavailable", "The model is away.")

        api.scripts["boom"] = boom
        assert await run_line(conversation, "boom", waits=False) == 1
        assert "The model is away." in log_of(conversation)

    async def test_a_question_ends_it_and_the_next_call_answers(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        assert await run_line(conversation, "order it", waits=False) == 1
        assert '-m "/yes"' in log_of(conversation)
        again = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
        assert await run_line(again, "/yes", waits=False) == 0
        (frame,) = api.asked("WS", "/user_confirm")
        assert (frame["reference"], frame["confirmed"]) == ("q4", True)
        assert out_of(again) == "Ordered.\n"
        assert "Opened." not in log_of(again)

    async def test_a_refusal_takes_words_along(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        await run_line(conversation, "order it", waits=False)
        again = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
        assert await run_line(again, "/no слишком дорого", waits=False) == 0
        assert api.asked("WS", "/user_confirm")[0]["text"] == "слишком дорого"
        assert out_of(again) == "Left it.\n"

    async def test_a_yes_can_hold_for_all_that_is_like_it(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        await run_line(conversation, "order it", waits=False)
        again = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
        assert await run_line(again, "/yes automation x3 max 12,50 month 200", waits=False) == 0
        grant = {"scope": "automation", "count": 3, "act_amount": 12.5, "month_amount": 200}
        assert api.asked("WS", "/user_confirm")[0]["grant"] == grant

    async def test_a_yes_with_words_that_are_no_grant_is_not_sent(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        await run_line(conversation, "order it", waits=False)
        for words in ("please", "always x", "always until soon", "session max", "run max ten"):
            again = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
            with pytest.raises(UsageError):
                await run_line(again, f"/yes {words}", waits=False)
        assert api.asked("WS", "/user_confirm") == []

    async def test_the_inbox_lists_the_questions_of_all_sessions_and_answers_each(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        api.references = iter(["0123456789abcdef", "fedcba9876543210"])
        await run_line(conversation, "order it", waits=False)
        other = Conversation(client, PlainScreen(StringIO(), StringIO()))
        await run_line(other, "order another", waits=False)
        here = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
        await run_line(here, "/inbox", waits=False)
        listed = out_of(here) + log_of(here)
        assert "89abcdef" in listed
        assert "76543210" in listed
        assert await run_line(here, "/yes 76543210", waits=False) == 0
        path = f"/sessions/{other.session_id}/decision"
        assert api.asked("POST", path) == [{"reference": "fedcba9876543210", "confirmed": True}]
        assert api.chats[str(conversation.session_id)].pending
        with pytest.raises(UsageError, match="No open question 76543210"):
            await run_line(here, "/yes 76543210", waits=False)
        assert await run_line(here, "/no 89abcdef too expensive", waits=False) == 0
        asked = api.asked("POST", f"/sessions/{here.session_id}/decision")
        assert asked == [{"reference": "0123456789abcdef", "confirmed": False, "message": "too expensive"}]

    async def test_words_of_a_no_that_name_no_question_are_for_this_session(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        await run_line(conversation, "order it", waits=False)
        again = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
        await run_line(again, "/no somewhere cheaper", waits=False)
        (frame,) = api.asked("WS", "/user_confirm")
        assert (frame["confirmed"], frame["text"]) == (False, "somewhere cheaper")

    async def test_a_question_answered_elsewhere_can_be_waited_out(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        line = asyncio.create_task(run_line(conversation, "order it", waits=True))
        async with asyncio.timeout(60):
            reference = await api.questions.get()
        path = f"/sessions/{conversation.session_id}/decision"
        await client.call("POST", path, {"reference": reference, "confirmed": True})
        assert await line == 0

    async def test_events_are_printed_as_the_server_sent_them(self, conversation: Conversation) -> None:
        lines = StringIO()
        assert await run_line(conversation, "hello", waits=False, lines=lines) == 0
        assert [
            part.partition('"type": "')[2].partition('"')[0] for part in lines.getvalue().splitlines()
        ] == [
            "message",
            "token",
            "done",
        ]
        assert out_of(conversation) == ""

    async def test_an_empty_line_does_nothing(self, api: ScriptedApi, conversation: Conversation) -> None:
        assert await run_line(conversation, "  ", waits=False) == 0
        assert api.calls == []


class TestConversation:
    async def test_words_during_a_run_steer_it(self, api: ScriptedApi, conversation: Conversation) -> None:
        async def long(run: ScriptedRun) -> None:
            await asyncio.Event().wait()

        api.scripts["long"] = long
        await conversation.send_message("a long one")
        await conversation.send_message("hurry up")
        frames = api.asked("WS", "/user_message")
        assert [frame.get("mode") for frame in frames] == [None, None, "steer"]
        assert frames[1]["client_id"] == frames[2]["client_id"]

    async def test_wishes_are_for_the_session_that_the_first_word_begins(
        self, api: ScriptedApi, client: Client
    ) -> None:
        screen = PlainScreen(StringIO(), StringIO())
        conversation = Conversation(client, screen, options={"agent": "assistant", "max_tool_steps": 3})
        await conversation.send_message("hello")
        await conversation.send_message("again")
        assert api.asked("POST", "/sessions") == [{"agent": "assistant", "max_tool_steps": 3}]

    @pytest.mark.parametrize(
        ("line", "tool", "body"),
        [
            ("/launch https://a.example", "launch", {"url": "https://a.example"}),
            ("/click e3", "click", {"eid": "e3"}),
            ("/type e3 some words", "type", {"eid": "e3", "text": "some words"}),
            ("/scroll down 400", "scroll", {"direction": "down", "amount": 400}),
            ("/wait 50", "wait", {"ms": 50}),
            ("/screenshot", "screenshot", {}),
        ],
    )
    async def test_the_browser_is_used_by_hand(
        self, api: ScriptedApi, conversation: Conversation, line: str, tool: str, body: dict[str, object]
    ) -> None:
        assert await run_line(conversation, line, waits=False) == 0
        assert api.asked("POST", f"/browser/{tool}") == [body]
        assert f"{tool} done" in out_of(conversation)

    async def test_an_observation_lists_elements_for_completion(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        page = {"url": "https://a.example", "title": "A"}
        element = {"eid": "e1", "role": "button", "name": "Go", "value": None}
        seen = {"id": "0123456789abcdef", "page": page, "interactive": [element], "overlays": []}
        api.browser["observe"] = seen
        await run_line(conversation, "/observe", waits=False)
        assert conversation.elements == [element]
        assert "e1  button  Go" in out_of(conversation)
        await run_line(conversation, "/click e1", waits=False)
        assert api.asked("POST", "/browser/click") == [{"eid": "e1", "observation": seen["id"]}]

    async def test_what_is_risky_by_hand_wants_a_yes_of_its_own(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        detail = "places an order"
        api.refusals["/browser/click"] = problem(409, "confirmation_required", detail)
        with pytest.raises(UsageError, match="places an order: /yes does it"):
            await run_line(conversation, "/click e3", waits=False)
        api.refusals.clear()
        await run_line(conversation, "/yes", waits=False)
        assert api.asked("POST", "/browser/click") == [{"eid": "e3"}, {"eid": "e3", "confirmed": True}]
        with pytest.raises(UsageError, match="Nothing is waiting"):
            await run_line(conversation, "/yes", waits=False)

    @pytest.mark.parametrize("line", ["/yes", "/no", "/done"])
    async def test_without_a_question_an_answer_is_refused(
        self, conversation: Conversation, line: str
    ) -> None:
        with pytest.raises(UsageError, match="Nothing is waiting"):
            await run_line(conversation, line, waits=False)

    @pytest.mark.parametrize(("kind", "wrong"), [("confirm", "/done"), ("manual", "/no")])
    async def test_an_answer_that_does_not_fit_says_which_does(
        self, api: ScriptedApi, conversation: Conversation, kind: str, wrong: str
    ) -> None:
        async def ask(run: ScriptedRun) -> None:
            await run.ask(kind, "Please.")

        api.scripts["ask"] = ask
        await run_line(conversation, "ask", waits=False)
        with pytest.raises(UsageError, match="This wants"):
            await run_line(conversation, wrong, waits=False)

    async def test_a_missed_part_is_made_good_by_a_reload(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        async def script(run: ScriptedRun) -> None:
            run.emit("resync", reason="buffer")
            run._api.add_message(run._chat, "assistant", "was missed", "r1", id="m-missed")
            run.done("end")

        api.scripts["lossy"] = script
        await run_line(conversation, "lossy", waits=False)
        assert out_of(conversation) == "was missed\nend\n"


class TestDialogue:
    """Messages, answers and control over the WebSocket, when the line is bad."""

    async def test_a_message_whose_acknowledgement_is_lost_is_carried_out_once(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        api.lost_acks = 2
        assert await run_line(conversation, "hello", waits=False) == 0
        frames = api.asked("WS", "/user_message")
        assert len(frames) == 3
        assert len({frame["client_id"] for frame in frames}) == 1
        (chat,) = api.chats.values()
        assert [message["content"] for message in chat.messages] == ["hello", "You said hello"]
        assert out_of(conversation) == "You said hello\n"

    async def test_a_yes_whose_acknowledgement_is_lost_is_given_once(
        self, api: ScriptedApi, client: Client, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        await run_line(conversation, "order it", waits=False)
        api.lost_acks = 1
        again = Conversation(client, PlainScreen(StringIO(), StringIO()), conversation.session_id)
        assert await run_line(again, "/yes", waits=False) == 0
        assert len(api.asked("WS", "/user_confirm")) == 2
        assert len(api.chats[str(conversation.session_id)].questions) == 1

    @pytest.mark.parametrize(("here", "is_refused"), [("/yes", False), ("/no", True)])
    async def test_a_question_that_was_answered_so_already_is_answered(
        self, api: ScriptedApi, client: Client, conversation: Conversation, here: str, is_refused: bool
    ) -> None:
        """After a restart of the server its memory of ids is gone; the answer itself is kept."""
        api.scripts["order"] = order
        await run_line(conversation, "order it", waits=False)
        await conversation.attach(silently=True)
        path = f"/sessions/{conversation.session_id}/decision"
        await client.call("POST", path, {"reference": "q4", "confirmed": True})
        entry = parse(here, "chat")
        assert isinstance(entry, Call)
        if is_refused:
            with pytest.raises(ServerRefused, match="decided already"):
                await conversation.do(entry)
        else:
            assert await conversation.do(entry) is None

    async def test_a_refusal_is_told_in_the_servers_words(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        api.refusals["/user_message"] = problem(503, "draining", "The server is going down.")
        with pytest.raises(ServerRefused, match=r"The server is going down\. Try again"):
            await conversation.send_message("hello")

    async def test_what_did_not_go_out_is_said_and_never_sent_later(self, api: ScriptedApi) -> None:
        async with AsyncExitStack() as stack:
            async with serving(api) as url:
                client = await stack.enter_async_context(Client(Address(url, TOKEN), pause=0.01))
                conversation = Conversation(client, PlainScreen(StringIO(), StringIO()))
                await conversation.send_message("hello")
            with pytest.raises(Unreachable, match=f"No server at {url}"):
                await conversation.send_message("into the void")
            async with serving(api, port=int(url.rpartition(":")[2])):
                await conversation.send_message("back again")
        said = [frame["text"] for frame in api.asked("WS", "/user_message")]
        assert said == ["hello", "back again"]

    async def test_what_a_frame_cannot_hold_goes_over_http(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        text = "\n" * 40_000
        await conversation.send_message(text + "end")
        (body,) = api.asked("POST", "/messages")
        assert body["content"] == text + "end"
        assert body["client_id"]
        assert api.asked("WS", "/user_message") == []

    async def test_a_session_that_is_gone_and_a_login_that_ended_are_final(
        self, api: ScriptedApi, client: Client
    ) -> None:
        gone = Conversation(client, PlainScreen(StringIO(), StringIO()), "gone")
        with pytest.raises(ServerRefused, match="No such session"):
            await gone.send({"type": "control", "action": "pause"})
        api.add_session("s1")
        async with Client(Address(client.address.url, "wrong")) as stranger:
            dialogue = await stranger.dialogue("s1")
            with pytest.raises(ServerRefused, match="Not logged in"):
                await dialogue.send({"type": "control", "action": "pause"})

    async def test_a_server_without_sockets_is_named(self, client: Client) -> None:
        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(refuse, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, Client(Address(url)) as behind:
            with pytest.raises(Unreachable, match=r"no WebSocket through \(HTTP 502\)"):
                await (await behind.dialogue("s1")).send({"type": "control", "action": "pause"})

    async def test_the_agent_is_heard_when_the_event_stream_tells_nothing(
        self, api: ScriptedApi, conversation: Conversation
    ) -> None:
        api.scripts["order"] = order
        api.is_stream_silent = True
        conversation.session_id = "s1"
        api.add_session("s1", title="T")
        await conversation.attach()
        shown = asyncio.create_task(conversation.listen())
        following = asyncio.create_task(conversation.follow())
        async with asyncio.timeout(60):
            await conversation.send_message("order it")
            await eventually(lambda: conversation.view.pending, message="a question is open")
            entry = parse("/yes", "chat")
            assert isinstance(entry, Call)
            await conversation.do(entry)
            await eventually(
                lambda: out_of(conversation), lambda it: "Ordered." in it, message="the answer is shown"
            )
            assert "It orders." in log_of(conversation)
            api.is_stream_silent = False  # now it sends everything, and nothing of that twice
            api.wake()
            await eventually(
                lambda: log_of(conversation), lambda it: "done" in it, message="the end is shown"
            )
        for task in (shown, following):
            task.cancel()
        await asyncio.gather(shown, following, return_exceptions=True)
        assert out_of(conversation) == "Ordered.\n"
        assert log_of(conversation).count("It orders.") == 1


class TestDoctor:
    async def checks(self, client: Client) -> dict[str, doctor.Check]:
        return {check.name: check async for check in doctor.examine(client)}

    async def test_a_healthy_server_has_nothing_failing(self, client: Client) -> None:
        found = await self.checks(client)
        assert list(found) == ["server", "login", "readiness", "dialogue", "browser", "model", "versions"]
        assert not [check for check in found.values() if check.state == "fail"]

    async def test_a_wrong_token_ends_it_with_what_to_do(self, client: Client) -> None:
        async with Client(Address(client.address.url)) as stranger:
            found = await self.checks(stranger)
        assert list(found) == ["server", "login"]
        assert found["login"].state == "fail"
        assert "AUTH_TOKEN" in found["login"].finding

    async def test_a_database_that_is_behind_is_told_with_its_remedy(
        self, api: ScriptedApi, client: Client
    ) -> None:
        api.refusals["/ready"] = problem(
            503, "unavailable", "The schema is at 0001, this version needs 0002."
        )
        found = await self.checks(client)
        assert found["readiness"].state == "fail"
        assert "pilothouse migrate" in found["readiness"].advice

    async def test_a_missing_model_key_is_named(self, api: ScriptedApi, client: Client) -> None:
        missing = {
            "id": "mock:scripted",
            "label": "S",
            "ready": False,
            "missing": "ANTHROPIC_API_KEY",
            "demo": False,
        }
        api.config |= {"models": [missing], "notices": [{"code": "no_key", "text": "No model key is set."}]}
        found = await self.checks(client)
        assert found["model"].state == "fail"
        assert "ANTHROPIC_API_KEY" in found["model"].advice
        assert found["notice"].finding == "No model key is set."


class TestOptions:
    HERE = "http://127.0.0.1:9"

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--url", HERE, "sessions"),
            ("sessions", "--url", HERE),
            ("--url", "http://127.0.0.1:8", "sessions", "--url", HERE),
        ],
    )
    def test_the_server_is_named_before_or_after_the_command_and_the_nearest_wins(
        self, arguments: tuple[str, ...]
    ) -> None:
        ran = CliRunner().invoke(app, arguments, env={"PILOTHOUSE_URL": "http://127.0.0.1:7"})
        assert ran.exit_code == 1
        assert f"No server at {self.HERE} " in ran.stderr

    def test_without_them_the_environment_names_it(self) -> None:
        ran = CliRunner().invoke(app, ("sessions",), env={"PILOTHOUSE_URL": "http://127.0.0.1:7"})
        assert "No server at http://127.0.0.1:7 " in ran.stderr


def test_the_types_are_those_of_the_description() -> None:
    assert TARGET.read_text() == text_of(describe()), "run `npm --prefix web run types`"
