"""The server as a process of its own, as a user starts it.

with serving(tmp_path, agent_mode="mock") as server:
    httpx.get(f"{server.api}/sessions", headers=server.headers)
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from scripts.shell import ROOT
from server.settings import Settings
from tests.support.eventually import eventually_sync
from tests.support.ports import free_port

START_TIMEOUT = 60.0
STOP_TIMEOUT = 40.0


@dataclass
class Server:
    """A running server and how to reach it."""

    process: subprocess.Popen[bytes]
    port: int
    token: str
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        return f"{self.url}/api"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def stop(self) -> int:
        """Ask it to end, as a service manager does, and wait. Returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_TIMEOUT)

    def kill(self) -> None:
        """End it as a power cut does. What it started is not asked either."""
        self.process.kill()
        self.process.wait()

    def wait_until_started(self) -> None:
        """Until it takes messages, or tells what it misses for that."""
        eventually_sync(
            lambda: self.process.poll() is not None or self._has_started(),
            timeout=START_TIMEOUT,
            message=lambda: f"the server starts; its log:\n{self.log.read_text(errors='replace')}",
            interval=0.05,
        )
        if self.process.poll() is not None:
            raise RuntimeError(f"The server does not start:\n{self.log.read_text(errors='replace')}")

    def _has_started(self) -> bool:
        try:
            ready = httpx.get(f"{self.api}/ready", timeout=5, trust_env=False)
        except httpx.TransportError:
            return False
        return ready.is_success or ready.json()["detail"] != "starting"


PROGRAM = (sys.executable, "-m", "server")


@contextmanager
def serving(
    data_dir: Path, *, program: Sequence[str] = PROGRAM, wrapper: Sequence[str] = (), **settings: str
) -> Iterator[Server]:
    """Run the server until the block is left, in mock mode unless `settings` say otherwise.

    Nothing but these settings reaches it: the environment's own are taken out, and there is no `.env`
    in its working folder, which is `data_dir`.
    """
    server = launch(data_dir, program=program, wrapper=wrapper, **settings)
    try:
        server.wait_until_started()
        yield server
    finally:
        _end(server.process)


def launch(
    data_dir: Path, *, program: Sequence[str] = PROGRAM, wrapper: Sequence[str] = (), **settings: str
) -> Server:
    """Start it and do not wait. `wrapper` is a program that runs it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    port, token = free_port(), secrets.token_urlsafe(24)
    defaults = {"agent_mode": "mock", "port": str(port), "auth_token": token, "data_dir": str(data_dir)}
    chosen = {**defaults, **settings}
    log = data_dir / "server.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*wrapper, *program],
            cwd=data_dir,
            env={**_environment(), **{name.upper(): value for name, value in chosen.items()}},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Server(process, int(chosen["port"]), chosen["auth_token"], log)


def _environment() -> dict[str, str]:
    ours = {name.upper() for name in Settings.model_fields} | {"GEMINI_API_KEY"}
    return {name: value for name, value in os.environ.items() if name not in ours} | {"PYTHONPATH": str(ROOT)}


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
