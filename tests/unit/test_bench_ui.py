"""The bench of the web UI reads traces and builds right."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bench.ui.scenes import pieces
from bench.ui.thread import task_times
from bench.ui.weight import weigh


def test_only_tasks_of_main_threads_count() -> None:
    name = {"name": "thread_name", "pid": 1, "args": {"name": "CrRendererMain"}}
    task = {"name": "RunTask", "pid": 1, "tid": 7, "tdur": 51_000}
    events = [name | {"tid": 7}, task, task | {"tid": 8}, task | {"name": "Paint"}, task | {"tdur": 0}]
    assert task_times(events) == [51.0]


def test_initial_is_what_the_entry_imports_and_the_rest_is_lazy(tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    (tmp_path / "index.html").write_text('<script type="module" crossorigin src="./assets/main.js"></script>')
    files = {
        "main.js": 'import{a}from"./shared.js";const later=()=>import("./lazy.js")',
        "shared.js": "x" * 4000, "lazy.js": "lazy", "main.css": "body{}",
    }  # fmt: skip
    for file, text in files.items():
        (assets / file).write_text(text)
        (assets / f"{file}.gz").write_bytes(gzip.compress(text.encode()))
    size = {file: len(gzip.compress(text.encode())) / 1000 for file, text in files.items()}
    weight = weigh(tmp_path)
    assert weight.initial == pytest.approx(size["main.js"] + size["shared.js"])
    assert weight.largest_lazy == pytest.approx(size["lazy.js"])
    assert weight.style == pytest.approx(size["main.css"])


def test_tokens_have_four_characters() -> None:
    tokens = pieces(500)
    assert {len(token) for token in tokens} == {4}
    assert len(tokens) == 500
