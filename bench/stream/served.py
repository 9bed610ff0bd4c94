"""The least server around our model and LangChain's events: FastAPI, two requests a turn, no database, login or runs.

`python -m bench.stream.served WIRE URL PORT` answers the three requests that `bench.stream.subjects.Ours` makes. What the
product adds to a turn is the difference between `ours` and this.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import orjson
import uvicorn
from fastapi import FastAPI
from langchain.agents import create_agent
from pydantic import BaseModel
from sse_starlette import EventSourceResponse

from bench.stream.worker import MODELS, graph_input, settings_for
from server.agent.models.chat_model import build_chat_model
from server.agent.streaming import Graph, graph_events


class Sent(BaseModel):
    content: str


@dataclass
class Turn:
    events: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    """None after the last one."""
    task: asyncio.Task[None] | None = None

    async def run(self, graph: Graph, prompt: str) -> None:
        async for event in graph_events(graph, graph_input(prompt), {}):
            if event["event"] == "on_chat_model_stream" and (text := event["data"]["chunk"].text):
                self.events.put_nowait(b"event: token\ndata: " + orjson.dumps({"text": text}) + b"\n\n")
        self.events.put_nowait(None)

    async def stream(self) -> AsyncIterator[bytes]:
        while (event := await self.events.get()) is not None:
            yield event


def build(wire: str, url: str) -> FastAPI:
    graph = create_agent(build_chat_model(MODELS[wire], settings_for(wire, url)))
    app, turns = FastAPI(), dict[str, Turn]()

    @app.get("/api/health")
    async def health() -> None: ...

    @app.post("/api/sessions")
    async def new_session() -> dict[str, str]:
        return {"id": uuid.uuid4().hex}

    @app.post("/api/sessions/{session}/messages")
    async def accept(session: str, sent: Sent) -> None:
        turn = turns[session] = Turn()
        turn.task = asyncio.create_task(turn.run(graph, sent.content))

    @app.get("/api/sessions/{session}/stream")
    async def stream(session: str) -> EventSourceResponse:
        return EventSourceResponse(turns.pop(session).stream())

    return app


if __name__ == "__main__":
    gc.set_threshold(20_000, 20, 50)  # as the product's server
    uvicorn.run(build(sys.argv[1], sys.argv[2]), port=int(sys.argv[3]), log_level="warning", access_log=False)
