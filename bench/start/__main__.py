"""How long a start takes and what an idle server holds: the wires of the providers, the mock, and a second start.

    python -m bench.start [--rounds 3] [--subjects bare,chat,anthropic,responses,mock]

`bare` is the floor: uvicorn with FastAPI, SQLAlchemy and LangChain's agents imported as they come, which answers
health. CPU seconds are the sturdiest figure: on a busy machine the others grow with its load.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from bench.stream.measured import cpu_of, memory_of
from bench.stream.subjects import Ours, ours, process, provider
from tests.support.eventually import eventually
from tests.support.ports import free_port

AIMS = {
    "health s": "<= 0.5",
    "first answer s": "<= 2",
    "idle MB": "<= 120",
    "second start, first answer s": "<= 2",
}
BARE = """\
import fastapi, langchain.agents, langchain_openai, langgraph.graph, sqlalchemy.orm, uvicorn
app = fastapi.FastAPI()
app.get("/api/health")(lambda: {"status": "ok"})
uvicorn.run(app, port=%d, log_level="warning")
"""
Figures = dict[str, float]


async def start(url: str, subject: str, folder: str) -> Figures:
    async with _started(url, subject, folder) as server:
        first = {
            "health s": server.cold[0],
            "first answer s": server.cold[1],
            "CPU s until idle": cpu_of(server.pid),
            "idle MB": memory_of(server.pid),
        }
    async with _started(url, subject, folder) as server:
        again = {
            "second start, health s": server.cold[0],
            "second start, first answer s": server.cold[1],
            "second start, CPU s until idle": cpu_of(server.pid),
            "second start, idle MB": memory_of(server.pid),
        }
    return first | again


@asynccontextmanager
async def _started(url: str, subject: str, folder: str) -> AsyncIterator[Ours]:
    mode = {"AGENT_MODE": "mock"} if subject == "mock" else {}
    wire = "chat" if subject == "mock" else subject
    async with ours(url, wire, DATA_DIR=folder, **mode) as server:
        yield server


async def bare() -> Figures:
    """The floor, which keeps nothing and answers nothing but health."""
    port, began = free_port(), time.monotonic()
    with process("-c", BARE % port) as started:
        async with httpx.AsyncClient(trust_env=False) as client:

            async def answers() -> bool:
                try:
                    return (await client.get(f"http://127.0.0.1:{port}/api/health")).is_success
                except httpx.TransportError:
                    return False

            await eventually(answers, timeout=90, message="the floor answers", interval=0.02)
        seconds = time.monotonic() - began
        return {
            "health s": seconds,
            "CPU s until idle": cpu_of(started.pid),
            "idle MB": memory_of(started.pid),
        }


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--subjects", default="bare,chat,anthropic,responses,mock")
    options = parser.parse_args()
    subjects = options.subjects.split(",")
    taken: dict[str, dict[str, list[float]]] = {}
    with provider() as url:
        for _ in range(options.rounds):
            for subject in subjects:
                with tempfile.TemporaryDirectory() as folder:
                    figures = await (bare() if subject == "bare" else start(url, subject, folder))
                for row, value in figures.items():
                    taken.setdefault(row, {}).setdefault(subject, []).append(value)
    print(f"medians of {options.rounds}; load {os.getloadavg()[0]:.0f} at the end")
    print(f"{'':32}" + "".join(f"{subject:>12}" for subject in subjects) + "   aim for ours")
    for row, cells in taken.items():
        shown = (f"{statistics.median(cells[s]):.2f}" if s in cells else "-" for s in subjects)
        print(f"{row:32}" + "".join(f"{text:>12}" for text in shown) + f"   {AIMS.get(row, '')}")


if __name__ == "__main__":
    asyncio.run(main())
