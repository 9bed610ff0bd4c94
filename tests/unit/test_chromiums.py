"""Browsers on this machine. The programs are real, not Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.egress import Egress
from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.browser.own_chromiums import OwnChromiums
from tests.support.browsers import settings_for
from tests.support.chromiums import ContractOfChromiums, Place
from tests.support.eventually import eventually
from tests.support.fake_chromium import fake_chromium


class TestOwnChromiums(ContractOfChromiums):
    @pytest.fixture
    async def place(self, tmp_path: Path) -> AsyncIterator[Place]:
        program = fake_chromium(tmp_path / "bin")
        settings = settings_for(tmp_path, browser_executable=program, browser_sandbox=False, min_free_disk=0)
        processes = Processes(settings.browsers_dir / "processes")
        yield Place(OwnChromiums(settings, processes, Profiles(settings)), tmp_path)
        await processes.aclose()


class LateProcesses(Processes):
    """Returns a process only after it has closed its standard input."""

    async def start(self, *args: Any, **options: Any) -> asyncio.subprocess.Process:
        process = await super().start(*args, **options)
        assert process.stdin
        await eventually(process.stdin.is_closing, message="it does not listen")
        return process


async def test_a_chromium_whose_pipes_end_one_after_the_other_has_ended_at_once(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexec 3<&-\nsleep 0.3\nexit 7\n")
    program.chmod(0o700)
    processes = LateProcesses(tmp_path)
    egress = Egress(Reach(private_network="never"))
    with pytest.raises(BrowserUnavailable, match="Chromium ended at once with exit code 7"):
        await Chromium.start(program, tmp_path / "profile", processes, egress, headless=True)
    await processes.aclose()
