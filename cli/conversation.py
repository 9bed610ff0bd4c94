"""One session of one server: sends the user's input, shows the session's events on the screen.

Messages, answers and control go over the session's WebSocket, events come over SSE, everything else is HTTP.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from uuid import uuid4

from cli.client import api_types as api
from cli.client.client import Client, Event
from cli.client.open_types import Element, Frame
from cli.commands.syntax import Answer, Call, Message
from cli.errors import CliError, ServerRefused, UsageError
from cli.screen.items import Item, Note, Question, Tone
from cli.screen.results import TableSchema, read_columns
from cli.screen.screen import Screen
from cli.screen.view import View, place_of
from cli.words import t

STEERED = frozenset({"queued", "running", "paused"})
"""Statuses in which a message steers the run: the agent reads it before its next step."""
LAG = 1.0
"""Seconds to wait for the event stream before a frame of the dialogue is shown without it."""


class Conversation:
    """`options` (agent, model, max_tool_steps) apply to the session that the first input creates."""

    def __init__(
        self,
        client: Client,
        screen: Screen,
        session_id: str | None = None,
        options: Mapping[str, str | int] | None = None,
    ) -> None:
        self.client = client
        self.screen = screen
        self.view = View(client.address)
        self.session_id = session_id
        self.elements: Sequence[Element] = []
        self.observation: str | None = None
        """The id of the last printed observation, which the user's eids refer to."""
        self.unconfirmed: Call | None = None
        """The browser command that the policy wants the user to confirm."""
        self.ask_line: Callable[[str, bool], Awaitable[str]] | None = None
        """Asks the person for a line, the second argument masks it; None where there is no prompt."""
        self.asked_table: TableSchema | None = None
        """The schema of the table that the next message asks for."""
        self._options = dict(options or {})
        self._begun = asyncio.Event()
        self._taken = asyncio.Event()
        self._stream_lags = False
        """The wait for the event stream timed out, and it has sent nothing since."""

    def ask_for_table(self, columns: str) -> None:
        """Let the next message ask for a table with these columns. Raises UsageError."""
        self.asked_table = read_columns(columns)

    async def ask(self, label: str, *, is_secret: bool = True) -> str:
        """Ask the person for a line. Raises UsageError where there is no prompt."""
        if self.ask_line is None:
            raise UsageError(
                t("This asks for what no line may have: use it at the prompt of `pilothouse chat`.")
            )
        return await self.ask_line(label, is_secret)

    async def attach(self, *, silently: bool = False) -> api.SessionDetail | None:
        """Load the session with its history; show it unless `silently`. None if there is none yet."""
        if self.session_id is None:
            return None
        session = await self.client.session(self.session_id)
        items = self.view.load(session)
        if not silently:
            await self.show(items)
        self._begun.set()
        return session

    async def follow(self) -> None:
        """Show the session's events, whichever client causes them. Ends only by raising `CliError`."""
        await self._begun.wait()
        async with aclosing(self.client.follow(await self.require_session())) as events:
            async for event in events:
                await self.take(event)

    async def take(self, event: Event) -> None:
        if event.type == "connection":
            self.view.connection(lost=event.data["lost"])
            return
        await self.show(self.view.apply(event.data))
        self._stream_lags = False
        self._taken.set()
        if event.type == "resync":
            await self.attach()

    async def listen(self) -> None:
        """Show the agent's messages and questions from the dialogue. Ends only by raising `CliError`."""
        await self._begun.wait()
        dialogue = await self.client.dialogue(await self.require_session())
        async with aclosing(dialogue.frames()) as frames:
            async for frame in frames:
                await self.receive(frame)

    async def receive(self, frame: Frame) -> None:
        """Show one frame. Waits up to `LAG` for the event stream, which has it in order with tool calls."""
        try:
            async with asyncio.timeout(0 if self._stream_lags else LAG):
                while self.view.place < place_of(frame):
                    self._taken.clear()
                    await self._taken.wait()
        except TimeoutError:
            self._stream_lags = True
        await self.show(self.view.receive(frame))

    def note(self, text: str, tone: Tone = "info") -> None:
        self.screen.show(Note(text, tone))

    async def show(self, items: Iterable[Item]) -> None:
        for item in items:
            self.screen.show(item)
            if isinstance(item, Question):
                await self.show_picture(item.screenshot)

    async def do(self, entry: Message | Call) -> Answer | None:
        """Send the message or execute the command."""
        if isinstance(entry, Message):
            return await self.send_message(entry.text)
        return await entry.command.handler(self, entry) if entry.command.handler else None

    async def send_message(self, text: str) -> Answer:
        """Send a message. It steers a run in progress, answers an open question, or starts a run."""
        frame: dict[str, object] = {"type": "user_message", "text": text, "client_id": uuid4().hex}
        if self.asked_table:
            frame["result_schema"] = self.asked_table
        if self.view.status in STEERED:
            frame["mode"] = "queue" if self.asked_table else "steer"
        try:
            answer = await self._send_words(frame)
        except ServerRefused as error:
            if error.code != "run_in_progress":
                raise
            answer = await self._send_words({**frame, "mode": "queue" if self.asked_table else "steer"})
        self.asked_table = None
        if not self.view.title and self.session_id:  # the server derives it from the first message
            self.view.title = (await self.client.session(self.session_id)).get("title") or ""
        return answer

    async def _send_words(self, frame: Mapping[str, object]) -> Answer:
        from cli.client.dialogue import FRAME_BYTES

        if len(json.dumps(frame, ensure_ascii=False).encode()) <= FRAME_BYTES:
            return await self.send(frame)
        body = {name: value for name, value in frame.items() if name not in ("type", "text")}
        path = f"/sessions/{await self.require_session()}/messages"
        answer = await self.client.call("POST", path, {**body, "content": frame["text"]})
        return {"run_id": answer["run"]["id"]}

    async def send(self, frame: Mapping[str, object]) -> Answer:
        """Send a frame over the dialogue and wait for its acknowledgement."""
        answer = await (await self.client.dialogue(await self.require_session())).send(frame)
        return {"run_id": answer["run_id"]} if answer.get("run_id") else {}

    async def edit_plan(self, steps: list[str]) -> None:
        session_id = await self.require_session()
        await self.client.call("PUT", f"/sessions/{session_id}/plan", {"plan": steps})

    async def show_picture(self, path: str | None) -> None:
        if not path or not self.screen.shows_pictures:
            return
        try:
            self.screen.picture(await self.client.picture(path))
        except (CliError, OSError) as error:
            self.note(t("The picture cannot be shown: {why}", why=error), "warning")

    async def require_session(self) -> str:
        """The id of the session, which is created if there is none yet."""
        if self.session_id is None:
            session = await self.client.call("POST", "/sessions", self._options)
            self.session_id = str(session["id"])
            self.view.load(session)
            self._begun.set()
        return self.session_id
