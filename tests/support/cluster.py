"""Several servers on one PostgreSQL and one Redis, each as a process of its own.

with cluster(tmp_path, database_url, redis.url) as team:
    web, worker = team.add("web"), team.add("worker")
    session_id = team.ask(web, "ping test")
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from server.agent.operator.plan.move import TOOL_NAME
from tests.support.chat import Event
from tests.support.eventually import eventually_sync
from tests.support.model_reply import Reply, call
from tests.support.model_server import ModelServer
from tests.support.server import Server, end, launch

TOKEN = "cluster-token-0123456789"
LEASE = 6.0
TAKEN_OVER = 3 * LEASE
"""Seconds in which the run of a dead worker must go on; a busy machine is slow."""
STORY = " ".join(f"Wave {number} rolled in and out again." for number in range(1, 29))
"""What mock mode answers to `slow story`."""


@dataclass
class Team:
    folder: Path
    settings: dict[str, str]
    servers: list[Server] = field(default_factory=list)
    listeners: list[Listener] = field(default_factory=list)

    def start(self, role: str, *, program: Sequence[str] = (), **settings: str) -> Server:
        """Start one and do not wait. `program` is what is run instead of the server itself."""
        log = self.folder / f"{role}-{len(self.servers)}.log"
        chosen = {**self.settings, **settings}
        server = launch(self.folder / "data", program=program, log=log, role=role, **chosen)
        server.role = role
        self.servers.append(server)
        return server

    def add(self, *roles: str, program: Sequence[str] = (), **settings: str) -> list[Server]:
        """Start one process for each role, side by side, and wait until all are ready."""
        added = [self.start(role, program=program, **settings) for role in roles]
        for server in added:
            server.wait_until_started()
            eventually_sync(
                lambda server=server: get(server, "/ready").status_code,
                lambda code: code == 200,
                message=f"ready: {server.log}",
            )
        return added

    def four(self) -> tuple[Server, Server, Server, Server]:
        """Two web replicas and two workers; those that an earlier test has ended are started again."""
        alive = {
            role: [one for one in self.servers if one.process.poll() is None and one.role == role]
            for role in ("web", "worker")
        }
        missing = [role for role, found in alive.items() for _ in range(2 - len(found))]
        for server in self.add(*missing):
            alive[server.role].append(server)
        (web, other_web), (worker, other_worker) = alive["web"], alive["worker"]
        return web, other_web, worker, other_worker

    def listen(self, server: Server, session_id: str, last_id: str | None = None) -> Listener:
        """Read the session's stream until the team ends."""
        self.listeners.append(Listener(server, session_id, last_id))
        return self.listeners[-1]

    def logs(self) -> str:
        return "\n".join(
            f"--- {server.log}\n{server.log.read_text(errors='replace')}" for server in self.servers
        )


@contextmanager
def cluster(folder: Path, database_url: str, redis_url: str, **settings: str) -> Iterator[Team]:
    common = {
        "database_url": database_url, "redis_url": redis_url, "auth_token": TOKEN, "run_lease": str(LEASE),
        "drain_timeout": "0",
    }  # fmt: skip
    team = Team(folder, {**common, **settings})
    try:
        yield team
    finally:
        for server in team.servers:
            if server.process.poll() is None:
                os.killpg(server.process.pid, signal.SIGCONT)
        for server in team.servers:
            end(server.process)
        for listener in team.listeners:
            listener.close()


def talk(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.api, headers=server.headers, timeout=60, trust_env=False)


def get(server: Server, path: str) -> httpx.Response:
    with talk(server) as client:
        return client.get(path)


def post(server: Server, path: str, **body: Any) -> httpx.Response:
    with talk(server) as client:
        return client.post(path, json=body)


def ask(server: Server, content: str, **session: Any) -> str:
    """Send a message in a new session; returns the session's id."""
    session_id = str(post(server, "/sessions", **session).json()["id"])
    sent = post(server, f"/sessions/{session_id}/messages", content=content)
    assert sent.status_code == 202, sent.text
    return session_id


def session_at(server: Server, session_id: str) -> dict[str, Any]:
    return dict(get(server, f"/sessions/{session_id}").json())


def wait_for(server: Server, session_id: str, *statuses: str, timeout: float = 60.0) -> dict[str, Any]:
    return eventually_sync(
        lambda: session_at(server, session_id),
        lambda it: it["run"]["status"] in statuses,
        message=f"the run is {' or '.join(statuses)}",
        timeout=timeout,
        interval=0.1,
    )


def executing(workers: Sequence[Server]) -> Server | None:
    """The worker that executes a run."""
    for worker in workers:
        found = re.search(r"^pilothouse_runs_active (\S+)$", get(worker, "/metrics").text, re.MULTILINE)
        if found and float(found[1]) > 0:
            return worker
    return None


def wait_until_executing(workers: Sequence[Server], *, timeout: float = 30.0) -> Server:
    found = eventually_sync(
        lambda: executing(workers), lambda it: it is not None, message="a worker executes the run", timeout=timeout,
        interval=0.05,
    )  # fmt: skip
    assert found
    return found


class Listener:
    """Reads a session's stream in a thread, as a client that is reconnected manually."""

    def __init__(self, server: Server, session_id: str, last_id: str | None = None) -> None:
        self.events: list[Event] = []
        headers = {**server.headers, **({"last-event-id": last_id} if last_id else {})}
        self._client = httpx.Client(headers=headers, timeout=120, trust_env=False)
        self._url = f"{server.api}/sessions/{session_id}/stream?follow=true"
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        last_id = ""
        try:
            with self._client.stream("GET", self._url) as response:
                for line in response.iter_lines():
                    if line.startswith("id: "):
                        last_id = line[4:]
                    elif line.startswith("data: "):
                        self.events.append({"id": last_id, **json.loads(line[6:])})
        except httpx.HTTPError:
            return  # the server is gone

    def until(self, holds: Callable[[list[Event]], object], what: str, timeout: float = 60.0) -> list[Event]:
        return eventually_sync(lambda: list(self.events), holds, message=what, timeout=timeout)

    def close(self) -> None:
        """When its server has ended."""
        self._thread.join(10)
        self._client.close()


def types(events: Sequence[Event]) -> list[str]:
    return [event["type"] for event in events]


def ends(events: Sequence[Event]) -> list[Event]:
    """The terminal events."""
    return [event for event in events if event["type"] in ("done", "error")]


def said(events: Sequence[Event]) -> str:
    """The joined tokens since the last `resync`."""
    text = ""
    for event in events:
        text = "" if event["type"] == "resync" else text + (event["text"] if event["type"] == "token" else "")
    return text


def begin_story(team: Team, web: Server, reader: Server | None = None) -> tuple[str, Listener]:
    """A session whose answer is being written, and its listener, by default at the same web process."""
    session_id = ask(web, "slow story")
    listener = team.listen(reader or web, session_id)
    listener.until(lambda it: types(it).count("token") >= 5, "tokens")
    return session_id, listener


# Operators with real browsers, whose model a script plays


def played_by(provider: ModelServer, **settings: str) -> dict[str, str]:
    """Settings of their processes."""
    return {
        "agent_mode": "real", "browser_headless": "true", "agent_model": "anthropic:claude-haiku-4-5",
        **{name.lower(): value for name, value in provider.env.items()}, **settings,
    }  # fmt: skip


def move(action: str, **more: Any) -> Reply:
    """A turn of the model: one act."""
    return call(TOOL_NAME, {"reason": "as asked", "action": action, **more})


def answer_of(session: dict[str, Any]) -> str:
    return str(session["messages"][-1]["content"])
