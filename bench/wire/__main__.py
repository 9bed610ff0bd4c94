"""What the product makes of answers that providers give: five wires, both agents, real HTTP and the real server.

    python -m bench.wire [--only KIND[,KIND]] [--wire WIRE] [--agent AGENT] [--list] [--watchdog]

Each input is played as bytes to a session of its own; its name has the kind first. An input holds if all is right: what
was shown as answer, thinking and calls, how the run ended, what was sent to the provider. It is partly right if only
something is less than it could be, and fails otherwise. `--watchdog` measures instead how long another session waits
while large answers come.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp

from bench.wire import watchdog
from bench.wire.asked import Dialect, Input
from bench.wire.inputs import all_inputs
from bench.wire.play import Judged, play
from bench.wire.provider import Provider
from tests.support.server import Server, serving

AT_ONCE = 12
SETTINGS = {
    "agent_mode": "real",
    "summary_model": "off",
    "model_timeout": "12",
    "model_idle_timeout": "12",
    "log_level": "WARNING",
}
SERVERS = {
    "usual": {},
    "responses": {"openai_api": "responses"},
    "titles": {"summary_model": ""},
}
"""What differs from the settings, by the server that an input needs."""


@asynccontextmanager
async def server_of(
    name: str, provider: Provider, folder: Path
) -> AsyncIterator[tuple[Server, aiohttp.ClientSession]]:
    chosen = {**SETTINGS, **SERVERS[name], **provider.settings}
    chosen = {key: value for key, value in chosen.items() if value}
    async with AsyncExitStack() as stack:
        server = await asyncio.to_thread(
            lambda: stack.enter_context(serving(folder / name, program=(), **chosen))
        )
        session = aiohttp.ClientSession(
            server.url, headers=server.headers, connector=aiohttp.TCPConnector(limit=0), read_bufsize=2**20
        )
        yield server, await stack.enter_async_context(session)


def server_for(given: Input) -> str:
    if given.right.title is not None:
        return "titles"
    return "responses" if given.wire == "responses" else "usual"


async def run(
    inputs: Sequence[Input], folder: Path, *, at_once: int = AT_ONCE, told: bool = False
) -> list[Judged]:
    """Play all of them, some side by side. With `told` what does not hold is printed at once, too."""
    room = asyncio.Semaphore(at_once)
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(Provider())
        needed = sorted({server_for(given) for given in inputs})
        clients = {}
        for name in needed:
            _, clients[name] = await stack.enter_async_context(server_of(name, provider, folder))

        async def one(given: Input) -> Judged:
            async with room:
                judged = await play(clients[server_for(given)], provider, given)
                if told and judged.verdict != "holds":
                    print(line_of(judged), file=sys.stderr, flush=True)
                return judged

        return list(await asyncio.gather(*map(one, inputs)))


async def watch_all(wires: Sequence[Dialect], only: str) -> list[watchdog.Row]:
    """One load at a time: the waits are that load's alone."""
    rows: list[watchdog.Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for wire in wires:
            name = "responses" if wire == "responses" else "usual"
            async with (
                Provider() as provider,
                server_of(name, provider, Path(folder) / wire) as (server, client),
            ):
                rows += await watchdog.watch(server, client, provider, wire, only)
    return rows


def table(found: Sequence[Judged]) -> list[str]:
    """Counts of each kind, then what does not hold."""
    kinds = dict.fromkeys(judged.input.kind for judged in found)
    row = "{:<6}{:>7}{:>7}{:>8}{:>7}{:>9}".format
    counts = Counter((judged.input.kind, judged.verdict) for judged in found)
    lines = [row("kind", "inputs", "holds", "partly", "fails", "")]
    for kind in sorted(kinds, key=_order):
        of_kind = [counts[kind, verdict] for verdict in ("holds", "partly", "fails")]
        lines.append(row(kind, sum(of_kind), *of_kind, ""))
    total = Counter(judged.verdict for judged in found)
    lines.append(row("all", len(found), total["holds"], total["partly"], total["fails"], ""))
    left = sorted((judged for judged in found if judged.verdict != "holds"), key=_place)
    return [*lines, "", *map(line_of, left)]


def line_of(judged: Judged) -> str:
    given = judged.input
    return f"{judged.verdict:<7} {given.id} ({given.wire}, {given.agent}): {judged.why[:400]}"


def _order(kind: str) -> tuple[str, int]:
    return kind[0], int(kind[1:])


def _place(judged: Judged) -> tuple[str, tuple[str, int], str]:
    return judged.verdict, _order(judged.input.kind), judged.input.model


def chosen(options: argparse.Namespace) -> list[Input]:
    kinds = options.only.split(",") if options.only else None
    return [
        given
        for given in all_inputs()
        if (kinds is None or given.kind in kinds or given.id in kinds)
        and options.wire in (None, given.wire)
        and options.agent in (None, given.agent)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="kinds or inputs, such as P6,W12-context-groq")
    parser.add_argument("--wire")
    parser.add_argument("--agent")
    parser.add_argument("--list", action="store_true", help="only name the inputs")
    parser.add_argument("--watchdog", action="store_true", help="measure how long another session waits")
    options = parser.parse_args()
    if options.watchdog:
        print(watchdog.HEAD)
        wires = watchdog.WIRES if options.wire is None else (options.wire,)
        rows = asyncio.run(watch_all(wires, options.only or ""))
        print(f"longest {max(row.wait.held_ms for row in rows):.0f} ms, load {os.getloadavg()[0]:.0f}")
        return int(not all(row.holds for row in rows))
    inputs = chosen(options)
    if options.list:
        print(*(f"{given.id} ({given.wire}, {given.agent})" for given in inputs), sep="\n")
        return 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(run(inputs, Path(folder), told=True))
    print(*table(found), sep="\n")
    print(f"{len(found)} inputs, {time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.0f}")
    return int(any(judged.verdict == "fails" for judged in found))


if __name__ == "__main__":
    sys.exit(main())
