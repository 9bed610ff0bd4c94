"""`LANGSMITH_TRACING=true` in `.env`: a run of the real server arrives at a LangSmith API on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from tests.support.eventually import eventually_sync
from tests.support.server import serving

KEY = "ls-test-key"


class Receiver(ThreadingHTTPServer):
    """Takes batches of runs as LangSmith's API does. `runs` are the bodies, `keys` what they were sent with."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.runs: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_GET(self) -> None:
        """`/info`: what this API can do; batches as plain JSON."""
        limits = {"use_multipart_endpoint": False, "size_limit": 100, "size_limit_bytes": 20_000_000}
        limits |= {
            "scale_up_qsize_trigger": 1000,
            "scale_up_nthreads_limit": 1,
            "scale_down_nempty_trigger": 4,
        }
        self._answer({"version": "0.0.0", "batch_ingest_config": limits})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.keys.add(self.headers.get("x-api-key"))
        self.server.runs += [*body.get("post", []), *body.get("patch", [])]
        self._answer({})

    def _answer(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing on the tests' own output."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()


def run_once(folder: Path) -> None:
    """One message to a server in this folder, answered."""
    with (
        serving(folder) as server,
        httpx.Client(base_url=server.api, headers=server.headers, timeout=60, trust_env=False) as api,
    ):
        session_id = api.post("/sessions", json={}).json()["id"]
        api.post(f"/sessions/{session_id}/messages", json={"content": "this is a ping test"})
        assert "event: done" in api.get(f"/sessions/{session_id}/stream").text


def test_a_run_is_traced_when_the_dotenv_file_says_so(tmp_path: Path) -> None:
    with receiving() as receiver:
        (tmp_path / ".env").write_text(
            f"LANGSMITH_TRACING=true\nLANGSMITH_API_KEY={KEY}\nLANGSMITH_ENDPOINT={receiver.url}\n"
        )
        run_once(tmp_path)
        eventually_sync(
            lambda: receiver.runs,
            lambda it: "Harbour" in json.dumps(it),
            message="the run is received",
            interval=0.1,
        )
        assert receiver.keys == {KEY}
        assert {"chain", "llm"} <= {run.get("run_type") for run in receiver.runs}


def test_nothing_is_sent_without_it(tmp_path: Path) -> None:
    with receiving() as receiver:
        (tmp_path / ".env").write_text(f"LANGSMITH_API_KEY={KEY}\nLANGSMITH_ENDPOINT={receiver.url}\n")
        run_once(tmp_path)
        assert receiver.runs == []
        assert receiver.keys == set()
