"""What a process can rely on wherever its browsers run. The programs are real, not Chromium."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from server.browser.chromium.cdp import CdpError
from server.browser.chromium.reach import Reach
from server.browser.chromium.running import Chromiums, RunningChromium
from tests.support.browsers import no_process_is_left, running_processes
from tests.support.eventually import eventually

REACH = Reach("never", blocked_hosts=("blocked.example",), own_ports=lambda: {8123})


async def start(
    chromiums: Chromiums, session_id: str = "s1", notes: list[str] | None = None
) -> RunningChromium:
    told = [] if notes is None else notes
    return await chromiums.start(session_id, lambda: REACH, told.append, restore=False)


class Place:
    """Browsers of one kind, and the folder that has their profiles."""

    def __init__(self, chromiums: Chromiums, folder: Path) -> None:
        self.chromiums = chromiums
        self.folder = folder


def methods_told(profile: Path) -> list[str]:
    """The commands that the programs with this profile have received."""
    return [json.loads(line)["method"] for line in (profile / "told").read_text().splitlines()]


def starts_in(profile: Path) -> int:
    told = map(json.loads, (profile / "told").read_text().splitlines())
    return sum(it["id"] == 1 for it in told)


class ContractOfChromiums:
    """A class of tests gives the fixture `place`."""

    async def test_it_runs_and_answers_until_it_is_closed(self, place: Place) -> None:
        chromium = await start(place.chromiums)
        assert chromium.is_running
        assert not chromium.was_kept
        assert await chromium.answers()
        assert running_processes(str(place.folder), "--user-data-dir")
        await chromium.close()
        await place.chromiums.finish("s1")
        assert not chromium.is_running
        assert not await chromium.answers()
        await no_process_is_left(str(place.folder), "--user-data-dir")
        assert "Browser.close" in methods_told(place.folder / "profiles" / "s1")

    async def test_a_tool_server_reaches_its_devtools_and_nobody_else_does(self, place: Place) -> None:
        chromium = await start(place.chromiums)
        async with connect(chromium.endpoint, proxy=None) as client:
            await client.send(json.dumps({"id": 7, "method": "Browser.getVersion", "params": {"a": 1}}))
            assert json.loads(await client.recv())["id"] == 7
        with pytest.raises(Exception, match="404"):
            await connect(chromium.endpoint[:-4], proxy=None)
        await chromium.close()

    async def test_a_program_that_ends_is_noticed_and_started_again_with_its_profile(
        self, place: Place
    ) -> None:
        chromium = await start(place.chromiums)
        pid = int(running_processes(str(place.folder), "--user-data-dir")[0].split()[0])
        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not chromium.is_running, message="the end is noticed")
        with pytest.raises(CdpError):
            await chromium.cdp.send("Browser.getVersion")
        await chromium.close()
        again = await start(place.chromiums)
        assert not again.was_kept
        assert starts_in(place.folder / "profiles" / "s1") == 2
        await again.close()

    async def test_its_profile_is_deleted_with_its_session(self, place: Place) -> None:
        chromium = await start(place.chromiums)
        await chromium.close()
        await place.chromiums.finish("s1")
        assert (place.folder / "profiles" / "s1").is_dir()
        await place.chromiums.purge("s1")
        assert not (place.folder / "profiles" / "s1").exists()

    async def test_downloads_arrive_in_the_folder_of_the_session(self, place: Place, tmp_path: Path) -> None:
        chromium = await start(place.chromiums)
        scratch = tmp_path / "arriving"
        scratch.mkdir()
        where = await chromium.cdp.send("Browser.setDownloadBehavior", {"downloadPath": str(scratch)})
        written = {"folder": where["got"]["downloadPath"], "name": "guid-1", "text": "12345"}
        await chromium.cdp.send("Test.write", written)
        if chromium.fetch:
            await chromium.fetch("guid-1", scratch / "guid-1", 3)
        arrived = (scratch / "guid-1").read_text()
        assert arrived == ("1234" if chromium.fetch else "12345")  # one more than the limit: it is too large
        await chromium.close()
