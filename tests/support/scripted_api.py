"""A small server on loopback that speaks the contract, with runs played from scripts: for clients under test."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

TOKEN = "open-sesame"
TERMINAL = ("done", "error")
Script = Callable[["ScriptedRun"], Awaitable[None]]


@dataclass
class Chat:
    """A session: its row, its messages, every event so far, and the runs being played."""

    row: dict[str, Any]
    messages: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    run: dict[str, Any] | None = None
    pending: dict[str, Any] | None = None
    questions: list[dict[str, Any]] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    epoch: int = 0


class ScriptedRun:
    """What a script is given: it emits events, keeps messages, asks, and ends the run."""

    def __init__(self, api: ScriptedApi, chat: Chat, run: dict[str, Any], text: str) -> None:
        self.text = text
        self._api, self._chat, self._run = api, chat, run
        self.decision: asyncio.Future[dict[str, Any]] | None = None

    def emit(self, type: str, **fields: Any) -> None:
        same = [event for event in self._chat.events if event["epoch"] == self._chat.epoch]
        head = {"session_id": self._chat.row["id"], "run_id": self._run["id"], "ts": now()}
        place = {"epoch": self._chat.epoch, "seq": len(same) + 1}
        self._chat.events.append({"type": type} | head | place | fields)
        self._api.wake()

    def keep(self, role: str, content: str, id: str | None = None, **extra: Any) -> dict[str, Any]:
        message = self._api.add_message(self._chat, role, content, self._run["id"], id=id, **extra)
        self.emit("message", message=message)
        return message

    def status(self, status: str, **fields: Any) -> None:
        self._run["status"] = self._chat.row["status"] = status
        self.emit(
            "run", status=status, **({"agent": "operator", "model": "mock:scripted", "step": 1} | fields)
        )

    def tool(
        self, name: str, args: dict[str, Any], *, ok: bool = True, summary: str = "", **extra: Any
    ) -> None:
        call_id = f"c{len(self._chat.events)}"
        self.emit("tool_start", call_id=call_id, name=name, args=args)
        meta = {"name": name, "call_id": call_id, "args": args, "ok": ok, "duration_ms": 420}
        self._api.add_message(self._chat, "tool", summary, self._run["id"], meta_json=meta)
        end = {"call_id": call_id, "name": name, "ok": ok, "summary": summary, "duration_ms": 420} | extra
        self.emit("tool_end", **end)

    async def ask(self, kind: str, reason: str, **fields: Any) -> dict[str, Any]:
        reference = next(self._api.references, f"q{len(self._chat.events)}")
        self._chat.pending = {"reference": reference, "kind": kind, "reason": reason} | fields
        self.decision = asyncio.get_running_loop().create_future()
        self.status("waiting_user")
        self.emit("interrupt", **self._chat.pending)
        self._api.questions.put_nowait(reference)
        answer = await self.decision
        self._chat.pending = None
        self.emit(
            "decision", reference=reference, confirmed=bool(answer.get("confirmed", answer.get("done")))
        )
        self.status("running")
        return answer

    def done(self, content: str, id: str | None = None) -> None:
        message = self._api.add_message(self._chat, "assistant", content, self._run["id"], id=id)
        self._end("completed")
        usage = {"input_tokens": 1200, "output_tokens": 34, "cached_tokens": 0, "model_calls": 2}
        self.emit("done", message=message, usage=usage)

    def fail(self, code: str, message: str, status: str = "failed") -> None:
        self._run |= {"error_code": code, "error": message}
        self._end(status)
        self.emit("error", code=code, message=message)

    def _end(self, status: str) -> None:
        self._run |= {"status": status, "finished_at": now()}
        self._chat.row["status"] = "idle"


async def answer_shortly(run: ScriptedRun) -> None:
    run.emit("token", message_id="m-answer", text=f"You said {run.text}")
    run.done(f"You said {run.text}", id="m-answer")


class ScriptedApi:
    """`scripts` maps words of a message to the run that answers it; `calls` lists the requests."""

    def __init__(self) -> None:
        self.scripts: dict[str, Script] = {}
        self.chats: dict[str, Chat] = {}
        self.calls: list[tuple[str, str, Any]] = []
        self.refusals: dict[str, Response] = {}
        self.slow: dict[str, asyncio.Event] = {}
        self.slow_call = asyncio.Event()
        self.browser: dict[str, dict[str, Any]] = {}
        self.config: dict[str, Any] = dict(CONFIG)
        self.stream_headers: list[dict[str, str]] = []
        self.streams: asyncio.Queue[str] = asyncio.Queue()
        self.questions: asyncio.Queue[str] = asyncio.Queue()
        self.references: Iterator[str] = iter(())
        self.sockets: asyncio.Queue[str] = asyncio.Queue()
        """Each opened WebSocket, by its session."""
        self.lost_acks = 0
        """So many of the next acknowledgements are lost, each with its connection."""
        self.is_stream_silent = False
        """Event streams are open and send nothing, as behind a proxy that buffers them."""
        self._receipts: dict[str, dict[str, Any]] = {}
        self._runs: dict[str, ScriptedRun] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Condition()
        self._line = 0

    def add_session(self, id: str, **fields: Any) -> Chat:
        row = {"id": id, "title": "", "agent": "operator", "model": "mock:scripted", "status": "idle"}
        row |= {"max_tool_steps": 10, "created_at": now(), "updated_at": now(), "usage": {}, "unread": False}
        self.chats[id] = Chat(row | fields)
        return self.chats[id]

    def add_message(
        self, chat: Chat, role: str, content: str, run_id: str | None, id: str | None = None, **extra: Any
    ) -> dict[str, Any]:
        seq = len(chat.messages) + 1
        message = {"id": id or f"m{seq}", "session_id": chat.row["id"], "run_id": run_id, "seq": seq}
        message |= {"role": role, "content": content, "meta_json": None, "created_at": now()} | extra
        chat.messages.append(message)
        chat.row["updated_at"] = message["created_at"]
        return message

    def begin(self, chat: Chat, text: str, script: Script) -> dict[str, Any]:
        """A run for `text`, as a message sent from anywhere begins it."""
        chat.epoch += 1
        run = {"id": f"r{chat.epoch}", "session_id": chat.row["id"], "status": "running", "attempt": 1}
        chat.run, chat.row["status"] = run, "running"
        played = ScriptedRun(self, chat, run, text)
        played.keep("user", text)
        self._runs[chat.row["id"]] = played
        self._tasks[chat.row["id"]] = asyncio.create_task(script(played))  # type: ignore[arg-type]
        return run

    def wake(self) -> None:
        asyncio.get_running_loop().create_task(self._wake())

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def break_lines(self) -> None:
        """Every open stream ends in the middle, as when a connection is lost."""
        self._line += 1
        self.wake()

    def asked(self, method: str, end: str) -> list[Any]:
        """The bodies of the calls whose path ends so."""
        return [body for verb, path, body in self.calls if verb == method and path.endswith(end)]

    def app(self) -> Starlette:
        routes = [
            Route("/api/sessions/{id}/stream", self._stream),
            WebSocketRoute("/api/ws/{id}", self._dialogue),
            Route("/{path:path}", self._answer, methods=["GET", "POST", "PUT"]),
        ]
        return Starlette(routes=routes)

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        for release in self.slow.values():
            release.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self.break_lines()

    async def _answer(self, request: Request) -> Response:
        raw = await request.body()
        path = request.url.path.removeprefix("/api")
        self.calls.append((request.method, path, json.loads(raw) if raw else None))
        for end, refusal in self.refusals.items():
            if path.endswith(end):
                return refusal
        for end, release in self.slow.items():
            if path.endswith(end):
                self.slow_call.set()
                await release.wait()
        if path == "/health":
            return JSONResponse({"status": "ok"})
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return problem(401, "unauthorized", "Not logged in.")
        parts = path.strip("/").split("/")
        if parts[0] == "sessions":
            return await self._session(request.method, parts[1:], self.calls[-1][2] or {}, request)
        return self._other(path)

    def _other(self, path: str) -> Response:
        if path == "/config":
            return JSONResponse(self.config)
        if path == "/questions":
            return JSONResponse({"items": [self._listed(chat) for chat in self.chats.values() if chat.pending],
                                 "next_cursor": None})  # fmt: skip
        if path == "/tools":
            return JSONResponse({"items": [{"name": "browser_click"}]})
        if path.startswith("/files/"):
            return Response(PICTURE, media_type="image/png")
        return JSONResponse({}) if path in ("/auth/me", "/ready") else problem(404, "not_found", "Unknown.")

    def _listed(self, chat: Chat) -> dict[str, Any]:
        of_session = {"session_id": chat.row["id"], "session_title": chat.row["title"]}
        return (chat.pending or {}) | of_session | {"created_at": now()}

    async def _session(
        self, method: str, parts: list[str], body: dict[str, Any], request: Request
    ) -> Response:
        if not parts:
            if method == "POST":
                chat = self.add_session(f"s{len(self.chats) + 1}-{'0' * 12}", **body)
                return JSONResponse(chat.row, 201)
            return JSONResponse({"items": [chat.row for chat in self.chats.values()], "next_cursor": None})
        chat = self.chats.get(parts[0])
        if chat is None:
            return problem(404, "not_found", "No such session.")
        if len(parts) == 1:
            whole = {"messages": chat.messages, "run": chat.run, "pending": chat.pending, "state": chat.state}
            whole["interrupts"] = chat.questions
            return JSONResponse(chat.row | whole)
        return await self._act(chat, parts[1:], body, request)

    async def _act(self, chat: Chat, parts: list[str], body: dict[str, Any], request: Request) -> Response:
        played = self._runs.get(chat.row["id"])
        match parts:
            case ["messages"]:
                return self._message(chat, played, body)
            case ["decision"]:
                return self._decide(chat, played, body)
            case ["cancel" | "pause" | "resume" as action]:
                return self._control(chat, played, action)
            case ["plan"]:
                chat.state = {"plan": body["plan"], "proposed_plan": []}
                if played:
                    played.emit("state", **chat.state)
            case ["plan", "proposal"]:
                chat.state = {"plan": (chat.state or {}).get("plan", []), "proposed_plan": []}
            case ["browser", tool]:
                return JSONResponse(self.browser.get(tool, {"ok": True, "text": f"{tool} done"}))
            case ["export"]:
                form = request.query_params["format"]
                return Response(f"{form} of {chat.row['title']}\n".encode())
        return JSONResponse({}, 202)

    def _decide(self, chat: Chat, played: ScriptedRun | None, body: dict[str, Any]) -> Response:
        if not played or not chat.pending or chat.pending["reference"] != body["reference"]:
            return problem(409, "already_decided", "This question is decided already.")
        chat.questions.append(chat.pending | {"status": "decided", "confirmed": body["confirmed"]})
        played.decision.set_result(body)  # type: ignore[union-attr]
        return JSONResponse({}, 202)

    def _control(self, chat: Chat, played: ScriptedRun | None, action: str) -> Response:
        if not played or chat.row["status"] == "idle":
            return problem(409, "run_finished", "There is no run.")
        if action == "cancel":
            self._tasks[chat.row["id"]].cancel()
            played.fail("cancelled", "Task cancelled", "cancelled")
        else:
            played.status("paused" if action == "pause" else "running")
        return JSONResponse({}, 202)

    def _message(self, chat: Chat, played: ScriptedRun | None, body: dict[str, Any]) -> Response:
        text = body["content"]
        if chat.row["status"] != "idle" and played:
            if body.get("mode") != "steer" and not chat.pending:
                return problem(409, "run_in_progress", "This session has a run in progress.")
            return JSONResponse({"message": played.keep("user", text), "run": chat.run}, 202)
        script = next((script for words, script in self.scripts.items() if words in text), answer_shortly)
        run = self.begin(chat, text, script)
        return JSONResponse({"message": chat.messages[-1], "run": run}, 202)

    async def _stream(self, request: Request) -> Response:
        self.stream_headers.append(dict(request.headers))
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return problem(401, "unauthorized", "Not logged in.")
        chat = self.chats.get(request.path_params["id"])
        if chat is None:
            return problem(404, "not_found", "No such session.")
        run_id, last_id = request.query_params.get("run_id"), request.headers.get("last-event-id", "0-0")
        return StreamingResponse(self._blocks(chat, run_id, last_id), media_type="text/event-stream")

    async def _blocks(self, chat: Chat, run_id: str | None, last_id: str) -> AsyncIterator[bytes]:
        epoch, seq = (int(part) for part in last_id.split("-"))
        sent, line = (epoch, seq), self._line
        self.streams.put_nowait(chat.row["id"])
        yield b": hello\n\n"
        while True:
            async with self._changed:
                news = [event for event in chat.events if (event["epoch"], event["seq"]) > sent]
                if not news or self.is_stream_silent:
                    news = []
                    await self._changed.wait()
            if line != self._line:
                return
            for event in news:
                sent = (event["epoch"], event["seq"])
                if run_id in (None, event["run_id"]):
                    yield to_sse(event)
                if run_id == event["run_id"] and event["type"] in TERMINAL:
                    return

    async def _dialogue(self, socket: WebSocket) -> None:
        """`WS /ws/{id}`: each frame is recorded as a call `WS /sessions/{id}/{type}` and carried out once."""
        await socket.accept()
        chat = self.chats.get(socket.path_params["id"])
        if socket.headers.get("authorization") != f"Bearer {TOKEN}":
            await socket.close(4401, "Log in first.")
            return
        if chat is None:
            await socket.close(4404, "No such session.")
            return
        self.sockets.put_nowait(chat.row["id"])
        telling = asyncio.create_task(self._tell(socket, chat))
        try:
            while True:
                frame = json.loads(await socket.receive_text())
                self.calls.append(("WS", f"/sessions/{chat.row['id']}/{frame['type']}", frame))
                answer = await self._obey(chat, frame)
                if self.lost_acks:
                    self.lost_acks -= 1
                    return
                await socket.send_text(json.dumps(answer))
        except WebSocketDisconnect:
            pass
        finally:
            telling.cancel()

    async def _obey(self, chat: Chat, frame: dict[str, Any]) -> dict[str, Any]:
        client_id = frame["client_id"]
        if client_id in self._receipts:
            return self._receipts[client_id]
        response = self.refusals.get(f"/{frame['type']}") or await self._do(chat, frame)
        body = json.loads(bytes(response.body))
        if response.status_code >= 400:
            told = {"code": body["code"], "message": body["detail"], "status": response.status_code}
            return {"type": "error", "client_id": client_id} | told
        receipt = {"type": "ack", "client_id": client_id}
        if "run" in body:
            receipt |= {"message_id": body["message"]["id"], "run_id": body["run"]["id"]}
        self._receipts[client_id] = receipt
        return receipt

    async def _do(self, chat: Chat, frame: dict[str, Any]) -> Response:
        played = self._runs.get(chat.row["id"])
        match frame["type"]:
            case "user_message":
                return self._message(chat, played, frame | {"content": frame["text"]})
            case "user_confirm":
                return self._decide(chat, played, frame | {"message": frame.get("text")})
        return self._control(chat, played, frame["action"])

    async def _tell(self, socket: WebSocket, chat: Chat) -> None:
        """What the agent says and asks, from the present run's beginning."""
        epoch, sent = chat.epoch, 0
        if chat.row["status"] == "idle":
            sent = len(chat.events)
        while True:
            async with self._changed:
                while len(chat.events) == sent:
                    await self._changed.wait()
            event = chat.events[sent]
            sent += 1
            if event["epoch"] >= epoch and (told := to_frame(event)):
                place = {"run_id": event["run_id"], "event_id": f"{event['epoch']}-{event['seq']}"}
                await socket.send_text(json.dumps(told | place))


def to_frame(event: dict[str, Any]) -> dict[str, Any] | None:
    """What `WS /ws/{id}` sends for an event."""
    match event["type"]:
        case "run":
            return {"type": "status", "status": event["status"]}
        case "interrupt":
            return event | {"type": "agent_question", "text": event["reason"]}
        case "done":
            message = event["message"]
            return {"type": "agent_message", "text": message["content"], "message_id": message["id"]}
        case "error":
            return {"type": "status", "status": "error", "code": event["code"], "message": event["message"]}
    return None


def to_sse(event: dict[str, Any]) -> bytes:
    data = json.dumps(event, ensure_ascii=False)
    return f"event: {event['type']}\nid: {event['epoch']}-{event['seq']}\ndata: {data}\n\n".encode()


def problem(status: int, code: str, detail: str, **headers: str) -> Response:
    body = {"title": code, "status": status, "code": code, "detail": detail, "request_id": "req-1"}
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse(body, status, given, media_type="application/problem+json")


def now(later: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=later)).isoformat()


@asynccontextmanager
async def serving(api: ScriptedApi, port: int = 0) -> AsyncIterator[str]:
    """The address at which `api` answers until the block ends."""
    listener = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(
        uvicorn.Config(api.app(), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    )
    running = asyncio.create_task(server.serve([listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await api.close()
        server.should_exit = True
        await running
        listener.close()


CONFIG = {
    "version": "0.1.0",
    "mode": "mock",
    "defaults": {"agent": "operator", "model": "mock:scripted", "max_tool_steps": 10},
    "models": [{"id": "mock:scripted", "label": "Scripted", "ready": True, "missing": None, "demo": False}],
    "notices": [],
}
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000004000000040802000000269309290000001449444154789c633c2127c700034c0c"
    "48003707003476010caf6ab9b50000000049454e44ae426082"
)
"""Sixteen red pixels."""
