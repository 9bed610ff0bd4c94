"""How long another session waits while a provider sends garbled, long or endless answers.

A process of its own asks for a session again and again. Of each wait it also knows how much CPU time the server used
in that time, which is what counts on a busy machine: the loop was held no longer than that.
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import aiohttp

from bench.wire.asked import (
    AGENTS,
    Agent,
    Answer,
    Dialect,
    Input,
    Right,
    as_bytes,
    call_in,
    good,
    stop_of,
    tool_of,
)
from bench.wire.play import play
from bench.wire.provider import Provider
from tests.support.model_reply import Reply
from tests.support.server import Server

LIMIT_MS = 100.0
WIRES: tuple[Dialect, ...] = ("chat", "responses", "anthropic", "google", "ollama")
PAUSE = 0.002
TICK = os.sysconf("SC_CLK_TCK")
_spawn = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Wait:
    """The longest one: as it was, and the CPU time of the server in the wait that had most of it."""

    wall_ms: float
    cpu_ms: float

    @property
    def held_ms(self) -> float:
        return min(self.wall_ms, self.cpu_ms)


@dataclass(frozen=True)
class Row:
    load: str
    wire: Dialect
    agent: Agent
    wait: Wait
    end: str
    seconds: float

    @property
    def holds(self) -> bool:
        return self.wait.held_ms <= LIMIT_MS and not self.end.startswith("fails")

    def __str__(self) -> str:
        mark = "holds" if self.holds else "fails"
        waits = f"{self.wait.wall_ms:>8.0f}{self.wait.cpu_ms:>8.0f}"
        return (
            f"{mark:<7}{self.load:<34}{self.wire:<11}{self.agent:<11}{waits}{self.seconds:>7.1f}  {self.end}"
        )


HEAD = f"{'':<7}{'load':<34}{'wire':<11}{'agent':<11}{'wait ms':>8}{'CPU ms':>8}{'s':>7}  end"


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _ask(port: int, token: str, path: str, pid: int, told: Connection) -> None:
    """Say when the first answer is there. Ask until something arrives on the connection, then send the longest waits."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    headers = {"authorization": f"Bearer {token}"}
    wall = cpu = 0.0

    def ask() -> None:
        connection.request("GET", path, headers=headers)
        connection.getresponse().read()

    ask()
    told.send(None)
    while not told.poll():
        began, used = time.monotonic(), cpu_of(pid)
        ask()
        wall, cpu = max(wall, time.monotonic() - began), max(cpu, cpu_of(pid) - used)
        time.sleep(PAUSE)
    told.recv()
    told.send((wall * 1000, cpu * 1000))


@contextmanager
def asking(server: Server, path: str) -> Iterator[Callable[[], Wait]]:
    """Another session's reader; the function ends it."""
    here, there = _spawn.Pipe()
    process = _spawn.Process(
        target=_ask, args=(server.port, server.token, path, server.process.pid, there), daemon=True
    )
    process.start()
    here.recv()

    def end() -> Wait:
        here.send(None)
        return Wait(*here.recv())

    try:
        yield end
    finally:
        process.join(5)
        process.kill()


def _split(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _garbled(characters: int) -> str:
    """Arguments in single quotes with a wrong escape, as weak models write them."""
    line = r"{'action': 'stop', 'final_response': 'a pattern \d+ and a path C:\temp', "
    return (line * (characters // len(line) + 1))[:characters]


def _long(agent: Agent, characters: int) -> str:
    """A call whose arguments are right, and long."""
    text = "".join(f"def f{n}(x): return x + {n}  # line {n}\n" for n in range(characters // 34))
    return json.dumps(stop_of(text) if agent == "operator" else {"file": text})


Pieces = Callable[[Agent], Iterable[str]]
ARGUMENTS: dict[str, Pieces] = {
    "30,000 garbled, one piece": lambda agent: [_garbled(30_000)],
    "30,000 garbled, small pieces": lambda agent: _split(_garbled(30_000), 40),
    "61,000 characters, two pieces": lambda agent: _split(_long(agent, 61_000), 32_000),
    "400,000 characters, small pieces": lambda agent: _split(_long(agent, 400_000), 40),
    "400,000 characters, large pieces": lambda agent: _split(_long(agent, 400_000), 50_000),
    "10 MB in one event": lambda agent: [_long(agent, 10_000_000)],
    "endless": lambda agent: itertools.chain(['{"file": "'], itertools.repeat("more and more " * 3)),
}
TEXTS: dict[str, Pieces] = {
    "10 MB of text in one event": lambda agent: ["x" * 10_000_000],
    "400,000 of text, small pieces": lambda agent: _split("word " * 80_000, 40),
    "endless text": lambda agent: itertools.repeat("more and more " * 3),
}


def loads(wire: Dialect, agent: Agent) -> Iterator[tuple[str, Answer]]:
    """Where calls come whole, the arguments are the text of the schema."""
    name = tool_of(agent).name
    for load, pieces in ARGUMENTS.items():
        if wire in ("google", "ollama"):
            yield load, as_text(wire, pieces(agent))
        else:
            yield load, call_in(wire, name, pieces(agent))
    for load, pieces in TEXTS.items():
        yield load, as_text(wire, pieces(agent))


def as_text(wire: Dialect, pieces: Iterable[str]) -> Answer:
    return as_bytes(wire, Reply(text=pieces))


async def watch(
    server: Server, client: aiohttp.ClientSession, provider: Provider, wire: Dialect, only: str = ""
) -> list[Row]:
    """One load after the other, of one wire. Before them a plain answer to each agent: the classes of an SDK are made
    once in a process, in a thread, with a second of CPU time."""
    async with client.post("/api/sessions", json={}) as made:
        other = f"/api/sessions/{(await made.json())['id']}"
    rows = []
    for agent in AGENTS:
        await play(client, provider, Input("X0", wire, agent, [], Right(answer=None), rest=good(wire, agent)))
        for load, answer in loads(wire, agent):
            if only in load:
                rows.append(await _one(server, client, provider, Input(f"X1-{len(rows)}", wire, agent, [], Right(answer=None, or_codes=CODES, most=MAX_REQUESTS), rest=answer), load, other))  # fmt: skip
                print(rows[-1], flush=True)
    return rows


MAX_REQUESTS = 4
"""A move without arguments that can be read is asked for again."""
CODES = frozenset({"output_limit", "llm_bad_response", "llm_stream_cut", "llm_timeout"})


async def _one(
    server: Server, client: aiohttp.ClientSession, provider: Provider, given: Input, load: str, other: str
) -> Row:
    began = time.monotonic()
    with asking(server, other) as end:
        judged = await play(client, provider, given, patience=90)
        wait = await asyncio.to_thread(end)
    why = f"fails: {judged.why}" if judged.verdict == "fails" else judged.end
    return Row(load, given.wire, given.agent, wait, why, time.monotonic() - began)
