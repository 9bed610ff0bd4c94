"""A model provider on loopback that answers from a script, in the formats and by the rules of real providers.

    async with ModelServer([call("browser_navigate", {"url": site}), say("Done.")]) as server:
        model = build_chat_model("anthropic:claude-haiku-5-5", server.settings())

A single step is said again and again; of a list each step is said once. A step may be a function of what was asked.
For tests without a loop of their own: `with providing(script) as server`.
As a process: `python -m tests.support.model_server --script package.module:NAME` prints its port.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import json
import signal
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import Any, Self

from aiohttp import web

from server.settings import Settings
from tests.support import google_format, model_formats, model_rules, ollama_format
from tests.support.aiohttp_servers import close, listen
from tests.support.model_reply import Asked, Reply, Script, Step, Wire

KEY = "test-key-0123456789"
_PATHS: dict[str, Wire] = {
    "/v1/messages": "anthropic",
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1beta/models/{model}:streamGenerateContent": "google",
    "/api/chat": "ollama",
}
_BROKEN_OFF: dict[Wire, bytes] = {
    "anthropic": b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n',
    "chat": b'data: {"error": {"message": "The server had an error", "type": "server_error", "code": null}}\n\n',
    "responses": (
        b'event: error\ndata: {"type": "error", "sequence_number": 6, "code": "server_error", '
        b'"message": "The server had an error", "param": null}\n\n'
    ),
}
_BY_KEY = ("anthropic", "chat", "responses")


class ModelServer:
    """`requests` are all that were asked, refused ones included; `refusals` the reasons of 400s and 401s."""

    def __init__(self, script: Script, *, port: int = 0, strict: bool = True) -> None:
        self.follow(script)
        self._strict = strict
        self._port = port
        self._changed = asyncio.Condition()
        self.requests: list[Asked] = []
        self.refusals: list[str] = []
        self.open_streams = 0

    def follow(self, script: Script) -> None:
        """What it says from now on."""
        self._again = script if isinstance(script, Reply) or callable(script) else None
        self._steps: list[Step] = [] if self._again else list(script)  # type: ignore[arg-type]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        for path, wire in _PATHS.items():
            app.router.add_post(path, partial(self._answer, wire))
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        self._listener = await listen(self._runner, self._port)
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        await close(self._runner, self._listener)

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def env(self) -> dict[str, str]:
        """The environment that leads a server process here. Sessions are not named: that would be a call of its own."""
        return {
            "SUMMARY_MODEL": "off",
            "ANTHROPIC_BASE_URL": self.anthropic_url,
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_BASE_URL": self.openai_url,
            "OPENAI_API_KEY": KEY,
            "OPENROUTER_BASE_URL": self.openai_url,
            "OPENROUTER_API_KEY": KEY,
            "GOOGLE_BASE_URL": self.anthropic_url,
            "GOOGLE_API_KEY": KEY,
            "OLLAMA_BASE_URL": self.anthropic_url,
        }

    def settings(self, **more: Any) -> Settings:
        """Settings that lead here, from no environment and no `.env`."""
        return Settings(_env_file=None, **{k.lower(): v for k, v in self.env.items()} | more)  # type: ignore[call-arg]

    async def wait_until(self, holds: Callable[[], bool], timeout: float = 60) -> None:
        """Until something is true of this server, e.g. `lambda: server.open_streams == 0`."""
        async with asyncio.timeout(timeout), self._changed:
            await self._changed.wait_for(holds)

    async def _answer(self, wire: Wire, request: web.Request) -> web.StreamResponse:
        body = dict(request.match_info) | await request.json()
        asked = Asked(wire, body, {k.lower(): v for k, v in request.headers.items()})
        self.requests.append(asked)
        await self._notify()
        if problem := self._problem(asked):
            self.refusals.append(problem[1])
            return _error(wire, *problem)
        reply = self._next(asked)
        if reply.fault == "refuse":
            _reset(request)
            return web.Response()
        await asyncio.sleep(3600 if reply.fault == "hang" else reply.before)
        if reply.held:
            await asyncio.to_thread(reply.held.wait, 60)
        if reply.fault == "status":
            return _error(wire, reply.status, reply.error, reply.headers)
        return await self._stream(request, wire, reply, asked)

    def _problem(self, asked: Asked) -> tuple[int, str] | None:
        if asked.wire == "google" and asked.headers.get("x-goog-api-key") != KEY:
            return 400, "API key not valid. Please pass a valid API key."
        given = asked.headers.get("x-api-key") or asked.headers.get("authorization", "")
        if asked.wire in _BY_KEY and given.removeprefix("Bearer ") != KEY:
            return 401, f"Incorrect API key provided: {given}"
        if asked.wire != "google" and not asked.body.get("stream"):
            return 400, "this server only streams"
        reason = model_rules.refusal(asked.wire, asked.body) if self._strict else None
        return (400, reason) if reason else None

    def _next(self, asked: Asked) -> Reply:
        step = self._again or (self._steps.pop(0) if self._steps else None)
        if step is None:
            self.refusals.append("the script is over")
            return Reply(fault="status", status=400, error="the script is over")
        return step if isinstance(step, Reply) else step(asked)

    async def _stream(
        self, request: web.Request, wire: Wire, reply: Reply, asked: Asked
    ) -> web.StreamResponse:
        kind = "application/x-ndjson" if wire == "ollama" else "text/event-stream"
        response = web.StreamResponse(headers={"content-type": kind, "cache-control": "no-cache"})
        await response.prepare(request)
        self.open_streams += 1
        await self._notify()
        try:
            with contextlib.suppress(ConnectionError):  # the client has gone
                async for data in _body(wire, reply, asked.body):
                    if data is None:
                        _reset(request)
                        return response
                    await response.write(data)
                await response.write_eof()
        finally:
            self.open_streams -= 1
            await self._notify()
        return response

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _body(wire: Wire, reply: Reply, body: dict[str, Any]) -> AsyncIterator[bytes | None]:
    """What goes over the line; None is a reset."""
    sent = 0
    events = enumerate(model_formats.stream(wire, reply, body))
    while True:
        if reply.delay:
            await asyncio.sleep(reply.delay)  # before the text is made: a lazy one may contain the time
        count, event = next(events, (0, b""))
        if not event:
            return
        if count == reply.after and reply.fault in ("stall", "cut", "garbage", "unknown", "error"):
            if reply.fault == "cut":
                return
            if reply.fault == "stall":
                await asyncio.sleep(3600)
            yield _odd_event(wire, reply.fault)
        data = (
            event.replace(b"\r\n", b"\n").replace(b"\n", reply.newline.encode()) if reply.newline else event
        )
        if reply.fault == "reset" and sent + len(data) > reply.after:
            yield data[: reply.after - sent]
            await asyncio.sleep(0.05)
            yield None
            return
        sent += len(data)
        for part in _slices(data, reply.slice):
            yield part
            if reply.slice:
                await asyncio.sleep(0)


def _slices(data: bytes, size: int) -> Sequence[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)] if size else [data]


def _odd_event(wire: Wire, fault: str) -> bytes:
    if wire in ("google", "ollama"):
        odd = google_format if wire == "google" else ollama_format
        return {"garbage": odd.GARBAGE, "error": odd.BROKEN_OFF}.get(fault, odd.UNKNOWN)
    if fault == "error":
        return _BROKEN_OFF[wire]
    if fault == "garbage":
        return (
            b'data: {"choices": [{"delta": \n\n'
            if wire == "chat"
            else b'event: content_block_delta\ndata: {"type": \n\n'
        )
    if wire == "chat":
        return b': a comment\n\ndata: {"object": "something.new", "choices": []}\n\n'
    return b'event: something_new\ndata: {"type": "something_new", "sequence_number": 0}\n\n'


def _reset(request: web.Request) -> None:
    assert request.transport is not None
    sock = request.transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()


def _error(wire: Wire, status: int, text: str, headers: dict[str, str] | None = None) -> web.Response:
    kinds = {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        529: "overloaded_error",
    }
    if wire in ("google", "ollama"):
        body = google_format.error(status, text, headers) if wire == "google" else ollama_format.error(text)
        return web.json_response(body, status=status, headers=headers if wire == "ollama" else None)
    error: dict[str, Any] = {"type": kinds.get(status, "api_error"), "message": text}
    if wire != "anthropic":
        error |= {"param": None, "code": None}
    return web.json_response({"type": "error", "error": error}, status=status, headers=headers)


@contextlib.contextmanager
def providing(script: Script, **options: Any) -> Iterator[ModelServer]:
    """The server, on a loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = ModelServer(script, **options)
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def serve(script: Script, port: int) -> None:
    """Serve until SIGTERM; the first line on stdout is `{"port": n}`."""
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with ModelServer(script, port=port) as server:
        print(json.dumps({"port": server._port}), flush=True)
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--script", required=True, help="package.module:NAME of a script")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    module, _, name = options.script.partition(":")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(getattr(importlib.import_module(module), name), options.port))


if __name__ == "__main__":
    main()
