"""A model server that answers with given bytes, for what `ModelServer` has no words for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from server.settings import Settings
from tests.support import model_formats
from tests.support.model_reply import Reply, Wire
from tests.support.model_server import KEY

SETTINGS = {"anthropic": "anthropic_base_url", "google": "google_base_url", "ollama": "ollama_base_url"}


@dataclass(frozen=True)
class Raw:
    """One answer. `parts` are written one after the other, each `pause` seconds after the last."""

    status: int = 200
    body: bytes | str = b""
    headers: dict[str, str] = field(default_factory=dict)
    parts: Iterable[bytes] = ()
    pause: float = 0.0


Answer = Raw | Reply
Next = Callable[[dict[str, Any]], Answer]


def json_error(status: int, body: str, **headers: str) -> Raw:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Raw(status, body, {"content-type": "application/json", **named})


@dataclass
class RawServer:
    """`requests` are the bodies that arrived, by order; `gets` the paths that were read, `pages` what is there."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    gets: list[str] = field(default_factory=list)
    pages: dict[str, object] = field(default_factory=dict)

    def settings(self, **more: Any) -> Settings:
        keys = {f"{name}_api_key": KEY for name in ("anthropic", "openai", "openrouter", "google")}
        urls = dict.fromkeys(SETTINGS.values(), self.url) | {"openai_base_url": f"{self.url}/v1"}
        return Settings(_env_file=None, summary_model="off", **{**keys, **urls, **more})  # type: ignore[call-arg]


@asynccontextmanager
async def raw_server(answers: Sequence[Answer] | Next, wire: Wire = "chat") -> AsyncIterator[RawServer]:
    """Each answer is given once; the last one again and again."""
    server, left = RawServer(), [] if callable(answers) else [*answers]

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.method != "POST":
            server.gets.append(request.path)
            found = server.pages.get(request.path)
            return web.Response(status=404) if found is None else web.json_response(found)
        body = await request.json()
        server.requests.append(body)
        answer = answers(body) if callable(answers) else left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Reply):
            kind = "application/x-ndjson" if wire == "ollama" else "text/event-stream"
            stream = b"".join(model_formats.stream(wire, answer, {"model": "m"} | body))
            return web.Response(body=stream, headers={"content-type": kind})
        if not answer.parts:
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        await response.prepare(request)
        for part in answer.parts:
            await response.write(part)
            await asyncio.sleep(answer.pause)
        return response

    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
