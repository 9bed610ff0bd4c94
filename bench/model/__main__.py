"""The product with a real, small model behind llama.cpp's own server: what that server enforces, and how runs end.

    python -m bench.model          (or `make model`)

SmolLM2-135M cannot do tasks; it answers in prose, garbled JSON and endless lists, as weak models do. So only end states are
asserted, never words: each run ends completed or by a named error within its calls, a cancelled one frees the server's
slot, an answer that is cut is marked. Installed under `.cache/model` from pinned packages; where these cannot be
installed, it says so and ends well.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from bench.wire.play import Seen, request_json, say
from scripts.shell import ROOT
from tests.support.server import serving

HOME = ROOT / ".cache" / "model"
REQUIREMENTS = Path(__file__).parent / "requirements.txt"
LLAMA = Path(__file__).parent / "llama.py"
MODEL = "openai:smollm2"
CONTEXT = 8192
MAX_TOKENS = 120
MAX_CALLS = 9
"""Of a run: three ways to ask for a move, each asked again once, and a few moves that do nothing."""
NOTICED = 3
"""Calls within which a server that ignores a forced tool is asked in another way or the run ends."""
SLOT_SECONDS = 2.0
PATIENCE = 600.0
TOOL = {"type": "function", "function": {"name": "act", "parameters": {
    "type": "object", "properties": {"action": {"type": "string", "enum": ["stop", "wait"]}}, "required": ["action"]}}}  # fmt: skip
SCHEMA = {"type": "json_schema", "json_schema": {"name": "act", "schema": TOOL["function"]["parameters"]}}  # type: ignore[index]
TASKS = ("Say hello.", "What is the capital of France? Answer in one word.")
MOVE = '{"action":"'
NAMED = frozenset({
    "llm_bad_response", "llm_bad_request", "llm_context_too_long", "llm_timeout", "llm_unavailable", "output_limit",
})  # fmt: skip


def install() -> Path | None:
    """The environment's Python; None, with the reason printed, where it cannot be installed."""
    python = HOME / "bin" / "python"
    mark = HOME / "installed"
    if mark.exists() and mark.read_text() == REQUIREMENTS.read_text():
        return python
    venv.create(HOME, with_pip=True, clear=True)
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:",
         "--requirement", REQUIREMENTS],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print("skipped: the model's packages cannot be installed:", done.stderr.strip().splitlines()[-1:])
        return None
    mark.write_text(REQUIREMENTS.read_text())
    return python


@contextmanager
def llama(python: Path, slots: int = 1, context: int = CONTEXT) -> Iterator[str]:
    """llama.cpp's server; yields its address. Its threads give way when they wait, as on a shared machine."""
    env = {**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
    started = subprocess.Popen(
        [python, LLAMA, str(slots), str(context)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True
    )  # fmt: skip
    try:
        assert started.stdout is not None
        yield next(line.strip() for line in started.stdout if line.startswith("http"))
    finally:
        started.kill()
        started.wait()


class Table:
    def __init__(self) -> None:
        self.has_failed = False

    def add(self, what: str, found: str, *, holds: bool = True) -> None:
        self.has_failed |= not holds
        print(f"{'holds' if holds else 'FAILS':<7}{what:<58}{found}", flush=True)


async def enforced(table: Table, url: str) -> None:
    """What the server makes of the ways to ask for a call. Printed only, but for the context that is too small."""
    asked = {"model": "smollm2", "messages": [{"role": "user", "content": "Stop."}], "max_tokens": 48}
    by_name = {"type": "function", "function": {"name": "act"}}
    ways: dict[str, dict[str, Any]] = {
        "tool by name": {"tools": [TOOL], "tool_choice": by_name},
        "tool_choice required": {"tools": [TOOL], "tool_choice": "required"},
        "json_schema": {"response_format": SCHEMA},
    }
    async with aiohttp.ClientSession(url, timeout=aiohttp.ClientTimeout(PATIENCE)) as client:
        for name, way in ways.items():
            async with client.post("/v1/chat/completions", json=asked | way) as answer:
                told = await answer.json()
            message = told["choices"][0]["message"] if answer.status == 200 else {}
            is_move = message.get("tool_calls") or "".join((message.get("content") or "").split()).startswith(
                MOVE
            )
            status = f"refused, {answer.status}" if answer.status >= 400 else "not enforced"
            found = "enforced" if is_move else status
            table.add(f"server: {name}", found)
        long = asked | {"messages": [{"role": "user", "content": "word " * 2 * CONTEXT}]}
        async with client.post("/v1/chat/completions", json=long) as answer:
            table.add("server: beyond the context", f"{answer.status}", holds=answer.status == 400)


async def new_session(client: aiohttp.ClientSession, agent: str) -> str:
    made = await request_json(client, "POST", "/api/sessions", {"agent": agent, "model": MODEL})
    return f"/api/sessions/{made['id']}"


def is_defined(seen: Seen) -> bool:
    calls = seen.usage.get("model_calls", 0)
    return (seen.status == "completed" or seen.code in NAMED) and calls <= MAX_CALLS


def told_of(seen: Seen) -> str:
    calls = seen.usage.get("model_calls", 0)
    return f"{seen.code or seen.status}, {calls} calls, {seen.seconds:.0f} s"


async def runs(table: Table, client: aiohttp.ClientSession) -> None:
    for agent in ("operator", "assistant"):
        for task in TASKS:
            seen = await say(client, await new_session(client, agent), task)
            table.add(f"{agent}: {task}", told_of(seen), holds=is_defined(seen) and seen.ends == 1)
            if agent == "operator" and task == TASKS[0]:
                calls = seen.usage.get("model_calls", 0)
                table.add(
                    "a forced tool that is ignored is noticed", f"{calls} calls", holds=calls <= NOTICED
                )
    seen = await say(client, await new_session(client, "assistant"), "Write a long story about a boat.")
    is_marked = seen.status != "completed" or "cut" in str(seen.meta)
    table.add("assistant: an answer that is cut is marked", told_of(seen), holds=is_marked)


async def two_at_once(table: Table, client: aiohttp.ClientSession) -> None:
    paths = [await new_session(client, "operator") for _ in range(2)]
    both = await asyncio.gather(*(say(client, path, "Say hello.") for path in paths))
    table.add("two sessions on one slot", "; ".join(map(told_of, both)), holds=all(map(is_defined, both)))


async def cancelled(table: Table, client: aiohttp.ClientSession, url: str) -> None:
    """A run that is cancelled while the model writes frees the slot."""
    path = await new_session(client, "assistant")
    asking = asyncio.create_task(say(client, path, "Write a long story about a boat."))
    async with aiohttp.ClientSession(url) as model:
        await _until_slot(model, busy=True)
        async with client.post(f"{path}/cancel") as answer:
            answer.raise_for_status()
        began = time.monotonic()
        await _until_slot(model, busy=False)
        seconds = time.monotonic() - began
    await asking
    table.add("cancel frees the slot", f"{seconds:.1f} s", holds=seconds < SLOT_SECONDS)


async def _until_slot(model: aiohttp.ClientSession, *, busy: bool) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(aiohttp.ClientError):
                async with model.get("/slots") as answer:
                    if any(slot["is_processing"] for slot in await answer.json()) == busy:
                        return
            await asyncio.sleep(0.05)


async def measure(table: Table, url: str, folder: Path) -> None:
    chosen = {
        "agent_mode": "real", "agent_model": MODEL, "openai_base_url": f"{url}/v1", "summary_model": "off",
        "model_max_tokens": str(MAX_TOKENS), "log_level": "WARNING",
    }  # fmt: skip
    await enforced(table, url)
    with serving(folder, program=(), wrapper=(), migrated=True, **chosen) as server:
        timeout = aiohttp.ClientTimeout(PATIENCE)
        async with aiohttp.ClientSession(server.url, headers=server.headers, timeout=timeout) as client:
            await runs(table, client)
            await two_at_once(table, client)
            await cancelled(table, client, url)


def main() -> int:
    python = install()
    if python is None:
        return 0
    table = Table()
    with llama(python) as url, tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(table, url, Path(folder)))
    print(f"load {os.getloadavg()[0]:.0f}")
    return int(table.has_failed)


if __name__ == "__main__":
    sys.exit(main())
