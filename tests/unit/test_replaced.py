"""An upgrade in place: the old server continues as far as it can, and says why where it cannot."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.checkpoints import Checkpoints, MemoryTables
from server.errors import NotFound
from server.extras.mock.pool import MockBrowsers
from server.http.spa import Spa
from server.ops import stale_install
from server.ops.stale_install import is_stale
from server.runs.agents import AgentFactory
from server.settings import Settings


def make_program(folder: Path) -> Path:
    (folder / "agent").mkdir()
    part = folder / "agent" / "part.py"
    part.write_text("old")
    return part


def later_than(path: Path) -> float:
    """A moment after which what is written is seen to be newer."""
    moment = time.time()
    while path.stat().st_ctime >= moment:
        moment = time.time()
    return moment


def test_a_file_that_was_replaced_is_seen_whatever_its_time_says(tmp_path: Path) -> None:
    part = make_program(tmp_path)
    since = later_than(part)
    assert not is_stale(tmp_path, since)
    new = tmp_path / "part.new"
    while not new.exists() or new.stat().st_ctime <= since:
        new.write_text("new")
    os.utime(new, (0, 0))
    new.rename(part)
    assert is_stale(tmp_path, since)


def test_what_the_interpreter_writes_beside_the_program_is_no_new_version(tmp_path: Path) -> None:
    since = later_than(make_program(tmp_path))
    cached = tmp_path / "part.pyc"
    while not cached.exists() or cached.stat().st_ctime <= since:
        cached.write_bytes(b"x")
    assert not is_stale(tmp_path, since)


@pytest.mark.parametrize("was_replaced", [True, False])
def test_a_run_that_fails_of_it_says_so(settings: Settings, was_replaced: bool) -> None:
    def no_model(name: str) -> Any:
        raise AssertionError(name)

    checkpoints = Checkpoints(MemoryTables())
    agents = AgentFactory(
        lambda: settings, no_model, MockBrowsers(settings), checkpoints, lambda: was_replaced
    )
    code, words = agents.failure(ImportError("cannot import name 'x'"))
    assert code == "internal"
    assert (words == stale_install.REPLACED_SENTENCE) == was_replaced
    assert agents.failure(NotFound("There is no such file.")) == ("not_found", "There is no such file.")


async def test_the_web_ui_is_served_as_it_was_at_the_start(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("old page")
    (dist / "assets" / "part-1.js").write_text("old part")
    spa = Spa(dist)
    shutil.rmtree(dist)
    transport = httpx.ASGITransport(app=spa)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        assert (await client.get("/s/1", headers={"accept": "text/html"})).text == "old page"
        assert (await client.get("/assets/part-1.js")).text == "old part"
