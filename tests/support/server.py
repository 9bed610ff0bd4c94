"""The server as a process of its own.

By default it is forked from a process that has imported the server's modules already, and finds a migrated database:
that saves most of the CPU time of a start. With `program=PROGRAM` it is started as a user starts it.

with serving(tmp_path, agent_mode="mock") as server:
    httpx.get(f"{server.api}/sessions", headers=server.headers)
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Protocol

import httpx

from scripts.shell import ROOT
from server.settings import Settings
from tests.support.eventually import eventually_sync
from tests.support.migrated import create_migrated
from tests.support.ports import free_port

START_TIMEOUT = 60.0
STOP_TIMEOUT = 40.0
PROGRAM = (sys.executable, "-m", "server")

LOG_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.support.preloaded"])


class Process(Protocol):
    """What tests use of `subprocess.Popen`."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int:
        """Raises TimeoutExpired."""
        ...

    def send_signal(self, number: signal.Signals) -> None: ...


class ForkedProcess:
    """A process of the fork server with the interface of `subprocess.Popen`."""

    def __init__(self, folder: Path, environment: Mapping[str, str], log: Path) -> None:
        self._process = ForkServerProcess(
            target=_run_server, args=(folder, dict(environment), log), daemon=True
        )
        with chdir(ROOT):  # where the fork server finds what it loads
            self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("server", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


@dataclass
class Fork:
    """`work(*args, tell)` in a process that has the modules loaded; `tell` sends text to this one."""

    work: Callable[..., None]
    args: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        self._told, there = multiprocessing.Pipe(duplex=False)
        self._process = ForkServerProcess(target=_run_fork, args=(self.work, self.args, there), daemon=True)
        with chdir(ROOT):  # where the fork server finds what it loads
            self._process.start()
        there.close()

    def end(self) -> tuple[int, str]:
        """Wait for it: its exit code, and the text that it has sent."""
        with self._told:
            self._process.join(START_TIMEOUT)
            assert self._process.exitcode is not None, f"it does not end within {START_TIMEOUT:g} s"
            try:
                return self._process.exitcode, self._told.recv()
            except EOFError:
                return self._process.exitcode, ""


def _run_fork(work: Callable[..., None], args: tuple[object, ...], told: Connection) -> None:
    try:
        work(*args, told.send)
    except Exception:
        told.send(traceback.format_exc())
        os._exit(1)


def _run_server(folder: Path, environment: dict[str, str], log: Path) -> None:
    """Become `python -m server`, in a session of its own."""
    from server.__main__ import main

    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in (
        (0, os.open(os.devnull, os.O_RDONLY)),
        *((n, os.open(log, LOG_FLAGS)) for n in (1, 2)),
    ):
        os.dup2(file, number)
        os.close(file)
    sys.argv = ["server"]
    sys.exit(main())


@dataclass
class Server:
    """A running server and how to reach it."""

    process: Process
    port: int
    token: str
    log: Path
    role: str = "all"

    def signal(self, number: signal.Signals) -> None:
        """To the server and all that it has started."""
        os.killpg(self.process.pid, number)

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
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def wait_until_started(self) -> None:
        """Wait until it accepts messages; fails with the reason why it does not."""
        # Not verified: loading the certificates would cost more than all else.
        with httpx.Client(base_url=self.api, timeout=5, trust_env=False, verify=False) as client:
            eventually_sync(
                lambda: self.process.poll() is not None or self._has_started(client),
                timeout=START_TIMEOUT,
                message=lambda: f"the server starts; its log:\n{self.log.read_text(errors='replace')}",
                interval=0.05,
            )
        if self.process.poll() is not None:
            raise RuntimeError(f"The server does not start:\n{self.log.read_text(errors='replace')}")

    def _has_started(self, client: httpx.Client) -> bool:
        try:
            ready = client.get("/ready")
        except httpx.TransportError:
            return False
        return ready.is_success or ready.json()["detail"] != "starting"


@contextmanager
def serving(
    data_dir: Path, *, program: Sequence[str] = (), wrapper: Sequence[str] = (), migrated: bool = True,
    **settings: str,
) -> Iterator[Server]:  # fmt: skip
    """Run the server until the block is left, in mock mode unless `settings` say otherwise.

    Nothing but these settings reaches it: the environment's own are taken out, and there is no `.env`
    in its working folder, which is `data_dir`.
    """
    server = launch(data_dir, program=program, wrapper=wrapper, migrated=migrated, **settings)
    try:
        server.wait_until_started()
        yield server
    finally:
        end(server.process)


def launch(
    data_dir: Path, *, program: Sequence[str] = (), wrapper: Sequence[str] = (), log: Path | None = None,
    migrated: bool = True, **settings: str,
) -> Server:  # fmt: skip
    """Start it and do not wait. `program` is what is run instead of a fork, `wrapper` a program that runs it.

    `log` is by default in the folder. A fork finds a migrated database there, unless `migrated` is False.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    port, token = free_port(), secrets.token_urlsafe(24)
    defaults = {"agent_mode": "mock", "port": str(port), "auth_token": token, "data_dir": str(data_dir)}
    chosen = {**defaults, **settings}
    log = log or data_dir / "server.log"
    environment = environment_of(chosen)
    process: Process
    if not program and not wrapper:
        folder = Path(chosen["data_dir"])
        if migrated and "database_url" not in settings and not (folder / "pilothouse.db").exists():
            create_migrated(folder / "pilothouse.db")
        process = ForkedProcess(data_dir, environment, log)
    else:
        with log.open("ab") as output:
            process = subprocess.Popen(
                [*wrapper, *(program or PROGRAM)],
                cwd=data_dir,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    return Server(process, int(chosen["port"]), chosen["auth_token"], log)


def environment_of(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process with these settings and no other ones."""
    ours = {name.upper() for name in Settings.model_fields} | {"GEMINI_API_KEY"}
    others = {name: value for name, value in os.environ.items() if name not in ours}
    return {**others, "PYTHONPATH": str(ROOT), **{name.upper(): value for name, value in settings.items()}}


def end(process: Process) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
