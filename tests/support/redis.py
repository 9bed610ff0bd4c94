"""A private Redis server for the tests: in a temporary folder, on a free port, without files, gone afterwards.

    with redis_server() as redis:
        bus = RedisBus(redis.url)

It does not outlive the tests, for the same reason as the PostgreSQL cluster: a guard process holds the other
end of a pipe.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.programs import find_redis
from tests.support.eventually import eventually_sync
from tests.support.ports import free_port

_GUARD = """
cat > /dev/null
test -f "$1/pid" && kill -KILL "$(cat "$1/pid")" 2> /dev/null
rm -rf "$1"
"""


@dataclass
class RedisServer:
    program: Path
    folder: Path
    port: int
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def start(self) -> None:
        """Start it, without any data."""
        options = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "save": "",
            "appendonly": "no",
            "dir": str(self.folder),
            "logfile": str(self.folder / "log"),
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        self._process = subprocess.Popen(
            [self.program, *arguments], stdin=subprocess.DEVNULL, start_new_session=True
        )
        (self.folder / "pid").write_text(str(self._process.pid))
        eventually_sync(self._answers, message=lambda: f"Redis answers:\n{self._log()}")

    def signal(self, number: signal.Signals) -> None:
        """Such as SIGSTOP: its connections stay open, and it answers nothing until SIGCONT."""
        assert self._process
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it: all its data are gone."""
        (self.folder / "pid").unlink(missing_ok=True)  # its number may soon be another process's
        self._signal(signal.SIGKILL)
        if self._process:
            self._process.wait()

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process and self._process.poll() is None:
            os.kill(self._process.pid, number)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as link:
                link.sendall(b"PING\r\n")
                return link.recv(7) == b"+PONG\r\n"
        except OSError:
            return False

    def _log(self) -> str:
        log = self.folder / "log"
        return log.read_text() if log.is_file() else "it has written no log"


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A server that runs until the block is left."""
    program = find_redis()
    if program is None:
        raise RuntimeError("The tests need Redis. Run: make real, or sudo apt install redis-server")
    folder = Path(tempfile.mkdtemp(prefix="pilothouse-redis-"))
    command = ["sh", "-c", _GUARD, "guard", str(folder)]
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, cwd="/", start_new_session=True)
    server = RedisServer(program, folder, free_port())
    try:
        server.start()
        yield server
    finally:
        server.kill()
        guard.communicate()
