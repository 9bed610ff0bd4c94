"""What more workers bring, and what a change of process costs a person. PostgreSQL, Redis and all processes are local.

    python -m bench.scale [--workers 1,2,4] [--rounds 3] [--times 20] [--readers 5000] [--active 100]

Throughput is answers of 500 tokens at full speed, 20 at a time, by a scripted provider. Take-over, cancel and reconnect
are those of mock mode with RUN_LEASE=6. Readers are open streams of one web process, of which the active ones follow a
session whose answer is being written. All share this machine's cores, so more workers than cores bring nothing here.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx

from bench.stream.measured import Batch, cpu_of, memory_of, tree_of
from bench.stream.subjects import Ours, open_reader, provider
from bench.stream.worker import MODELS
from server.__main__ import open_many_files
from server.database.migrate import migrate
from tests.support.cluster import Team, ask, cluster, ends, post, types, wait_for, wait_until_executing
from tests.support.eventually import eventually, eventually_sync
from tests.support.model_server import KEY
from tests.support.postgres import Postgres, postgres_cluster
from tests.support.redis import redis_server
from tests.support.server import Server

AT_ONCE, TOKENS = 20, 500
SECONDS = 10.0
"""For which open readers are measured."""
AIMS = {
    "tok/s, 2 workers / 1": ">= 1.6, with a core for each",
    "take-over s after kill -9": "<= 8 (lease 6)",
    "cancel at another replica, ms p95": "<= 350",
    "reconnect to another replica, ms p95": "<= 200",
    "KB of the web process per open reader": "<= 37",
    "cores of the web process": "< 1",
}


SERVICES: dict[str, int] = {}
"""The process ids of the services of the present team."""


class Figures:
    def __init__(self) -> None:
        self.rows: dict[str, float] = {}

    def add(self, name: str, value: float) -> None:
        self.rows[name] = value
        print(f"  {name}: {value:,.3g}", flush=True)

    def print(self) -> None:
        width = max(map(len, self.rows)) + 2
        print(f"\n{'':{width}}{'figure':>12}   aim")
        for name, value in self.rows.items():
            shown = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
            print(f"{name:{width}}{shown:>12}   {AIMS.get(name, '')}")


@contextmanager
def team_of(**settings: str) -> Iterator[Team]:
    """Processes on a PostgreSQL and a Redis of their own, which are its `services`."""
    with ExitStack() as stack:
        postgres: Postgres = stack.enter_context(postgres_cluster())
        redis = stack.enter_context(redis_server())
        migrate(postgres.url())
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        wide = {"max_runs": "200", "max_streams": "8000", "log_level": "WARNING", **settings}
        team = stack.enter_context(cluster(Path(folder), postgres.url(), redis.url, **wide))
        SERVICES.update(PostgreSQL=postgres.pid, Redis=redis.pid)
        yield team


async def throughput(figures: Figures, counts: list[int], rounds: int) -> None:
    with provider() as url:
        settings = {
            "agent_mode": "real", "agent_model": MODELS["chat"], "openai_base_url": f"{url}/v1", "openai_api_key": KEY,
            "browser_headless": "true",
        }  # fmt: skip
        speeds = {}
        for count in counts:
            with team_of(**settings) as team:
                web, *workers = await asyncio.to_thread(team.add, "web", *["worker"] * count)
                parts = {
                    "web process": [web.process.pid], "workers": [one.process.pid for one in workers],
                    **{name: [pid] for name, pid in SERVICES.items()},
                    "provider": provider_pids(), "readers": [os.getpid()],
                }  # fmt: skip
                before = {name: cpu_of_all(pids) for name, pids in parts.items()}
                batches = await answer(web, [web, *workers], rounds)
                tokens = sum(batch.tokens for batch in batches)
                spent = {
                    name: (cpu_of_all(pids) - before[name]) / tokens * 1000 for name, pids in parts.items()
                }
            many = f"{count} worker{'s' if count > 1 else ''}"
            speeds[count] = statistics.median(batch.tokens / batch.seconds for batch in batches)
            cost = statistics.median(batch.cpu_per_1000 for batch in batches)
            figures.add(f"tok/s, {many}", speeds[count])
            figures.add(f"CPU-s per 1,000 tokens, {many}", cost)
            for name, seconds in spent.items():
                figures.add(f"  of the {name}, {many}", seconds)
            figures.add(f"answers that failed, {many}", sum(batch.failures for batch in batches))
        if {1, 2} <= speeds.keys():
            figures.add("tok/s, 2 workers / 1", speeds[2] / speeds[1])


async def answer(web: Server, servers: list[Server], rounds: int) -> list[Batch]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    client = httpx.AsyncClient(
        base_url=web.url, headers=web.headers, timeout=600, limits=limits, trust_env=False
    )
    async with client, open_reader(web.url, web.headers) as reader:
        ours = Ours(client, reader, web.process.pid, MODELS["chat"], (0.0, 0.0))
        await ours.batch("bulk 200", 2 * len(servers))  # every worker has imported what it needs
        batches = []
        for _ in range(rounds):
            began = cpu(servers)
            batch = await ours.batch(f"bulk {TOKENS}", AT_ONCE)
            batches.append(Batch(batch.streams, cpu(servers) - began))
        return batches


def provider_pids() -> list[int]:
    """The scripted provider, a child of this process."""
    return [
        pid for pid in tree_of(os.getpid())[1:] if "model_server" in Path(f"/proc/{pid}/cmdline").read_text()
    ]


def cpu_of_all(pids: list[int]) -> float:
    """CPU seconds of these processes and their children, except those of this process."""
    me, total = os.getpid(), 0.0
    for one in (one for pid in pids for one in ([me] if pid == me else tree_of(pid))):
        with suppress(OSError):  # it has just ended
            total += cpu_of(one)
    return total


def cpu(servers: list[Server]) -> float:
    return sum(cpu_of(server.process.pid) for server in servers)


def changes(figures: Figures, times: int) -> None:
    """Take-over, cancel and reconnect."""
    with team_of() as team:
        one, two, *workers = team.add("web", "web", "worker", "worker")
        reconnected, cancelled = [], []
        for _ in range(times):
            session_id = ask(one, "endless story")
            listener = team.listen(one, session_id)
            listener.until(lambda it: types(it).count("token") >= 3, "tokens")
            began = time.monotonic()
            again = team.listen(two, session_id, last_id=listener.events[-1]["id"])
            eventually_sync(lambda again=again: again.events, message="it reads on", interval=0.002)
            reconnected.append(time.monotonic() - began)
            began = time.monotonic()
            post(two, f"/sessions/{session_id}/cancel").raise_for_status()
            eventually_sync(lambda reader=listener: ends(reader.events), message="the end", interval=0.002)
            cancelled.append(time.monotonic() - began)
        figures.add("reconnect to another replica, ms p95", p95(reconnected) * 1000)
        figures.add("cancel at another replica, ms p95", p95(cancelled) * 1000)
        session_id = ask(one, "slow story", agent="operator")
        listener = team.listen(two, session_id)
        listener.until(lambda it: types(it).count("token") >= 3, "tokens")
        wait_until_executing(workers).signal(signal.SIGKILL)
        began, known = time.monotonic(), len(listener.events)
        listener.until(lambda it: "token" in types(it[known:])[types(it[known:]).index("resync") :]
                       if "resync" in types(it[known:]) else False, "it is continued")  # fmt: skip
        figures.add("take-over s after kill -9", time.monotonic() - began)
        wait_for(one, session_id, "completed")


def p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


async def readers(figures: Figures, count: int, active: int) -> None:
    """Open streams of one web process: its memory and its CPU for each."""
    with team_of() as team:
        web, _ = await asyncio.to_thread(team.add, "web", "worker")
        quiet = str((await asyncio.to_thread(post, web, "/sessions")).json()["id"])
        writing = [await asyncio.to_thread(ask, web, "endless story") for _ in range(active)]
        await asyncio.sleep(3)
        before = memory_of(web.process.pid)
        alone = await load_of(web)
        received, openings = [0], list[float]()
        streams = [
            asyncio.create_task(read(web, writing[n] if n < active else quiet, received, openings))
            for n in range(count)
        ]
        await eventually(lambda: len(openings), lambda it: it == count, message="all are open", timeout=180)
        opened, began = received[0], time.monotonic()
        load = await load_of(web)
        rate = (received[0] - opened) / (time.monotonic() - began)
        figures.add("open readers", count)
        figures.add("active streams among them", active)
        figures.add(
            "KB of the web process per open reader", (memory_of(web.process.pid) - before) * 1024 / count
        )
        figures.add("events/s delivered", rate)
        figures.add("cores of the web process", load)
        figures.add("cores of the web process without readers", alone)
        for task in streams:
            task.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
        for session_id in writing:
            await asyncio.to_thread(post, web, f"/sessions/{session_id}/cancel")


async def load_of(server: Server) -> float:
    """Cores that it uses."""
    began, before = time.monotonic(), cpu_of(server.process.pid)
    await asyncio.sleep(SECONDS)
    return (cpu_of(server.process.pid) - before) / (time.monotonic() - began)


async def read(web: Server, session_id: str, received: list[int], openings: list[float]) -> None:
    """A reader that costs little itself: it counts the events and throws them away."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    path = f"/api/sessions/{session_id}/stream?follow=true"
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {web.token}\r\n\r\n".encode()
    )
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.splitlines()[0]:
            raise RuntimeError(head.decode())
        openings.append(time.monotonic())
        while data := await reader.read(65536):
            received[0] += data.count(b"\nid: ")
    finally:
        writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", type=int, default=20, help="of cancel and reconnect")
    parser.add_argument("--readers", type=int, default=5000)
    parser.add_argument("--active", type=int, default=100)
    options = parser.parse_args()
    open_many_files()
    figures = Figures()
    asyncio.run(throughput(figures, [int(one) for one in options.workers.split(",")], options.rounds))
    changes(figures, options.times)
    if options.readers:
        asyncio.run(readers(figures, options.readers, options.active))
    figures.print()
    print(f"\n{os.cpu_count()} cores for all processes, provider and readers; load {os.getloadavg()[0]:.0f}")


if __name__ == "__main__":
    main()
