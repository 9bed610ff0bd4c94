"""The bench counts what arrived and how late, however the text was cut on its way."""

from __future__ import annotations

import os
import time

import pytest

from bench.stream.measured import Batch, StreamTimes, cpu_of, memory_of_tree, tree_of
from bench.stream.provider import script, stamped
from tests.support.model_reply import Asked


def test_stamps_are_counted_however_they_are_cut() -> None:
    text = "".join(stamped(50))
    for size in (1, 5, 18, 400, len(text)):
        times = StreamTimes()
        for at in range(0, len(text), size):
            times.add(text[at : at + size])
        times.end()
        assert (times.tokens, times.failed, len(times.late)) == (50, False, 50)
        assert times.first >= times.first_sent > 0


def test_a_batch_sums_up_its_streams() -> None:
    streams = [
        StreamTimes(asked=10.0, first=10.2, ended=12.0, tokens=100, late=[0.01] * 99 + [1.0])
        for _ in range(3)
    ]
    batch = Batch.from_json(Batch(streams, cpu=0.3).as_json())
    assert (batch.tokens, batch.failures) == (300, 0)
    assert batch.seconds == pytest.approx(2.0)
    assert batch.first_token == pytest.approx(0.2)
    assert batch.cpu_per_1000 == pytest.approx(1.0)
    assert (batch.late(0.5), batch.late(1.0)) == (0.01, 1.0)


def test_an_answer_without_tokens_has_failed() -> None:
    times = StreamTimes()
    times.end()
    assert times.failed


@pytest.mark.parametrize(("prompt", "tokens", "delay"), [("bulk 7", 7, 0), ("paced 50 3", 3, 0.02)])
def test_the_provider_sends_what_it_is_asked_for(prompt: str, tokens: int, delay: float) -> None:
    reply = script(Asked("chat", {"messages": [{"role": "user", "content": prompt}]}, {}))
    assert (len(list(reply.text)), reply.delay) == (tokens, delay)


def test_this_process_has_cpu_time_and_memory() -> None:
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
    assert cpu_of(os.getpid()) > 0
    assert os.getpid() in tree_of(os.getpid())
    assert memory_of_tree(os.getpid()) > 1
