"""The interactive conversation: a permanent prompt, with all output above it."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import suppress
from urllib.parse import urlsplit

from prompt_toolkit.formatted_text import AnyFormattedText

from cli.commands.parser import parse
from cli.commands.schedule import local_zone
from cli.commands.syntax import Call, Message, Mode
from cli.conversation import Conversation
from cli.errors import CliError, UsageError
from cli.screen.items import Entered, Note, Tone
from cli.screen.live import bar, draw_live
from cli.screen.prompt import ask_line, line_prompt, plan_prompt, read_ansi
from cli.screen.tables import short
from cli.screen.view import OpenTool
from cli.words import t

TICK = 0.12
"""Seconds between updates of the live display. The screen is redrawn only if it changed."""

TALLEST = 14
"""Maximum number of lines above the prompt for the live display."""


class Repl:
    """One task reads lines, one executes them, two show events and frames, one updates the live display."""

    def __init__(self, conversation: Conversation) -> None:
        self.mode: Mode = "chat"
        self._conversation = conversation
        self._view = conversation.view
        self._lines: asyncio.Queue[Message | Call] = asyncio.Queue()
        self._doing: asyncio.Task[object] | None = None
        self._call: OpenTool | None = None
        self._drawn = ("", "")
        self._above = read_ansi("\n")
        self._wants_out = False
        conversation.ask_line = ask_line
        self._prompt = line_prompt(
            mode=lambda: self.mode,
            elements=lambda: conversation.elements,
            message=self._message,
            toolbar=lambda: [("class:bottom-toolbar", self._drawn[1])],
            placeholder=self._placeholder,
        )

    async def run(self) -> None:
        """Run until the user leaves or the server rejects the client. Leaving does not end the run."""
        await self._conversation.client.send_zone(local_zone())
        await self._conversation.attach()
        self._note(t("/help lists the commands; everything else goes to the agent."))
        talk = self._conversation
        work = (self._read(), talk.follow(), talk.listen(), self._work(), self._tick())
        tasks = [asyncio.create_task(part) for part in work]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result
        self._note_how_to_return()

    async def _read(self) -> None:
        while True:
            try:
                line = await self._prompt.prompt_async()
            except EOFError:
                return
            except KeyboardInterrupt:
                if self._interrupted():
                    return
                continue
            self._wants_out = False
            try:
                entry = parse(line, self.mode)
            except UsageError as error:
                self._note(str(error), "warning")
                continue
            if isinstance(entry, Call) and entry.name == "exit" and self.mode == "cmd":
                return
            if entry:
                await self._enter(entry)

    async def _enter(self, entry: Message | Call) -> None:
        """Handle mode changes and what uses the prompt itself; queue all other entries."""
        if isinstance(entry, Message):
            self._lines.put_nowait(entry)
            return
        words = " ".join(str(value) for value in entry.args.values() if entry.name != "type")
        self._conversation.screen.show(Entered(f"/{entry.name} {words}".rstrip()))
        match entry.name:
            case "chat":
                self._switch("chat")
            case "exit":
                self._switch("cmd")
            case "plan" if entry.args.get("what") == "edit":
                await self._edit_plan()
            case _ if entry.command.asks:
                await self._ask(entry)
            case _:
                if entry.command.by_hand:
                    self._switch("cmd")
                self._lines.put_nowait(entry)

    def _switch(self, mode: Mode) -> None:
        if mode == self.mode:
            return
        self.mode = mode
        if mode == "chat":
            self._note(t("Chat mode: what you write goes to the agent."))
        else:
            self._note(
                t("Command mode: the browser is in your hands, no slash needed. /chat talks to the agent.")
            )

    async def _work(self) -> None:
        """Execute the lines one after the other. The first Ctrl-C abandons the current browser command."""
        while True:
            entry = await self._lines.get()
            self._doing = asyncio.create_task(self._conversation.do(entry))
            if isinstance(entry, Call) and entry.command.by_hand:
                args = {name: value for name, value in entry.args.items() if name != "text"}
                self._call = OpenTool(entry.name, args, time.monotonic())
            try:
                await asyncio.wait({self._doing})
                self._report(self._doing)
            finally:
                self._doing.cancel()
                self._doing = self._call = None

    def _report(self, task: asyncio.Task[object]) -> None:
        if task.cancelled():
            self._note(t("Stopped waiting; the server may still do it."), "warning")
        elif error := task.exception():
            if not isinstance(error, CliError):
                raise error
            self._note(str(error), "error")

    def _interrupted(self) -> bool:
        """Handle Ctrl-C: the first stops waiting, the next leaves. Returns True to leave."""
        if self._wants_out:
            return True
        self._wants_out = True
        if self._doing and self._call:
            self._doing.cancel()
        else:
            ending = t(" The run goes on without you; /stop ends it.") if self._view.is_busy else ""
            self._note(t("Ctrl-C again leaves.") + ending)
        return False

    async def _ask(self, call: Call) -> None:
        """Execute a command that asks for lines itself; Ctrl-C leaves it."""
        with suppress(KeyboardInterrupt, EOFError):
            try:
                await self._conversation.do(call)
            except CliError as error:
                self._note(str(error), "error")

    async def _edit_plan(self) -> None:
        steps = "\n".join(self._view.plan.steps)
        with suppress(KeyboardInterrupt, EOFError):
            text = await plan_prompt().prompt_async(default=steps)
            try:
                await self._conversation.edit_plan(
                    [line.strip() for line in text.split("\n") if line.strip()]
                )
            except CliError as error:
                self._note(str(error), "error")

    async def _tick(self) -> None:
        host = urlsplit(self._conversation.client.address.url).netloc
        while True:
            size = shutil.get_terminal_size()
            live = draw_live(
                self._view,
                time.monotonic(),
                size.columns - 1,
                min(max(size.lines // 2, 3), TALLEST),
                self._call,
            )
            below = ("  " + " · ".join(bar(self._view, self.mode, host)))[: size.columns - 1]
            if (live, below) != self._drawn:
                self._drawn = live, below
                self._above = read_ansi(f"\n{live}\n" if live else "\n")
                self._prompt.app.invalidate()
            await asyncio.sleep(TICK)

    def _message(self) -> AnyFormattedText:
        sign = ("class:prompt", "❯ ") if self.mode == "chat" else ("class:prompt.cmd", "cmd ❯ ")
        return [*self._above, sign]

    def _placeholder(self) -> str:
        if self.mode == "cmd":
            return t("launch URL, observe, click EID … /chat talks to the agent")
        if self._view.pending:
            return t("answer the question")
        return t("add an instruction" if self._view.is_busy else "what shall I do?")

    def _note(self, text: str, kind: Tone = "info") -> None:
        self._conversation.screen.show(Note(text, kind))

    def _note_how_to_return(self) -> None:
        session_id = self._conversation.session_id
        if session_id:
            going = t("The run goes on. ") if self._view.is_busy else ""
            self._note(
                t(
                    "{going}pilothouse chat {session} comes back here.",
                    going=going,
                    session=short(session_id),
                )
            )
