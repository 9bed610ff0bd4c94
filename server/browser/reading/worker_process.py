"""The process that forks one for each reading: started at the first one, and again when it has ended."""

from __future__ import annotations

import atexit
import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path

READING_SECONDS = 30.0
"""Seconds for one reading; its process is killed after them."""
_ROOT = Path(__file__).parents[3]
_WORKER_COMMAND = (sys.executable, "-P", "-m", "server.browser.reading.worker")


class WorkerProcess:
    """Thread-safe. It ends with this process, however that ends: its socket is closed then."""

    def __init__(self) -> None:
        atexit.register(self.close)
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def ask(self, given: bytes, *, deadline: float = READING_SECONDS) -> bytes:
        """Return the answer of a new process; b"" if it ended without one. Raises TimeoutError and OSError.

        A worker process that has ended is replaced once: what it forks ends alone and does not end it.
        """
        for _ in range(2):
            control = self._ready()
            ours, theirs = socket.socketpair()
            with ours:
                with theirs:
                    try:
                        socket.send_fds(control, [b"r"], [theirs.fileno()])
                    except OSError:  # it has just ended
                        self._drop(control)
                        continue
                if answer := _exchange(ours, given, deadline):
                    return answer.strip()
                self._drop(control)  # it ended before it began with this reading
        return b""

    def close(self) -> None:
        """End it and the readings in progress."""
        with self._starting:
            self._end()

    def _end(self) -> None:
        if self._control:
            self._control.close()
        if self._process:
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._control = None

    def _is_running(self) -> bool:
        process = self._process
        return process is not None and process.poll() is None

    def _drop(self, control: socket.socket) -> None:
        with self._starting:
            if self._control is control:
                self._end()

    def _ready(self) -> socket.socket:
        with self._starting:
            if self._control is not None and self._is_running():
                return self._control
            self._end()
            ours, theirs = socket.socketpair()
            with theirs:
                # None of the server's settings and keys are in its environment.
                self._process = subprocess.Popen(
                    (*_WORKER_COMMAND, str(theirs.fileno())), pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    env={"PYTHONPATH": str(_ROOT), "PYTHONIOENCODING": "utf-8"},
                )  # fmt: skip
            self._control = ours
            return ours


def _exchange(connection: socket.socket, given: bytes, deadline: float) -> bytes:
    connection.settimeout(deadline)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ended early; there may be an answer
        connection.sendall(given)
        connection.shutdown(socket.SHUT_WR)
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 20):
            parts.append(part)
    return b"".join(parts)
