"""A browser host as a process of its own.

with browser_host(tmp_path) as host:
    settings = {"browser_pool": host.url, "browser_secret": host.secret}
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.support.eventually import eventually_sync
from tests.support.ports import free_port
from tests.support.server import end, environment_of

SECRET = "secret-of-browser-hosts"


@dataclass
class Host:
    folder: Path
    settings: dict[str, str]
    secret: str = SECRET
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "host.log"

    def start(self) -> None:
        """Start it, also again after its end, and wait until it is ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        chosen = {
            "port": str(self.port), "browser_secret": self.secret, "data_dir": str(self.folder),
            "browser_headless": "true", **self.settings,
        }  # fmt: skip
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "server.browser.host"], cwd=self.folder, env=environment_of(chosen),
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        eventually_sync(
            self._is_ready,
            message=lambda: f"the host is ready; its log:\n{self.log.read_text()}",
            interval=0.05,
        )

    def _is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None
        try:
            return httpx.get(f"{self.url}/api/ready", trust_env=False).is_success
        except httpx.TransportError:
            return False

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """As `kill -9`; its browsers are not asked either."""
        assert self.process is not None
        self.signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        assert self.process is not None
        self.signal(signal.SIGTERM)
        return self.process.wait(30)

    def metric(self, name: str) -> float:
        headers = {"authorization": f"Bearer {self.secret}"}
        text = httpx.get(f"{self.url}/api/metrics", headers=headers, trust_env=False).text
        return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


@contextmanager
def browser_host(folder: Path, **settings: str) -> Iterator[Host]:
    host = Host(folder, settings)
    try:
        host.start()
        yield host
    finally:
        if host.process is not None:
            if host.process.poll() is None:
                host.signal(signal.SIGCONT)
            end(host.process)
