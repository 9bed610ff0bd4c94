"""Each reading is a process forked by a worker that stays: what happens when one of them ends."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from server.browser.reading.worker_process import WorkerProcess

HTML = b'{"kind": "html", "name": "", "page": 1, "query": ""}\n<p>Tea for two</p>'


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    process = WorkerProcess()
    yield process
    process.close()


def read(worker: WorkerProcess) -> str:
    return str(json.loads(worker.ask(HTML))["text"])


def is_running(pid: int | None) -> bool:
    try:
        os.kill(pid or 0, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_starts_at_the_first_reading_and_serves_those_after_it(worker: WorkerProcess) -> None:
    assert worker.pid is None
    assert read(worker) == "Tea for two"
    first = worker.pid
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: read(worker), range(8))) == {"Tea for two"}
    assert worker.pid == first
    worker.close()
    assert not is_running(first)


def test_a_reading_that_ends_without_an_answer_leaves_the_worker_and_the_next_one_alone(
    worker: WorkerProcess,
) -> None:
    assert read(worker) == "Tea for two"
    before = worker.pid
    assert worker.ask(b"not a request\n") == b""
    assert read(worker) == "Tea for two"
    assert worker.pid == before


def test_a_worker_that_was_killed_is_replaced_at_the_next_reading(worker: WorkerProcess) -> None:
    assert read(worker) == "Tea for two"
    assert worker.pid is not None
    first = worker.pid
    os.kill(first, signal.SIGKILL)
    assert read(worker) == "Tea for two"
    assert worker.pid != first


def test_a_reading_that_takes_too_long_is_given_up(worker: WorkerProcess) -> None:
    assert read(worker) == "Tea for two"
    rows = b"<table>" + b"<tr><td>a</td></tr>" * 200_000 + b"</table>"
    head = HTML.partition(b"\n")[0]
    with pytest.raises(TimeoutError):
        worker.ask(head + b"\n" + rows, deadline=0.2)
    assert read(worker) == "Tea for two"
