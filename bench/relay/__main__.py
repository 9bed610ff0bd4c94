"""The cost of the DevTools relay: Playwright MCP on Chromium's own port, compared with the same through the relay.

    python -m bench.relay [--rounds 20]

One Chromium has both here, a port and a pipe. The two ways take turns, so compare rows of one run only; CPU is that
of this process, in which the relay runs.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

from websockets.asyncio.client import connect

from server.browser.chromium import executables as parts
from server.browser.chromium.chromium import _flags
from server.browser.chromium.devtools import PIPES_SCRIPT, DevTools
from server.browser.chromium.egress import Egress
from server.browser.chromium.processes import Processes
from server.browser.chromium.reach import Reach
from server.browser.chromium.relay import Relay
from server.browser.mcp.client import McpClient
from server.browser.mcp.playwright_server import server_at
from tests.support.eventually import eventually
from tests.support.sites import Site

WAYS = ("port", "relay")
Work = Callable[[], Awaitable[Any]]


async def read_port(profile: Path) -> str:
    """The address of the DevTools port, from the file that Chromium writes."""
    place = profile / "DevToolsActivePort"
    await eventually(
        lambda: place.exists() and place.read_text().count("\n"), timeout=20, message="the port is written"
    )
    port, path = place.read_text().splitlines()
    return f"ws://127.0.0.1:{port}{path}"


async def open_both(stack: AsyncExitStack, folder: Path) -> tuple[dict[str, str], Processes]:
    """The two addresses of one Chromium."""
    processes = Processes(folder / "processes")
    stack.push_async_callback(processes.aclose)
    egress = Egress(Reach(private_network="always"))
    await egress.start()
    stack.push_async_callback(egress.close)
    profile = folder / "profile"
    profile.mkdir()
    flags = _flags(profile, egress.url, headless=True, restore=False, sandbox=None)
    program = parts.find_chromium()
    assert program, parts.NO_CHROMIUM
    command = ("/bin/sh", "-c", PIPES_SCRIPT, "sh", str(program), "--remote-debugging-port=0", *flags)
    process = await processes.start(command, talks=True)
    assert process.stdout
    assert process.stdin
    devtools = DevTools(process.stdout, process.stdin)
    stack.push_async_callback(devtools.close)
    relay = Relay(devtools)
    await relay.start()
    stack.push_async_callback(relay.close)
    return {"port": await read_port(profile), "relay": relay.url}, processes


async def works_of(
    stack: AsyncExitStack, folder: Path, url: str, processes: Processes, site: Site
) -> dict[str, Work]:
    """The operations that are measured, by name, on one of the two ways."""
    raw = await stack.enter_async_context(
        connect(url, proxy=None, compression=None, max_size=None, ping_interval=None)
    )
    mcp = McpClient("bench", server_at(url, folder, folder, isolated=True), processes)
    await mcp.open()
    stack.push_async_callback(mcp.close)
    numbers = iter(range(1, 1_000_000))

    async def ask(method: str, **params: Any) -> None:
        number = next(numbers)
        await raw.send(f'{{"id":{number},"method":"{method}","params":{{}}}}')
        while f'"id":{number},' not in str(await raw.recv())[:40]:
            pass

    async def call(tool: str, **args: Any) -> None:
        result = await mcp.call(tool, args, deadline=60)
        assert not result.isError, result.content

    pixels = base64.b64encode(os.urandom(1_500_000)).decode()
    site.add(
        "/heavy",
        f"<title>Heavy</title><script>window.big = '{pixels}'</script>"
        + "<p>words</p><a href=/form>x</a>" * 500,
    )
    return {
        "one command": lambda: ask("Browser.getVersion"),
        "navigate": lambda: call("browser_navigate", url=site.url("/form")),
        "snapshot": lambda: call("browser_snapshot"),
        "press a key": lambda: call("browser_press_key", key="Tab"),
        "picture": lambda: call("browser_take_screenshot"),
        "navigate, heavy": lambda: call("browser_navigate", url=site.url("/heavy")),
        "snapshot, heavy": lambda: call("browser_snapshot"),
    }


async def main(rounds: int) -> None:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        site = stack.enter_context(Site())
        urls, processes = await open_both(stack, folder)
        works = {}
        for way in WAYS:
            (folder / way).mkdir()
            works[way] = await works_of(stack, folder / way, urls[way], processes, site)
        print(f"{'':18}{'port, ms':>10}{'relay, ms':>11}{'ratio':>8}{'CPU port':>10}{'CPU relay':>11}")
        for what in works["port"]:
            seconds: dict[str, list[float]] = {way: [] for way in WAYS}
            used: dict[str, list[float]] = {way: [] for way in WAYS}
            for at in range(rounds + 1):
                for way in WAYS if at % 2 else reversed(WAYS):
                    began, worked = time.perf_counter(), time.process_time()
                    await works[way][what]()
                    if at:  # the first is a warm-up
                        seconds[way].append(time.perf_counter() - began)
                        used[way].append(time.process_time() - worked)
            port, relay = (median(seconds[way]) * 1000 for way in WAYS)
            cpu = [sum(used[way]) / rounds * 1000 for way in WAYS]
            print(
                f"{what:18}{port:10.1f}{relay:11.1f}{relay / port:8.2f}{cpu[0]:10.1f}{cpu[1]:11.1f}",
                flush=True,
            )


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="python -m bench.relay")
    arguments.add_argument("--rounds", type=int, default=20)
    asyncio.run(main(arguments.parse_args().rounds))
