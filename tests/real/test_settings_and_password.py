"""Changes of settings at once on a running server, and where it shows its first password."""

from __future__ import annotations

import os
import pty
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx

from tests.support.ports import free_port
from tests.support.server import PROGRAM, end, environment_of, serving

ROUNDS = 6


def test_of_changes_at_once_none_is_lost_not_even_by_a_kill(tmp_path: Path, database_url: str) -> None:
    def wanted(round: int) -> dict[str, object]:
        return {
            "max_tool_steps": 20 + round, "run_timeout": 100.0 + round, "max_browsers": 2 + round,
            "decision_timeout": 600 + round, "retention_days": 30 + round, "token_budget": 100_000 + round,
        }  # fmt: skip

    with serving(tmp_path, database_url=database_url) as server:
        with (
            httpx.Client(base_url=server.api, headers=server.headers, trust_env=False) as client,
            ThreadPoolExecutor(len(wanted(0))) as threads,
        ):

            def change(item: tuple[str, object]) -> int:
                return client.patch("/settings", json=dict([item])).status_code

            for round in range(ROUNDS):
                assert set(threads.map(change, wanted(round).items())) == {200}
                assert client.get("/settings").json()["values"].items() >= wanted(round).items()
        server.kill()
    with serving(tmp_path, database_url=database_url) as server:
        found = httpx.get(f"{server.api}/settings", headers=server.headers, trust_env=False).json()
        assert found["values"].items() >= wanted(ROUNDS - 1).items()


def test_a_log_does_not_get_the_first_password(tmp_path: Path) -> None:
    with serving(tmp_path, program=PROGRAM, auth_token="") as server:
        password = (tmp_path / "auth_token").read_text().strip()
        told = server.log.read_text()
        assert str(tmp_path / "auth_token") in told
        assert password not in told


def test_a_terminal_gets_the_first_password(tmp_path: Path) -> None:
    master, terminal = pty.openpty()
    chosen = {"agent_mode": "mock", "port": str(free_port()), "auth_token": "", "data_dir": str(tmp_path)}
    process = subprocess.Popen(
        PROGRAM, cwd=tmp_path, env=environment_of(chosen), stdin=terminal, stdout=terminal, stderr=terminal,
        start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    told = b""
    try:
        with suppress(OSError):  # the end of a terminal
            while b"Password" not in told or not told.endswith(b"\n"):
                told += os.read(master, 65536)
        password = (tmp_path / "auth_token").read_bytes().strip()
        assert b": " + password in told
    finally:
        os.close(master)
        end(process)
