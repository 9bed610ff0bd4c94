"""The DevTools pipe and its relay: clients do not notice each other, and only those who know the path are let in."""

import asyncio
import gc
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server.browser.chromium.cdp import LARGE_BYTES, Cdp, CdpError, read_message
from server.browser.chromium.devtools import (
    TOO_LARGE,
    DevTools,
    DevToolsClient,
    _in_usual_order,
    _session_of,
    _without_session,
)
from server.browser.chromium.frames import evaluate_inside, evaluate_with_listeners
from server.browser.chromium.relay import Relay
from tests.support.scripted_chromium import ScriptedChromium, scripted_pipe


class Reader:
    """What one client of a pipe gets."""

    def __init__(self) -> None:
        self.got: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.is_lost = False

    @classmethod
    async def attach(cls, devtools: DevTools) -> tuple["Reader", DevToolsClient]:
        reader = cls()
        return reader, await devtools.attach(
            lambda text: reader.got.put_nowait(json.loads(text)), reader.lose
        )

    def lose(self) -> None:
        self.is_lost = True

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(60):
            return await self.got.get()


@pytest.fixture
async def pipe() -> AsyncIterator[tuple[ScriptedChromium, DevTools]]:
    async with scripted_pipe() as pipe:
        yield pipe


async def test_equal_ids_of_two_clients_are_answered_each_to_its_own(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    (ann, to_ann), (bob, to_bob) = await Reader.attach(devtools), await Reader.attach(devtools)
    await to_ann.send({"id": 7, "method": "A.do"})
    await to_bob.send({"id": 7, "method": "B.do", "params": {"x": "\ud800\0"}})
    of_ann, of_bob = await chromium.heard("A.do"), await chromium.heard("B.do")
    assert (of_ann["sessionId"], of_bob["sessionId"]) == ("S1", "S2")
    assert of_ann["id"] != of_bob["id"]
    assert of_bob["params"] == {"x": "\ud800\0"}
    chromium.answer(of_bob, {"for": "bob"})
    chromium.answer(of_ann, {"for": "ann"})
    assert await ann.next() == {"id": 7, "result": {"for": "ann"}}
    assert await bob.next() == {"id": 7, "result": {"for": "bob"}}


async def test_events_go_to_the_client_that_owns_the_session(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    (ann, to_ann), (bob, _) = await Reader.attach(devtools), await Reader.attach(devtools)
    chromium.say({"method": "Target.attachedToTarget", "params": {"sessionId": "P"}, "sessionId": "S1"})
    chromium.say({"method": "Target.attachedToTarget", "params": {"sessionId": "F"}, "sessionId": "P"})
    chromium.say({"method": "Page.loaded", "params": {}, "sessionId": "F"})
    chromium.say({"method": "Target.targetCreated", "params": {}, "sessionId": "S2"})
    chromium.say({"method": "Page.loaded", "params": {}, "sessionId": "unknown"})
    assert await ann.next() == {"method": "Target.attachedToTarget", "params": {"sessionId": "P"}}
    assert (await ann.next())["sessionId"] == "P"
    assert await ann.next() == {"method": "Page.loaded", "params": {}, "sessionId": "F"}
    assert await bob.next() == {"method": "Target.targetCreated", "params": {}}
    chromium.say({"method": "Target.detachedFromTarget", "params": {"sessionId": "P"}, "sessionId": "S1"})
    assert (await ann.next())["method"] == "Target.detachedFromTarget"
    for gone in ("P", "F"):
        await to_ann.send({"id": 1, "method": "Page.reload", "sessionId": gone})
        assert (await ann.next())["error"]["code"] == -32001
    assert ann.got.empty()
    assert bob.got.empty()


async def test_the_session_of_another_client_cannot_be_used(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    (ann, _), (bob, to_bob) = await Reader.attach(devtools), await Reader.attach(devtools)
    chromium.say({"method": "Target.attachedToTarget", "params": {"sessionId": "P"}, "sessionId": "S1"})
    await ann.next()
    for session in ("P", "S1"):
        await to_bob.send({"id": 3, "method": "Page.navigate", "sessionId": session})
        assert await bob.next() == {
            "id": 3,
            "error": {"code": -32001, "message": "Session with given id not found."},
        }
    await to_bob.send({"id": 4, "method": "B.last"})
    await chromium.heard("B.last")
    assert chromium.commands == []


async def test_a_command_that_meets_the_end_of_its_session_is_answered(
    pipe: tuple[ScriptedChromium, DevTools],
):
    """Chromium names no session when it answers that it does not know it."""
    chromium, devtools = pipe
    ann, to_ann = await Reader.attach(devtools)
    await to_ann.send({"id": 3, "method": "A.do"})
    number = (await chromium.heard("A.do"))["id"]
    chromium.say({"id": number, "error": {"code": -32001, "message": "Session with given id not found."}})
    assert (await ann.next())["error"]["code"] == -32001


async def test_a_client_that_goes_takes_its_sessions_along(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    (ann, to_ann), (bob, to_bob) = await Reader.attach(devtools), await Reader.attach(devtools)
    await to_ann.send({"id": 1, "method": "A.do"})
    late = await chromium.heard("A.do")
    to_ann.detach()
    to_ann.detach()
    assert (await chromium.heard("Target.detachFromTarget"))["params"] == {"sessionId": "S1"}
    chromium.answer(late, {})
    chromium.say({"method": "Page.loaded", "params": {}, "sessionId": "S1"})
    await to_bob.send({"id": 1, "method": "B.do"})
    chromium.answer(await chromium.heard("B.do"), {})
    assert (await bob.next())["id"] == 1
    assert ann.got.empty()
    assert not any(one["method"] == "Target.detachFromTarget" for one in chromium.commands)


async def test_a_client_that_fails_at_a_message_costs_nobody_the_pipe(
    pipe: tuple[ScriptedChromium, DevTools],
):
    def fail(_: bytes) -> None:
        raise ValueError("cannot be read")

    chromium, devtools = pipe
    failing, (ann, _) = await devtools.attach(fail, lambda: None), await Reader.attach(devtools)
    chromium.say({"method": "Page.loaded", "params": {}, "sessionId": failing.session})
    chromium.say({"method": "Page.loaded", "params": {}, "sessionId": "S2"})
    assert (await ann.next())["method"] == "Page.loaded"


async def test_a_large_answer_is_parsed_off_the_loop(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    cdp = await Cdp.connect(devtools)
    asking = asyncio.create_task(cdp.send("Page.read"))
    large = {"listeners": [{"type": "click"}] * 50_000}
    command = await chromium.heard("Page.read")
    parsed: list[int] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is read_message.__code__:
            parsed.append(len(frame.f_locals["text"]))

    sys.setprofile(watch)  # of this thread, the loop's
    try:
        chromium.answer(command, large)
        assert await asking == large
    finally:
        sys.setprofile(None)
    assert max(parsed, default=0) <= LARGE_BYTES


async def test_an_event_that_nobody_listens_to_is_not_parsed(pipe: tuple[ScriptedChromium, DevTools]):
    """A page fills them: while a person has the browser, each line of its console is one."""
    chromium, devtools = pipe
    cdp = await Cdp.connect(devtools)
    heard: list[object] = []
    cdp.on("Page.loaded", lambda params, _: heard.append(params))
    cdp.on("Runtime.consoleAPICalled", lambda *_: None)()
    asking = asyncio.create_task(cdp.send("Page.read"))
    command = await chromium.heard("Page.read")
    parsed: list[bytes] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is read_message.__code__:
            parsed.append(frame.f_locals["text"])

    sys.setprofile(watch)
    try:
        line = {"args": [{"type": "number"}] * 1000}
        for method, params in (("Runtime.consoleAPICalled", line), ("Page.loaded", {"a": 1})):
            chromium.say({"method": method, "params": params, "sessionId": command["sessionId"]})
        chromium.answer(command, {})
        await asking
    finally:
        sys.setprofile(None)
    assert heard == [{"a": 1}]
    assert not any(b"consoleAPICalled" in text for text in parsed)


def test_the_thread_that_parses_a_large_answer_gives_way_at_every_object():
    """Only in Python code does it release the interpreter's lock; otherwise the loop would wait for all of it."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    text = json.dumps({"id": 1, "result": {"nodes": [{}] * 300_000}}).encode()
    sys.setprofile(count)
    try:
        read_message(text)
    finally:
        sys.setprofile(None)
    assert calls > 300_000


async def test_all_are_told_when_the_browser_is_gone(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    ann, to_ann = await Reader.attach(devtools)
    cdp = await Cdp.connect(devtools)
    waiting = asyncio.create_task(cdp.send("Page.enable"))
    await chromium.heard("Page.enable")
    chromium.close()
    with pytest.raises(CdpError, match="gone"):
        await waiting
    assert ann.is_lost
    assert cdp.closed.is_set()
    with pytest.raises(ConnectionError):
        await to_ann.send({"id": 1, "method": "A.do"})
    with pytest.raises(CdpError):
        await Cdp.connect(devtools)


async def test_messages_in_another_order_arrive_the_same(pipe: tuple[ScriptedChromium, DevTools]):
    chromium, devtools = pipe
    ann, to_ann = await Reader.attach(devtools)
    await to_ann.send({"id": 5, "method": "A.do"})
    number = (await chromium.heard("A.do"))["id"]
    chromium.say(b"no message at all")
    chromium.say(b"[1, 2]")
    chromium.say(b'{"sessionId": "S1", "params": {}, "method": "A.happened"}')
    chromium.say(f'{{ "result": {{"x": 1}}, "sessionId": "S1", "id": {number} }}'.encode())
    assert await ann.next() == {"method": "A.happened", "params": {}}
    assert await ann.next() == {"id": 5, "result": {"x": 1}}


SESSION = st.text(alphabet="0123456789ABCDEF", min_size=1, max_size=32)


@given(st.text(), SESSION, st.one_of(st.none(), SESSION))
def test_what_a_page_says_is_never_taken_for_a_session(text: str, forged: str, session: str | None):
    for said in (text, text + f',"sessionId":"{forged}"}}', f'{text}"}},"sessionId":"{forged}"}}'):
        event = {
            "method": "Log.added",
            "params": {"text": said},
            **({"sessionId": session} if session else {}),
        }
        written = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
        assert _session_of(written) == session
        assert json.loads(_in_usual_order(written)) == event
        if session:
            without = {"method": "Log.added", "params": {"text": said}}
            assert json.loads(_without_session(written, session)) == without
            assert _without_session(written, session + "0") == written


@asynccontextmanager
async def relayed() -> AsyncIterator[tuple[ScriptedChromium, Relay]]:
    async with scripted_pipe() as (chromium, devtools):
        relay = Relay(devtools)
        await relay.start()
        try:
            yield chromium, relay
        finally:
            await relay.close()


def speak(url: str, **options: Any) -> connect:
    return connect(url, proxy=None, compression=None, max_size=None, ping_interval=None, **options)


async def answer_to(client: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(60):
        answer: dict[str, Any] = json.loads(await client.recv())
        return answer


async def test_a_picture_of_many_megabytes_passes_unchanged():
    data = "iVBOR" * 2_000_000
    async with relayed() as (chromium, relay), speak(relay.url) as client:
        await client.send(json.dumps({"id": 1, "method": "Page.shoot", "params": {"said": "ж" * 300_000}}))
        command = await chromium.heard("Page.shoot")
        assert command["params"]["said"] == "ж" * 300_000
        chromium.answer(command, {"data": data})
        assert await answer_to(client) == {"id": 1, "result": {"data": data}}


async def test_a_message_that_is_too_large_is_refused_and_the_others_pass():
    """A page influences the size of answers: 200 names of a megabyte kept the event loop for two seconds."""
    async with relayed() as (chromium, relay), speak(relay.url) as client:
        await client.send('{"id":1,"method":"Target.attachToTarget"}')
        command = await chromium.heard("Target.attachToTarget")
        attached = {"sessionId": "TAB", "targetInfo": {"type": "page"}}
        chromium.say(
            {"method": "Target.attachedToTarget", "params": attached, "sessionId": command["sessionId"]}
        )
        assert (await answer_to(client))["params"] == attached
        await client.send('{"id":2,"method":"Page.read","sessionId":"TAB"}')
        await client.send('{"id":3,"method":"Page.name","sessionId":"TAB"}')
        chromium.answer(await chromium.heard("Page.read"), {"text": "x" * 20_000_000})
        chromium.say({"method": "Page.said", "params": {"text": "x" * 13_000_000}, "sessionId": "TAB"})
        chromium.answer(await chromium.heard("Page.name"), {"text": "y"})
        assert await answer_to(client) == {"id": 2, "error": TOO_LARGE, "sessionId": "TAB"}
        assert await answer_to(client) == {"id": 3, "result": {"text": "y"}, "sessionId": "TAB"}


async def test_only_the_whole_secret_path_is_let_in():
    async with relayed() as (_, relay):
        base, _, secret = relay.url.rpartition("/")
        assert len(secret) >= 43
        for path in (
            "",
            "json/version",
            secret[:-1],
            secret + "x",
            secret.swapcase(),
            f"{secret}?x",
            f"../{secret}",
        ):
            with pytest.raises(InvalidStatus) as refused:
                await speak(f"{base}/{path}").__aenter__()
            assert refused.value.response.status_code == 404
        for headers in ({"Origin": base.replace("ws", "http")}, {"Origin": "null"}):
            with pytest.raises(InvalidStatus):
                await speak(relay.url, additional_headers=headers).__aenter__()
        with pytest.raises(InvalidStatus):
            await speak(relay.url.replace("127.0.0.1", "localhost")).__aenter__()
        async with speak(relay.url):
            pass


async def test_two_relays_have_two_secrets():
    async with relayed() as (_, one), relayed() as (_, other):
        assert one.url.rpartition("/")[2] != other.url.rpartition("/")[2]


async def test_a_client_that_disconnects_is_detached():
    async with relayed() as (chromium, relay):
        async with speak(relay.url) as client:
            await client.send('{"id":1,"method":"A.do"}')
            session = (await chromium.heard("A.do"))["sessionId"]
        assert (await chromium.heard("Target.detachFromTarget"))["params"] == {"sessionId": session}


@pytest.mark.parametrize("noise", ["no json", "[]", '"x"', "5", b"\x00\xff", "{" * 100_000])
async def test_noise_ends_the_connection_of_who_made_it(noise: str | bytes):
    async with relayed() as (chromium, relay), speak(relay.url) as other:
        async with speak(relay.url) as client:
            await client.send(noise)
            with pytest.raises(ConnectionClosed):
                await answer_to(client)
        await other.send('{"id":2,"method":"B.do"}')
        chromium.answer(await chromium.heard("B.do"), {})
        assert (await answer_to(other))["id"] == 2


@asynccontextmanager
async def lazy_client(chromium: ScriptedChromium, relay: Relay) -> AsyncIterator[str]:
    """A client that sends a command and never reads; yields its session."""
    _, writer = await asyncio.open_connection("127.0.0.1", relay.port, limit=1024)
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    command = b'{"id":1,"method":"Lazy.do"}'
    writer.write(
        f"GET /{relay.url.rpartition('/')[2]} HTTP/1.1\r\nHost: 127.0.0.1:{relay.port}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        + bytes((0x81, 0x80 | len(command), 0, 0, 0, 0))
        + command
    )
    try:
        yield (await chromium.heard("Lazy.do"))["sessionId"]
    finally:
        writer.transport.abort()


def frame_for(session: str) -> dict[str, Any]:
    return {"method": "Page.frame", "params": {"data": "x" * 1_000_000}, "sessionId": session}


async def test_a_client_that_does_not_read_is_cut_off_and_the_others_go_on():
    async with (
        relayed() as (chromium, relay),
        speak(relay.url) as other,
        lazy_client(chromium, relay) as lazy,
    ):
        for _ in range(64):  # the kernel's buffers take some of it
            chromium.say(frame_for(lazy))
        assert (await chromium.heard("Target.detachFromTarget"))["params"] == {"sessionId": lazy}
        await other.send('{"id":2,"method":"B.do"}')
        chromium.answer(await chromium.heard("B.do"), {})
        assert (await answer_to(other))["id"] == 2


async def test_a_relay_whose_start_is_cancelled_leaves_no_socket_open():
    """A socket that is collected while it is open is a ResourceWarning, which fails the test."""
    async with scripted_pipe() as (_, devtools):
        for turns in range(12):
            relay = Relay(devtools)
            starting = asyncio.create_task(relay.start())
            for _ in range(turns):
                await asyncio.sleep(0)
            starting.cancel()
            await asyncio.wait({starting})
            await relay.close()
        gc.collect()


async def test_a_client_that_does_not_read_does_not_delay_the_end():
    async with scripted_pipe() as (chromium, devtools):
        relay = Relay(devtools)
        await relay.start()
        async with lazy_client(chromium, relay) as lazy:
            for _ in range(24):
                chromium.say(frame_for(lazy))
            async with asyncio.timeout(10):
                await relay.close()


async def test_a_frame_that_comes_while_frames_are_read_disturbs_nothing():
    inner = {"frame 1": ("page", "a")}

    class ChangingPage(Cdp):
        async def send(self, method: str, *_: Any, session: str | None = None, **__: Any) -> Any:
            inner["frame 2"] = ("page", "b")
            match method:
                case "DOM.getFrameOwner":
                    return {"backendNodeId": 1}
                case "DOM.getBoxModel":
                    return {"model": {"content": [10, 20]}}
                case "Page.getFrameTree":
                    return {"frameTree": {"frame": {"id": "x"}}}
                case "Page.createIsolatedWorld":
                    return {"executionContextId": 1}
            return {"result": {"value": session}}

    found = await evaluate_inside(ChangingPage(), "page", inner, lambda place: "() => 1", deadline=5)
    assert [(place.x, place.y) for _, place in found] == [(10, 20)]


async def test_a_script_is_told_where_the_listeners_of_a_page_cannot_be_read():
    called: list[str] = []

    class DeafPage(Cdp):
        async def send(self, method: str, params: Any = None, **_: Any) -> Any:
            match method:
                case "DOMDebugger.getEventListeners":
                    raise CdpError("no answer within 1 s")
                case "Page.createIsolatedWorld":
                    return {"executionContextId": 1}
                case "Runtime.callFunctionOn":
                    called.append(params["functionDeclaration"])
            return {"result": {"objectId": "document", "value": None}}

    await evaluate_with_listeners(DeafPage(), "page", "one => one", frame="a", deadline=3)
    assert [one.endswith("(one => one)(null, heard)") for one in called] == [True]
