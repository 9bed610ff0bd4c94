"""What streaming costs: the whole server against its floors, in one run, interleaved.

    python -m bench.stream [--wire chat|anthropic|responses] [--streams 1,20,100] [--rounds 3] [--browsers 2]

`direct` reads the scripted provider and does nothing else, `bare` is LangChain's astream_events as it comes,
`chain` our model and events up to the same point, `ours` the server process over HTTP and SSE. Compare rows of
one run only; CPU time is the sturdiest figure.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from bench.stream.measured import Batch, memory_of, memory_of_tree
from bench.stream.subjects import Ours, Subject, ours, provider, served, worker

RATE, PACED_TOKENS, BULK_TOKENS = 50, 150, 5000
AT_ONCE, ANSWER_TOKENS = 20, 500
GOALS = {
    "CPU-s / 1,000 tok, 20 answers at full speed": "<= 0.020", "tok/s, 20 answers at full speed": ">= 45,000",
    "ping ms": "<= 8", "first token added ms": "<= 8",
    "first token ms, 100 streams": "<= 300", "first token ms, 200 streams": "<= 1,200",
    "late ms p50 / p99, 1 stream": "<= 4 / 12", "late ms p50 / p99, 100 streams": "<= 25 / 120",
    "answer / model's time, 100 streams": "<= 1.15", "answer / model's time, 200 streams": "<= 1.7",
    "cold start s, health / first answer": "<= 0.5 / 2", "idle MB": "<= 120", "MB per open stream": "<= 0.1", "KB per idle stream, 1,000 streams": "<= 100", "GET ms p95 meanwhile": "< 200",
}  # fmt: skip


class Table:
    """Figures by row and subject; medians over the rounds."""

    def __init__(self) -> None:
        self.cells: dict[str, dict[str, list[str | float]]] = {}

    def add(self, row: str, subject: str, value: str | float) -> None:
        self.cells.setdefault(row, {}).setdefault(subject, []).append(value)

    def print(self, subjects: list[str]) -> None:
        width = max(map(len, self.cells)) + 2
        print(f"{'':{width}}" + "".join(f"{name:>16}" for name in subjects) + "   goal for ours")
        for row, cells in self.cells.items():
            shown = "".join(f"{_median(cells.get(name)):>16}" for name in subjects)
            print(f"{row:{width}}{shown}   {GOALS.get(row, '')}")


def _median(values: list[Any] | None) -> str:
    if not values:
        return "-"
    if isinstance(values[0], str):
        return str(values[-1])
    value = statistics.median(values)
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


async def bulk(table: Table, subject: Subject) -> None:
    batch = await subject.batch(f"bulk {BULK_TOKENS}", 1)
    table.add("CPU-s / 1,000 tok, max speed", subject.name, batch.cpu_per_1000)
    table.add("tok/s, max speed", subject.name, batch.tokens / batch.seconds)


async def answers(table: Table, subject: Subject) -> None:
    """Answers of usual length side by side, as fast as they go: the turns are a good part of the cost."""
    batch = await subject.batch(f"bulk {ANSWER_TOKENS}", AT_ONCE)
    table.add(f"CPU-s / 1,000 tok, {AT_ONCE} answers at full speed", subject.name, batch.cpu_per_1000)
    table.add(f"tok/s, {AT_ONCE} answers at full speed", subject.name, batch.tokens / batch.seconds)


async def paced(table: Table, subject: Subject, streams: int) -> Batch:
    batch = await subject.batch(f"paced {RATE} {PACED_TOKENS}", streams)
    many = f"{streams} stream{'s' if streams > 1 else ''}"
    table.add(f"CPU-ms / tok at {RATE}/s, {many}", subject.name, batch.cpu_per_1000)
    table.add(f"first token ms, {many}", subject.name, batch.first_token * 1000)
    table.add(
        f"late ms p50 / p99, {many}",
        subject.name,
        f"{batch.late(0.5) * 1000:.1f} / {batch.late(0.99) * 1000:.0f}",
    )
    table.add(f"answers that failed, {many}", subject.name, batch.failures)
    return batch


async def turns(table: Table, subject: Subject, name: str = "") -> None:
    """Short questions one after the other: what a turn costs apart from its tokens."""
    batches = [await subject.batch("this is a ping test: respond with any noun", 1) for _ in range(20)]
    took = [stream.ended - stream.asked for batch in batches for stream in batch.streams]
    table.add("ping ms", name or subject.name, statistics.median(took) * 1000)
    table.add("CPU-ms a turn", name or subject.name, statistics.fmean(batch.cpu for batch in batches) * 1000)


async def memory_per_stream(table: Table, server: Ours, streams: int) -> None:
    before = memory_of(server.pid)
    running = asyncio.create_task(server.batch(f"paced {RATE} {PACED_TOKENS * 2}", streams))
    await asyncio.sleep(PACED_TOKENS / RATE)
    table.add("MB per open stream", server.name, max(memory_of(server.pid) - before, 0) / streams)
    await running


async def memory_per_idle_stream(table: Table, server: Ours, streams: int) -> None:
    session = await server.new_session()
    before = memory_of(server.pid)
    async with AsyncExitStack() as stack:
        for _ in range(streams):
            await stack.enter_async_context(server.client.stream("GET", f"/api/events/{session}"))
        table.add(
            "KB per idle stream, 1,000 streams",
            server.name,
            (memory_of(server.pid) - before) / streams * 1000,
        )
        asked = []
        for _ in range(50):
            began = time.monotonic()
            (await server.client.get(f"/api/sessions/{session}")).raise_for_status()
            asked.append(time.monotonic() - began)
        table.add("GET ms p95 meanwhile", server.name, sorted(asked)[47] * 1000)


async def memory_per_browser(table: Table, count: int) -> None:
    """Sessions of the demo model with a real browser each."""
    with provider() as url:
        async with ours(url, "chat", AGENT_MODEL="demo", MAX_BROWSERS=str(count)) as server:
            before = memory_of_tree(server.pid)
            for _ in range(count):
                await server.ask(await server.new_session(), "open about:blank")
            table.add("MB per browser session", server.name, (memory_of_tree(server.pid) - before) / count)


async def measure(options: argparse.Namespace) -> Table:
    table, counts = Table(), [int(n) for n in options.streams.split(",")]
    with provider() as url:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(ours(url, options.wire))
            table.add(
                "cold start s, health / first answer", "ours", f"{server.cold[0]:.2f} / {server.cold[1]:.2f}"
            )
            table.add("idle MB", "ours", memory_of(server.pid))
            floors = [
                stack.enter_context(worker(kind, options.wire, url)) for kind in ("direct", "bare", "chain")
            ]
            least = await stack.enter_async_context(served(url, options.wire))
            subjects: list[Subject] = [*floors, least, server]
            for subject in subjects:
                await subject.batch("bulk 200", 1)
            for _ in range(options.rounds):
                for subject in subjects:
                    await bulk(table, subject)
                    await answers(table, subject)
                    await turns(table, subject)
                operator = replace(server, name="operator", agent="operator")
                await answers(table, operator)
                await turns(table, operator)
            for streams in counts:
                await compare_paced(table, subjects, streams, 1 if streams >= 100 else options.rounds)
            await memory_per_stream(table, server, 100)
            await memory_per_idle_stream(table, server, 1_000)
    return table


async def compare_paced(table: Table, subjects: list[Subject], streams: int, rounds: int) -> None:
    for _ in range(rounds):
        batches = {subject.name: await paced(table, subject, streams) for subject in subjects}
        for name, batch in batches.items():
            ratio = batch.seconds / batches["direct"].seconds
            table.add(f"answer / model's time, {streams} streams", name, ratio)
            if streams == 1:
                added = batch.first_token - batches["direct"].first_token
                table.add("first token added ms", name, added * 1000)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wire", choices=["chat", "anthropic", "responses"], default="chat")
    parser.add_argument("--streams", default="1,20,100", help="how many side by side; 200 takes a while")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--browsers", type=int, default=0, help="measure this many browser sessions, too")
    options = parser.parse_args()
    table = await measure(options)
    with provider() as url:
        async with ours(url, "chat", AGENT_MODE="mock") as mock:
            await turns(table, mock, "ours, mock")
            await turns(table, replace(mock, agent="operator"), "operator, mock")
    if options.browsers:
        await memory_per_browser(table, options.browsers)
    print(
        f"wire: {options.wire}; provider, server and reader share this machine's cores, load {os.getloadavg()[0]:.0f}"
    )
    table.print(["direct", "bare", "chain", "served", "ours", "operator", "ours, mock", "operator, mock"])


if __name__ == "__main__":
    asyncio.run(main())
