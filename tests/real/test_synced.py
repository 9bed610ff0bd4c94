"""What outlives a power cut, seen by strace: the order of the server's syncs, the requests it gets and what it sends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.real.test_crashes import PING, talk, wait_for
from tests.support.server import Server, launch

CALLS = "trace=fsync,fdatasync,recvfrom,read,sendto,sendmsg,write,writev"


@contextmanager
def traced(folder: Path) -> Iterator[tuple[Server, Path]]:
    trace = folder / "trace"
    server = launch(
        folder / "data", wrapper=("strace", "-f", "-y", "-s", "9000", "-e", CALLS, "-o", str(trace))
    )
    try:
        server.wait_until_started()
        yield server, trace
    finally:
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()


def follow(client: httpx.Client, session_id: str, until: str) -> threading.Thread:
    """Reads the session's stream on a connection of its own until an event of this type; begun when this returns."""
    is_open = threading.Event()

    def read() -> None:
        with client.stream("GET", f"/sessions/{session_id}/stream?follow=true") as response:
            is_open.set()
            for line in response.iter_lines():
                if line == f"event: {until}":
                    return

    thread = threading.Thread(target=read)
    thread.start()
    is_open.wait(30)
    return thread


def syncs_between(trace: Path, first: str, last: str) -> int:
    """How often the database's log was synced after the newest line with `first`, before the next with `last`."""
    lines = trace.read_text(errors="replace").splitlines()
    begin = max(number for number, line in enumerate(lines) if first in line)
    end = next(number for number, line in enumerate(lines) if last in line and number > begin)
    return sum("sync(" in line and "pilothouse.db-wal" in line for line in lines[begin:end])


def test_a_message_is_on_the_disk_before_it_is_accepted_and_its_end_before_it_is_told(tmp_path: Path) -> None:
    with traced(tmp_path) as (server, trace), talk(server) as client:
        session_id = client.post("/sessions", json={}).json()["id"]
        reader = follow(client, session_id, "done")
        sent = client.post(f"/sessions/{session_id}/messages", json={"content": PING})
        assert sent.status_code == 202
        reader.join(60)
        assert syncs_between(trace, f"POST /api/sessions/{session_id}/messages", "HTTP/1.1 202") > 0
        assert syncs_between(trace, "HTTP/1.1 202", "event: done") > 0


def test_a_decision_is_on_the_disk_before_it_is_acted_on(tmp_path: Path) -> None:
    with traced(tmp_path) as (server, trace), talk(server) as client:
        session_id = client.post("/sessions", json={}).json()["id"]
        client.post(f"/sessions/{session_id}/messages", json={"content": "shop for a kettle"})
        pending = wait_for(client, session_id, "waiting_user")["pending"]
        reader = follow(client, session_id, "done")
        yes = {"reference": pending["reference"], "confirmed": True}
        assert client.post(f"/sessions/{session_id}/decision", json=yes).status_code == 202
        reader.join(60)
        asked = f"POST /api/sessions/{session_id}/decision"
        assert syncs_between(trace, asked, "HTTP/1.1 202") > 0
        assert syncs_between(trace, asked, "event: tool_start") > 0
        assert syncs_between(trace, "event: tool_start", "event: done") > 0
