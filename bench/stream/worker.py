"""A process that reads the provider by itself: the floors that the server is measured against.

`python -m bench.stream.worker direct|bare|chain WIRE URL` reads `{"prompt", "streams"}` lines and answers each with a
batch. `direct` reads the event stream and nothing else, `bare` is LangChain as it comes (create_agent,
astream_events v2), `chain` our model and our events up to the same point.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.messages import HumanMessage

from bench.stream.measured import Batch, StreamTimes
from bench.stream.subjects import open_reader
from server.agent.models.chat_model import build_chat_model
from server.agent.streaming import graph_events
from server.settings import Settings
from tests.support.model_server import KEY

MODELS = {"chat": "openai:bench", "anthropic": "anthropic:claude-haiku-5-5", "responses": "openai:gpt-6-luna"}
Reader = Callable[[str, StreamTimes], Awaitable[None]]


def settings_for(wire: str, url: str) -> Settings:
    return Settings(
        _env_file=None, openai_base_url=f"{url}/v1", openai_api_key=KEY, anthropic_base_url=url, anthropic_api_key=KEY,
        openai_api="responses" if wire == "responses" else "auto",
    )  # type: ignore[call-arg]  # fmt: skip


def direct(wire: str, url: str) -> Reader:
    paths = {"chat": "chat/completions", "anthropic": "messages", "responses": "responses"}
    client = open_reader(url, {"x-api-key": KEY, "authorization": f"Bearer {KEY}"})

    async def read(prompt: str, times: StreamTimes) -> None:
        said = [{"role": "user", "content": prompt}]
        body = {
            "model": "bench",
            "stream": True,
            "max_tokens": 9,
            "input" if wire == "responses" else "messages": said,
        }
        async with client.post(f"/v1/{paths[wire]}", json=body) as response:
            async for line in response.content:
                if line.startswith(b"data: {"):
                    times.add(_text_of(orjson.loads(line[6:])))

    return read


def _text_of(event: dict[str, Any]) -> str:
    if choices := event.get("choices"):
        return choices[0]["delta"].get("content") or ""
    delta = event.get("delta")
    if isinstance(delta, dict):
        return delta.get("text") or ""
    return delta if isinstance(delta, str) else ""


def bare(wire: str, url: str) -> Reader:
    name = MODELS[wire]
    options: dict[str, Any] = {"base_url": url if wire == "anthropic" else f"{url}/v1", "api_key": KEY}
    if wire == "responses":
        options["use_responses_api"] = True
    agent = create_agent(init_chat_model(name, streaming=True, **options))
    return _reader(lambda prompt: agent.astream_events(graph_input(prompt), version="v2"))


def chain(wire: str, url: str) -> Reader:
    agent = create_agent(build_chat_model(MODELS[wire], settings_for(wire, url)))
    return _reader(lambda prompt: graph_events(agent, graph_input(prompt), {}))


def graph_input(prompt: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(prompt)]}


def _reader(stream: Callable[[str], Any]) -> Reader:
    async def read(prompt: str, times: StreamTimes) -> None:
        async for event in stream(prompt):
            if event["event"] == "on_chat_model_stream":
                times.add(event["data"]["chunk"].text)

    return read


async def _one(read: Reader, prompt: str) -> StreamTimes:
    times = StreamTimes()
    try:
        await read(prompt, times)
    except Exception:
        times.end(failed=True)
    else:
        times.end()
    return times


async def run(read: Reader, prompt: str, streams: int) -> Batch:
    gc.collect()
    began = time.process_time()
    done = await asyncio.gather(*(_one(read, prompt) for _ in range(streams)))
    return Batch(list(done), time.process_time() - began)


async def main() -> None:
    kind, wire, url = sys.argv[1:]
    read = {"direct": direct, "bare": bare, "chain": chain}[kind](wire, url)
    await run(read, "ping", 1)
    while line := await asyncio.to_thread(sys.stdin.readline):
        order = json.loads(line)
        batch = await run(read, order["prompt"], order["streams"])
        print(json.dumps(batch.as_json()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
