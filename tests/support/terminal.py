"""The command line in a pseudo-terminal, as a person sits at it.

async with terminal("chat", "last", url=url, token=token, home=tmp_path) as screen:
    await screen.shows("what shall I do?")
    screen.enter("hello")
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import struct
import sys
import termios
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scripts.shell import ROOT
from tests.support.display import Display

PATIENCE = 60.0


class Terminal:
    """`text` is what it shows, with all that scrolled away; `raw` is what was written to it."""

    def __init__(self, process: Process, master: int, columns: int) -> None:
        self.raw = b""
        self._process = process
        self._master = master
        self._display = Display(columns)
        self._news = asyncio.Event()
        self._entered = ""

    @property
    def text(self) -> str:
        return self._display.text

    async def shows(self, words: str, times: int = 1) -> str:
        """Wait until it shows `words`, so often; all that it shows then.

        The terminal shows what is typed, too: words of the line that was entered last prove no answer.
        """
        assert words not in self._entered, f"{words!r} was typed: wait for words of the answer"
        try:
            async with asyncio.timeout(PATIENCE):
                await self._shown(words, times)
        except TimeoutError:
            raise AssertionError(f"{words!r} is not shown {times} times:\n{self.text}") from None
        return self.text

    def enter(self, line: str) -> None:
        self._entered = line
        self.press(f"{line}\r")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    async def insist(self, keys: str, words: str) -> None:
        """Press once a second until it shows `words`: between two prompts keys are not read."""
        async with asyncio.timeout(PATIENCE):
            while words not in self.text:
                self.press(keys)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._shown(words), 1)

    async def _shown(self, words: str, times: int = 1) -> None:
        while self.text.count(words) < times:
            self._news.clear()
            await self._news.wait()

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE):
            return await self._process.wait()

    def read(self) -> None:
        try:
            data = os.read(self._master, 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._master)
        self.raw += data
        self._display.write(data)
        self._news.set()


@asynccontextmanager
async def terminal(
    *arguments: str, url: str, token: str | None, home: Path, columns: int = 100, **environment: str
) -> AsyncIterator[Terminal]:
    """Start `pilothouse` with these arguments in a terminal; it is ended when the block is left."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *_command(arguments),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=_environment(url, token, home) | environment,
        cwd=home,
        start_new_session=True,
    )
    os.close(slave)
    screen = Terminal(process, master, columns)
    asyncio.get_running_loop().add_reader(master, screen.read)
    try:
        yield screen
    finally:
        asyncio.get_running_loop().remove_reader(master)
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await process.wait()
        os.close(master)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


async def run(
    *arguments: str,
    url: str,
    token: str | None,
    home: Path,
    stdin: str = "",
    stdout: IO[bytes] | int = PIPE,
    **environment: str,
) -> Ran:
    """Run `pilothouse` without a terminal, as a program would."""
    process = await asyncio.create_subprocess_exec(
        *_command(arguments),
        stdin=PIPE,
        stdout=stdout,
        stderr=PIPE,
        env=_environment(url, token, home) | environment,
        cwd=home,
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate(stdin.encode(errors="surrogateescape"))
    return Ran(process.returncode or 0, (out or b"").decode(), err.decode())


def _command(arguments: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "cli", *arguments]


def _environment(url: str, token: str | None, home: Path) -> dict[str, str]:
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    ours = {
        "HOME": str(home),
        "PILOTHOUSE_URL": url,
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "DATA_DIR": str(home / "data"),
    }
    return kept | ours | ({"AUTH_TOKEN": token} if token else {})
