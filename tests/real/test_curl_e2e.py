"""scripts/curl_e2e.sh: succeeds on an answer, and fails on everything that is not one."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scripts.shell import ROOT
from tests.support.server import PROGRAM, serving

Done = subprocess.CompletedProcess[str]


def curl_e2e(api: str, **environment: str) -> Done:
    script = ROOT / "scripts" / "curl_e2e.sh"
    inherited = {name: value for name, value in os.environ.items() if name != "AUTH_TOKEN"}
    return subprocess.run(
        [script],
        env={**inherited, "BASE_URL": api, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_a_server_answers_the_ping_and_ends_when_asked(tmp_path: Path) -> None:
    with serving(tmp_path, program=PROGRAM) as server:
        done = curl_e2e(server.api, AUTH_TOKEN=server.token)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()
        assert server.stop() == 0, server.log.read_text()


def test_a_wrong_password_is_a_failure(tmp_path: Path) -> None:
    with serving(tmp_path, program=PROGRAM) as server:
        done = curl_e2e(server.api, AUTH_TOKEN="wrong")
    assert done.returncode != 0
    assert "401" in done.stderr


def test_no_password_is_a_failure() -> None:
    done = curl_e2e("http://127.0.0.1:9/api")
    assert done.returncode != 0
    assert "AUTH_TOKEN" in done.stderr


def event(name: str, **data: object) -> str:
    return f"event: {name}\nid: 1-1\ndata: {json.dumps(data)}\n\n"


@contextmanager
def scripted_api(stream: str) -> Iterator[str]:
    """An API that accepts a message and then streams exactly this."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            is_message = self.path.endswith("/messages")
            answer = {"run": {"id": "r1"}} if is_message else {"id": "s1"}
            self.rfile.read(int(self.headers["Content-Length"]))
            self.reply("application/json", json.dumps(answer))

        def do_GET(self) -> None:
            self.reply("text/event-stream", stream)

        def do_DELETE(self) -> None:
            self.reply("application/json", "")

        def reply(self, kind: str, body: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Requests are not written to the test's output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_answer_is_printed_whatever_letters_it_has() -> None:
    stream = ": hello\n\n" + event("token", text="яб") + event("done", message={"content": "яблоко\n“apple”"})
    with scripted_api(stream) as api:
        done = curl_e2e(api, AUTH_TOKEN="t")
    assert (done.returncode, done.stdout) == (0, "яблоко\n“apple”\n")


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (event("done", message={"content": " \n"}), "empty"),
        (event("done", message=None), "empty"),
        (event("error", code="model_refused", message="No."), "model_refused: No."),
        (event("token", text="half an ans"), "no terminal event"),
        ("", "no terminal event"),
    ],
)
def test_everything_else_is_a_failure(stream: str, reason: str) -> None:
    with scripted_api(stream) as api:
        done = curl_e2e(api, AUTH_TOKEN="t")
    assert done.returncode != 0
    assert reason in done.stderr
    assert done.stdout == ""
