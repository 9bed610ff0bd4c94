"""What a program of the world is: how it is started on loopback with data of its own, and the tasks that are set in it."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bench.task.script import Script
from bench.world.install import Place
from tests.support.ports import free_port

START_SECONDS = 90.0
HOLDS_SECONDS = 5.0
"""A program may write a moment after its page has said that it did."""


@dataclass
class Home:
    """Where a program runs: its environment, its folder of data, its address."""

    place: Place
    folder: Path
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """Without our variables, and with a folder of its own as home."""
        kept = {name: os.environ[name] for name in ("LANG", "TZ") if name in os.environ}
        path = os.pathsep.join((str(self.place.bin), os.environ.get("PATH", os.defpath)))
        return {**kept, "PATH": path, "HOME": str(self.folder), "PYTHONPATH": str(self.folder)}

    def program(self, name: str) -> str:
        return str(self.place.bin / name)

    def run(self, name: str, *arguments: str, given: str = "") -> str:
        """Run a program of the environment in the folder; its output. Raises RuntimeError with what it says."""
        done = subprocess.run(
            [self.program(name), *arguments], cwd=self.folder, env=self.environment, input=given,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{name} {' '.join(arguments)[:80]}: {(done.stderr or done.stdout)[-1500:]}")
        return done.stdout

    def rows(self, file: str, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What the program's own SQLite database says."""
        with closing(sqlite3.connect(self.folder / file, timeout=5)) as database:
            return database.execute(query, values).fetchall()

    def get(self, path: str, **more: Any) -> httpx.Response:
        return httpx.get(self.url + path, timeout=10, trust_env=False, **more)

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@dataclass(frozen=True)
class WorldTask:
    """`asks`: of how many of its acts the person must be asked, such as an order; more is needless."""

    name: str
    text: str
    page: str
    script: Callable[[], Script]
    holds: Callable[[Home], bool]
    """Whether the program's own data is as the task wants it."""
    expected: str = ""
    """The right answer; the player does not know it."""
    asks: int = 0


@dataclass
class Program:
    name: str
    start: Callable[[Home], Sequence[str]]
    """Makes its data and returns the command that serves it."""
    ready: str = "/"
    """A path that answers once it has started."""
    environment: Mapping[str, str] = field(default_factory=dict)
    tasks: list[WorldTask] = field(default_factory=list)

    def task(
        self,
        text: str,
        page: str,
        holds: Callable[[Home], bool] = lambda _: True,
        *,
        expected: str = "",
        asks: int = 0,
    ) -> Callable[[Callable[[], Script]], Callable[[], Script]]:
        """Adds a task; without `holds` it must have an answer."""

        def add(script: Callable[[], Script]) -> Callable[[], Script]:
            name = script.__name__.replace("_", " ")
            self.tasks.append(WorldTask(name, text, page, script, holds, expected, asks))
            return script

        return add

    @contextmanager
    def serving(self, place: Place, folder: Path) -> Iterator[Home]:
        """Run it until the block is left. Raises RuntimeError with its log if it does not start."""
        folder.mkdir(parents=True)
        home = Home(place, folder)
        command = self.start(home)
        log = folder / "program.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=folder, env={**home.environment, **self.environment}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            self._wait(home, process, log)
            yield home
        finally:
            _end(process)

    def _wait(self, home: Home, process: subprocess.Popen[bytes], log: Path) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if home.get(self.ready).status_code < 500:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"{self.name} does not start: {log.read_text(errors='replace')[-1500:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and all that it has started."""
    try:
        os.killpg(process.pid, 15)
        process.wait(5)
    except ProcessLookupError:
        process.wait()
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()


def words(text: str) -> str:
    """A text without its marks, in single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).strip()
