"""Plays the tasks of a program through the whole product: server, operator, gate, MCP server, Chromium.

The model is `bench.task`'s player, which finds what it is to use in the words that the requests show. All tasks of a
program are messages in one session, as of a person who stays logged in. The person says yes to every question and counts
those that no one had to ask.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import aiohttp

from bench.task.player import Player
from bench.wire.play import request_json
from bench.world.program import HOLDS_SECONDS, Home, WorldTask
from tests.support.model_server import ModelServer

PATIENCE = 120.0
HELD = "Held before it was sent"
"""How a step begins that was asked about and done again."""
MODEL = "openai:gpt-5-mini"


@dataclass(frozen=True)
class Played:
    program: str
    task: WorldTask
    is_done: bool
    questions: int
    failed_steps: int
    calls: int
    seconds: float
    why: str = ""
    steps: tuple[str, ...] = ()
    page: str = ""
    """What the model read last of its steps and the page."""

    @property
    def needless(self) -> int:
        return max(self.questions - self.task.asks, 0)

    @property
    def is_straight(self) -> bool:
        """Done, asked for exactly what has to be asked, and no step of it failed."""
        return self.is_done and self.questions == self.task.asks and not self.failed_steps


@dataclass(frozen=True)
class Ended:
    answer: str
    questions: tuple[str, ...]
    steps: tuple[str, ...]
    failed: tuple[str, ...]
    why: str


async def open_session(client: aiohttp.ClientSession) -> str:
    made = await request_json(client, "POST", "/api/sessions", {"agent": "operator", "model": MODEL})
    return f"/api/sessions/{made['id']}"


async def play(
    client: aiohttp.ClientSession,
    session: str,
    models: ModelServer,
    home: Home,
    program: str,
    task: WorldTask,
) -> Played:
    address = home.url + task.page
    player = Player(task, address, len)
    models.follow(player)
    began = time.perf_counter()
    ended = await _run(client, session, f"Open {address}: {task.text}")
    seconds = time.perf_counter() - began
    if player.defect:
        raise player.defect
    why = ended.why or player.trouble
    if not why and task.expected and ended.answer != task.expected:
        why = f"answered: {ended.answer!r}"
    if not why and not await asyncio.to_thread(_comes_to_hold, task, home):
        why = "the program's data is not as wanted"
    is_done = not why
    if len(ended.questions) != task.asks:
        why = why or f"asked: {ended.questions}"
    elif ended.failed:
        why = why or f"failed: {ended.failed[0]}"
    last = models.requests[-1].last_text if models.requests else ""
    page = last.partition("\nSteps so far:\n")[2] or last
    return Played(
        program, task, is_done, len(ended.questions), len(ended.failed), len(player.tokens), seconds, why, ended.steps, page
    )  # fmt: skip


def _comes_to_hold(task: WorldTask, home: Home) -> bool:
    deadline = time.monotonic() + HOLDS_SECONDS
    while not (holds := task.holds(home)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return holds


async def _run(client: aiohttp.ClientSession, session: str, text: str) -> Ended:
    """Send the message and answer yes until the run has ended."""
    began = (await request_json(client, "GET", session))["messages"]
    await request_json(client, "POST", f"{session}/messages", {"content": text})
    questions, deadline = list[str](), time.monotonic() + PATIENCE
    while True:
        state = await request_json(client, "GET", session)
        if state["run"]["finished_at"]:
            break
        if time.monotonic() > deadline:
            await request_json(client, "POST", f"{session}/cancel", {})
            return Ended("", tuple(questions), (), (), "no end")
        if pending := state["pending"]:
            questions.append(_said(pending))
            answer = {"reference": pending["reference"], "confirmed": True}
            await request_json(client, "POST", f"{session}/decision", answer)
        await asyncio.sleep(0.1)
    new = state["messages"][len(began) :]
    tools = [one for one in new if one["role"] == "tool"]
    steps = tuple(f"{'' if _is_ok(one) else 'FAILED '}{one['content']}" for one in tools)
    failed = tuple(one["content"] for one in tools if not _is_ok(one) and not one["content"].startswith(HELD))
    said = [one["content"] for one in new if one["role"] == "assistant"]
    return Ended(said[-1] if said else "", tuple(questions), steps, failed, state["run"]["error"] or "")


def _is_ok(message: dict[str, Any]) -> bool:
    return bool((message["meta_json"] or {}).get("ok", True))


def _said(pending: dict[str, Any]) -> str:
    target = pending.get("target") or {}
    return (
        f"{pending['kind']}: {target.get('role', '')} {target.get('name', '')!r} {pending.get('reason', '')}"
    )
