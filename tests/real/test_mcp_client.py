"""One MCP session against a server that does everything wrong, over stdio and HTTP."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from mcp.types import TextContent

from server.browser.chromium.processes import Processes
from server.browser.mcp.client import Http, McpClient, Stdio, ToolRefused, ToolServerLost, ToolTimeout
from tests.support.browsers import no_process_is_left
from tests.support.scripted_mcp import COMMAND, serve_http

ROOT = Path(__file__).parents[2]


@pytest_asyncio.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    processes = Processes(tmp_path)
    yield processes
    await processes.aclose()


@pytest_asyncio.fixture(params=["stdio", "http"])
async def client(request: pytest.FixtureRequest, processes: Processes) -> AsyncIterator[McpClient]:
    if request.param == "stdio":
        client = McpClient("scripted", Stdio(COMMAND, cwd=ROOT), processes)
        await client.open()
        yield client
        await client.close()
    else:
        async with serve_http() as url:
            client = McpClient("scripted", Http(url), processes)
            await client.open()
            yield client
            await client.close()


@pytest_asyncio.fixture
async def local(processes: Processes) -> AsyncIterator[McpClient]:
    client = McpClient("scripted", Stdio(COMMAND, cwd=ROOT), processes)
    await client.open()
    yield client
    await client.close()


async def text(client: McpClient, tool: str, *, deadline: float = 10, **args: object) -> str:
    part = (await client.call(tool, args, deadline=deadline)).content[0]
    assert isinstance(part, TextContent)
    return part.text


async def test_tools_are_discovered_and_called(client: McpClient):
    assert "echo" in {tool.name for tool in client.tools}
    assert await text(client, "echo", text="grüße") == "grüße"


async def test_the_session_keeps_its_state(client: McpClient):
    assert [await text(client, "count") for _ in range(3)] == ["1", "2", "3"]


async def test_calls_of_many_tasks_are_taken_one_at_a_time(client: McpClient):
    began = time.monotonic()
    await asyncio.gather(*(text(client, "slow", seconds=0.2) for _ in range(3)))
    assert time.monotonic() - began >= 0.6


async def test_a_call_ends_at_its_deadline_and_the_session_lives_on(client: McpClient):
    with pytest.raises(ToolTimeout, match="silent"):
        await client.call("silent", {}, deadline=0.3)
    assert await text(client, "echo", text="still here") == "still here"


async def test_waiting_for_ones_turn_counts_against_the_deadline(client: McpClient):
    first = asyncio.create_task(client.call("slow", {"seconds": 1}, deadline=60))
    await asyncio.sleep(0.05)
    with pytest.raises(ToolTimeout):
        await client.call("echo", {"text": "x"}, deadline=0.2)
    await first


async def test_a_cancelled_call_leaves_the_session_usable(client: McpClient):
    call = asyncio.create_task(client.call("silent", {}, deadline=30))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await text(client, "echo", text="next") == "next"


async def test_a_tool_that_the_server_does_not_have_is_refused(client: McpClient):
    with pytest.raises(ToolRefused, match="no tool nonsense"):
        await client.call("nonsense", {}, deadline=5)


async def test_an_error_of_a_tool_is_a_result(client: McpClient):
    result = await client.call("fail", {}, deadline=5)
    assert result.isError


async def test_a_session_can_be_closed_by_any_task_and_twice(client: McpClient):
    await asyncio.create_task(client.close())
    await client.close()
    with pytest.raises(ToolServerLost):
        await client.call("echo", {"text": "x"}, deadline=1)


async def test_what_a_server_says_last_is_told_as_the_reason(local: McpClient):
    with pytest.raises(ToolServerLost, match=r"ended during the call \(.*out of memory"):
        await local.call("tell", {}, deadline=30)
    with pytest.raises(ToolServerLost, match=r"has ended \(.*out of memory"):
        await local.call("echo", {"text": "x"}, deadline=30)


@pytest.mark.parametrize("tool", ["die", "leave"])
async def test_a_server_that_ends_during_a_call_is_told_at_once(local: McpClient, tool: str):
    with pytest.raises(ToolServerLost) as lost:
        await local.call(tool, {}, deadline=3600)
    assert lost.value.was_sent
    assert not local.is_open
    with pytest.raises(ToolServerLost) as gone:
        await local.call("echo", {"text": "x"}, deadline=5)
    assert not gone.value.was_sent


async def test_noise_between_messages_is_ignored(local: McpClient):
    assert await text(local, "garbage") == "garbage"
    assert await text(local, "echo", text="fine") == "fine"


async def test_a_message_beyond_all_measure_ends_the_session_and_not_the_memory(local: McpClient):
    with pytest.raises(ToolServerLost, match="more than can be taken"):
        await local.call("huge", {"megabytes": 50}, deadline=60)


async def test_noise_at_the_start_does_no_harm(processes: Processes):
    client = McpClient("noisy", Stdio((*COMMAND, "--garbage"), cwd=ROOT), processes)
    await client.open()
    assert await text(client, "echo", text="hello") == "hello"
    await client.close()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ((*COMMAND, "--exit"), "no thank you"),
        (("/no/such/program",), "no such"),
        (("true",), "cannot be used|ended"),
    ],
)
async def test_a_server_that_does_not_start_is_told_with_its_last_words(
    processes: Processes, command: tuple[str, ...], why: str
):
    client = McpClient("broken", Stdio(command, cwd=ROOT), processes)
    with pytest.raises(ToolServerLost, match=f"(?i){why}"):
        await client.open(deadline=20)


async def test_a_server_that_says_nothing_is_given_up(processes: Processes):
    client = McpClient("mute", Stdio((*COMMAND, "--mute"), cwd=ROOT), processes)
    with pytest.raises(ToolServerLost, match="did not answer"):
        await client.open(deadline=1)
    await no_process_is_left("tests.support.scripted_mcp", "--mute")


async def test_an_address_where_nobody_answers_is_told(processes: Processes):
    client = McpClient("nowhere", Http("http://127.0.0.1:9/mcp"), processes)
    with pytest.raises(ToolServerLost):
        await client.open(deadline=5)
