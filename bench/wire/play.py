"""One input played to the server: what the person saw, and what is wrong with it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
import orjson

from bench.wire.asked import FILES, Input, Made, Right
from bench.wire.provider import Played, Provider

PREFIXES = {
    "chat": "openai",
    "responses": "openai",
    "openrouter": "openrouter",
    "anthropic": "anthropic",
    "google": "google",
    "ollama": "ollama",
}
PATIENCE = 75.0
TITLE_PATIENCE = 8.0
Verdict = Literal["holds", "partly", "fails"]


@dataclass
class Seen:
    """What came of the last message; texts as they were streamed and as they are stored."""

    status: str = ""
    code: str | None = None
    error: str = ""
    tokens: str = ""
    answer: str = ""
    thinking: str = ""
    calls: list[Made] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    ends: int = 0
    is_resynced: bool = False
    seconds: float = 0.0
    title: str = ""


@dataclass(frozen=True)
class Judged:
    input: Input
    verdict: Verdict
    why: str = ""
    end: str = ""
    """Status or code of the last run."""


async def play(
    client: aiohttp.ClientSession, provider: Provider, given: Input, *, patience: float = PATIENCE
) -> Judged:
    """Run the input's messages, one after the other, and judge what came of the last."""
    played = provider.play(given)
    try:
        async with asyncio.timeout(patience):
            seen = await _run(client, given)
            if given.right.title is not None:
                seen.title = await _title(client, seen.meta.pop("session"), given.right.title)
    except (TimeoutError, aiohttp.ClientError) as error:
        return Judged(given, "fails", f"no end: {type(error).__name__} {error}")
    return judge(given, seen, played)


async def _run(client: aiohttp.ClientSession, given: Input) -> Seen:
    model = f"{PREFIXES[given.wire]}:{given.model}"
    made = await request_json(client, "POST", "/api/sessions", {"agent": given.agent, "model": model})
    path = f"/api/sessions/{made['id']}"
    for name in FILES if given.files else ():
        form = aiohttp.FormData()
        form.add_field("file", b"The capital of France is Paris.", filename=name)
        async with client.post(f"{path}/files", data=form) as sent:
            sent.raise_for_status()
    seen = Seen()
    for text in given.says:
        seen = await say(client, path, text)
        if seen.status == "failed":
            break
    if given.right.title is not None:
        seen.meta["session"] = path
    return seen


async def say(client: aiohttp.ClientSession, path: str, text: str) -> Seen:
    seen, kind, began = Seen(), "", time.monotonic()
    await request_json(client, "POST", f"{path}/messages", {"content": text})
    async with client.get(f"{path}/stream") as response:
        async for line in response.content:
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                _note(seen, kind, orjson.loads(line[6:]))
    seen.seconds = time.monotonic() - began
    session = await request_json(client, "GET", path)
    run, said = session["run"], [m for m in session["messages"] if m["role"] == "assistant"]
    seen.status, seen.code, seen.error = run["status"], run["error_code"], run["error"] or ""
    own = [message for message in said if message["run_id"] == run["id"]]
    seen.answer = own[-1]["content"] if own else ""
    seen.meta = dict(own[-1]["meta_json"] or {}) if own else {}
    seen.usage = run["usage"] or {}
    if seen.is_resynced:  # what a client draws is what it loads again
        seen.tokens, seen.thinking = seen.answer, seen.meta.get("thinking", "")
    return seen


def _note(seen: Seen, kind: str, data: dict[str, Any]) -> None:
    if kind == "token":
        seen.tokens += data["text"]
    elif kind == "thinking":
        seen.thinking += data["text"]
    elif kind == "tool_start":
        seen.calls.append(Made(data["name"], (data["args"] or {}).get("file")))
    elif kind == "resync":
        seen.is_resynced = True
    elif kind in ("done", "error"):
        seen.ends += 1


async def _title(client: aiohttp.ClientSession, path: str, expected: str) -> str:
    """The session's title when it is the expected one, else what it is after a while."""
    title = ""
    for _ in range(int(TITLE_PATIENCE / 0.2)):
        title = (await request_json(client, "GET", path))["title"]
        if title.partition(" (")[0] == expected:  # of equal ones the later have a number
            break
        await asyncio.sleep(0.2)
    return title


async def request_json(
    client: aiohttp.ClientSession, method: str, path: str, body: dict[str, Any] | None = None
) -> dict[str, Any]:
    async with client.request(method, path, json=body) as response:
        if response.status >= 400:
            raise aiohttp.ClientError(f"{method} {path}: {response.status} {(await response.text())[:200]}")
        return dict(await response.json())


def judge(given: Input, seen: Seen, played: Played) -> Judged:
    """By everything that must hold; what only is less than it could be counts as partly."""
    hard, soft = _faults(given.right, seen, played)
    end = seen.code or seen.status
    if hard:
        return Judged(given, "fails", "; ".join([*hard, *soft]), end)
    return Judged(given, "partly" if soft else "holds", "; ".join(soft), end)


def _faults(right: Right, seen: Seen, played: Played) -> tuple[list[str], list[str]]:
    hard: list[str] = list(played.refusals)
    soft: list[str] = []
    hard += _of_end(right, seen)
    has_failed = seen.status == "failed"
    if right.answer is not None and not has_failed:
        if seen.answer != right.answer:
            hard.append(f"answered {seen.answer[:120]!r}")
        if seen.tokens != seen.answer:
            hard.append(f"streamed {seen.tokens[:120]!r}, stored {seen.answer[:120]!r}")
    if right.answer is not None and has_failed and seen.tokens and seen.tokens not in right.answer:
        hard.append(f"showed {seen.tokens[:120]!r}")
    if right.thinking is not None and seen.thinking.strip() != right.thinking.strip():
        where = soft if not seen.thinking and played.input.agent == "operator" else hard
        where.append(f"thinking {seen.thinking[:120]!r}")
    hard += [f"shows {text!r}" for text in right.lacks if text in f"{seen.tokens}\n{seen.answer}"]
    if right.calls is not None and seen.calls not in [list(calls) for calls in right.calls]:
        hard.append(f"calls {[(made.name, made.file) for made in seen.calls]}")
    if right.cut is not None and right.cut != _is_marked(seen):
        hard.append("not marked as cut" if right.cut else "marked as cut")
    hard += _of_requests(right, seen, played)
    return hard, soft


def _of_end(right: Right, seen: Seen) -> list[str]:
    found = []
    if seen.ends != 1:
        found.append(f"{seen.ends} terminal events")
    expected, code = right.codes, seen.code
    if code in right.or_codes:
        return found
    if expected and code not in expected:
        found.append(f"ended as {code or seen.status} instead of {'/'.join(sorted(expected))}")
    if not expected and seen.status != "completed":
        found.append(f"ended as {code or seen.status}")
    if seen.seconds > right.within:
        found.append(f"took {seen.seconds:.1f} s")
    found += [f"the error does not tell {text!r}" for text in right.tells if text not in seen.error]
    return found


def _of_requests(right: Right, seen: Seen, played: Played) -> list[str]:
    found, count = [], len(played.requests)
    if not right.least <= count <= right.most:
        found.append(f"{count} requests")
    if right.requests and (wrong := right.requests(played.requests)):
        found.append(wrong)
    if right.usage:
        counted = (seen.usage.get("input_tokens"), seen.usage.get("output_tokens"))
        if counted != right.usage:
            found.append(f"usage {counted}")
    if right.title is not None and seen.title.partition(" (")[0] != right.title:
        found.append(f"title {seen.title!r}")
    return found


def _is_marked(seen: Seen) -> bool:
    return "cut" in str({key: value for key, value in seen.meta.items() if key != "thinking"}).lower()
