"""What is measured, all behind one call: `batch(prompt, streams)`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import aiohttp
import httpx
import orjson

from bench.stream.measured import Batch, StreamTimes, cpu_of
from tests.support.eventually import eventually
from tests.support.model_server import KEY
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "bench-token-bench-token"


class Subject(Protocol):
    name: str

    async def batch(self, prompt: str, streams: int) -> Batch: ...


@contextmanager
def process(*command: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    # Containers often set PYTHONDONTWRITEBYTECODE: each start would compile the server again, 0.35 s of CPU time.
    left_out = ("_API_KEY", "_BASE_URL", "PYTHONDONTWRITEBYTECODE")
    clean = {key: value for key, value in os.environ.items() if not key.upper().endswith(left_out)}
    started = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env={**clean, "PYTHONPATH": str(ROOT), **env}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield started
    finally:
        started.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(20)
        started.kill()
        started.wait()


@contextmanager
def provider() -> Iterator[str]:
    """The scripted model provider in a process of its own; yields its URL."""
    with process("-m", "tests.support.model_server", "--script", "bench.stream.provider:script") as started:
        assert started.stdout is not None
        yield f"http://127.0.0.1:{json.loads(started.stdout.readline())['port']}"


@dataclass
class Worker:
    name: str
    started: subprocess.Popen[str]

    async def batch(self, prompt: str, streams: int) -> Batch:
        return await asyncio.to_thread(self._batch, prompt, streams)

    def _batch(self, prompt: str, streams: int) -> Batch:
        assert self.started.stdin is not None
        assert self.started.stdout is not None
        self.started.stdin.write(json.dumps({"prompt": prompt, "streams": streams}) + "\n")
        self.started.stdin.flush()
        return Batch.from_json(json.loads(self.started.stdout.readline()))


@contextmanager
def worker(kind: str, wire: str, url: str) -> Iterator[Worker]:
    with process("-m", "bench.stream.worker", kind, wire, url) as started:
        yield Worker(kind, started)


@dataclass
class Ours:
    """A server over HTTP and SSE; every stream is a session of its own."""

    client: httpx.AsyncClient
    reader: aiohttp.ClientSession
    pid: int
    model: str
    cold: tuple[float, float]
    name: str = "ours"
    agent: str | None = "assistant"
    """None: the server's default."""

    async def batch(self, prompt: str, streams: int) -> Batch:
        sessions = [await self.new_session() for _ in range(streams)]
        began = cpu_of(self.pid)
        done = await asyncio.gather(*(self.ask(session, prompt) for session in sessions))
        return Batch(list(done), cpu_of(self.pid) - began)

    async def new_session(self) -> str:
        made = await self.client.post("/api/sessions", json={"agent": self.agent, "model": self.model})
        return str(made.raise_for_status().json()["id"])

    async def ask(self, session: str, prompt: str) -> StreamTimes:
        """One message and its stream to the terminal event."""
        times, kind = StreamTimes(), ""
        path = f"/api/sessions/{session}"
        try:
            async with self.reader.post(f"{path}/messages", json={"content": prompt}) as sent:
                sent.raise_for_status()
                await sent.read()
            async with self.reader.get(f"{path}/stream") as response:
                async for line in response.content:
                    if line.startswith(b"event: "):
                        kind = line[7:].decode().strip()
                    elif kind == "token" and line.startswith(b"data: "):
                        times.add(orjson.loads(line[6:])["text"])
        except aiohttp.ClientError:
            kind = "error"
        times.end(failed=kind == "error")
        return times


def open_reader(base: str, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A client for messages and streams: httpx takes three times its CPU, from the cores that the server needs, too."""
    connections = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=600)
    return aiohttp.ClientSession(
        base, connector=connections, headers=headers, timeout=timeout, read_bufsize=2**22
    )


@asynccontextmanager
async def ours(url: str, wire: str, **settings: str) -> AsyncIterator[Ours]:
    """A server as a process; measured from its start to the first answered message."""
    from bench.stream.worker import MODELS

    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        env = {
            "PORT": str(port), "DATA_DIR": folder, "AUTH_TOKEN": TOKEN, "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, "AGENT_MODEL": MODELS[wire],
            "OPENAI_API": "responses" if wire == "responses" else "auto", "MAX_RUNS": "1000", "LOG_LEVEL": "WARNING",
            "BROWSER_HEADLESS": "true", **settings,
        }  # fmt: skip
        began = time.monotonic()
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        headers = {"authorization": f"Bearer {TOKEN}"}
        base = f"http://127.0.0.1:{port}"
        with process("-m", "server", **env) as started:
            client = httpx.AsyncClient(
                base_url=base, headers=headers, timeout=600, limits=limits, trust_env=False
            )
            async with client, open_reader(base, headers) as reader:
                server = Ours(client, reader, started.pid, env["AGENT_MODEL"], (0.0, 0.0))
                await _until(client, "/api/health")
                alive = time.monotonic() - began
                await _until(client, "/api/ready")
                default = replace(server, agent=None)
                await default.ask(await default.new_session(), "ping")
                server.cold = (alive, time.monotonic() - began)
                await server.ask(await server.new_session(), "ping")  # loads what this agent needs
                await _until_quiet(started.pid)
                yield server


@asynccontextmanager
async def served(url: str, wire: str) -> AsyncIterator[Ours]:
    """The least server around the same model and events, as a process; asked like ours."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with process("-m", "bench.stream.served", wire, url, str(port)) as started:
        client = httpx.AsyncClient(base_url=base, timeout=600, trust_env=False)
        async with client, open_reader(base, {}) as reader:
            await _until(client, "/api/health")
            yield Ours(client, reader, started.pid, "", (0.0, 0.0), name="served")


async def _until(client: httpx.AsyncClient, path: str) -> None:
    async def answers() -> bool:
        with contextlib.suppress(httpx.TransportError):
            return (await client.get(path)).is_success
        return False

    await eventually(answers, timeout=90, message=f"the server answers {path}", interval=0.02)


async def _until_quiet(pid: int, timeout: float = 60) -> None:
    """A server warms up behind its first answer; that is no part of what a turn costs."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        before = cpu_of(pid)
        await asyncio.sleep(2)
        if cpu_of(pid) - before < 0.05:
            return
