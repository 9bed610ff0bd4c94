"""Where browsers run: the same behaviour on this machine and on a host. The programs are real, not Chromium."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.cdp import CdpError
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.egress import Egress
from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.browser.chromium.running import Chromiums, RunningChromium
from server.browser.own_chromiums import OwnChromiums
from server.extras.hosts.chromiums import HostChromiums
from server.extras.hosts.protocol import Rules
from tests.support.browsers import no_process_is_left, running_processes, settings_for
from tests.support.eventually import eventually
from tests.support.fake_chromium import fake_chromium
from tests.support.hosted import SECRET, Epochs, RunningHost, running_host, user_of

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


@pytest.fixture(params=["own", "hosts"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        if request.param == "own":
            program = fake_chromium(tmp_path / "bin")
            settings = settings_for(
                tmp_path, browser_executable=program, browser_sandbox=False, min_free_disk=0
            )
            processes = Processes(settings.browsers_dir / "processes")
            stack.push_async_callback(processes.aclose)
            yield Place(OwnChromiums(settings, processes, Profiles(settings)), tmp_path)
        else:
            host = await stack.enter_async_context(running_host(tmp_path / "host"))
            chromiums = user_of(tmp_path / "user", host.url, epochs=Epochs())
            stack.push_async_callback(chromiums.aclose)
            yield Place(chromiums, tmp_path / "host")


async def test_it_runs_and_answers_until_it_is_closed(place: Place) -> None:
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


async def test_a_tool_server_reaches_its_devtools_and_nobody_else_does(place: Place) -> None:
    chromium = await start(place.chromiums)
    async with connect(chromium.endpoint, proxy=None) as client:
        await client.send(json.dumps({"id": 7, "method": "Browser.getVersion", "params": {"a": 1}}))
        assert json.loads(await client.recv())["id"] == 7
    with pytest.raises(Exception, match="404"):
        await connect(chromium.endpoint[:-4], proxy=None)
    await chromium.close()


async def test_a_program_that_ends_is_noticed_and_started_again_with_its_profile(place: Place) -> None:
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


async def test_its_profile_is_deleted_with_its_session(place: Place) -> None:
    chromium = await start(place.chromiums)
    await chromium.close()
    await place.chromiums.finish("s1")
    assert (place.folder / "profiles" / "s1").is_dir()
    await place.chromiums.purge("s1")
    assert not (place.folder / "profiles" / "s1").exists()


async def test_downloads_arrive_in_the_folder_of_the_session(place: Place, tmp_path: Path) -> None:
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


# Hosts only


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[RunningHost]:
    async with running_host(tmp_path / "host", max_browsers=1) as host:
        yield host


@pytest.fixture
def epochs() -> Epochs:
    return Epochs()


@pytest.fixture
async def users(tmp_path: Path, host: RunningHost, epochs: Epochs) -> AsyncIterator[list[HostChromiums]]:
    """Two processes that use the host."""
    both = [user_of(tmp_path / name, host.url, epochs=epochs) for name in ("one", "two")]
    yield both
    for user in both:
        await user.aclose()


async def test_the_next_process_gets_the_running_browser_and_the_former_one_nothing_more(
    users: list[HostChromiums],
) -> None:
    former = await start(users[0])
    former.follow_tab(lambda: "TAB")
    await former.leave()
    former = await start(users[0])
    assert (former.was_kept, former.kept_tab) == (True, "TAB")
    present = await start(users[1])
    assert present.was_kept
    await eventually(lambda: not former.is_running, message="the former one is disconnected")
    with pytest.raises(CdpError):
        await former.cdp.send("Browser.getVersion")
    assert await present.answers()
    await former.close()
    assert await present.answers()
    await present.close()


async def test_an_older_epoch_is_refused(users: list[HostChromiums], epochs: Epochs) -> None:
    present = await start(users[0])
    epochs.epochs["s1"] = 0
    with pytest.raises(BrowserUnavailable, match="Another process has taken"):
        await start(users[1])
    assert await present.answers()
    await present.close()
    epochs.epochs["s1"] = 0
    with pytest.raises(BrowserUnavailable, match="Another process has taken"):
        await start(users[1])


async def test_of_two_processes_at_the_same_time_the_later_epoch_has_it(users: list[HostChromiums]) -> None:
    both = await asyncio.gather(start(users[0]), start(users[1]), return_exceptions=True)
    running = [it for it in both if not isinstance(it, BaseException)]
    await eventually(lambda: sum(it.is_running for it in running) == 1, message="one has it")
    for one in running:
        await one.close()


async def test_a_full_host_is_waited_for(users: list[HostChromiums], host: RunningHost) -> None:
    first = await start(users[0], "s1")
    waiting = asyncio.create_task(start(users[1], "s2"))
    await eventually(lambda: host.browsers.is_crowded, message="it was refused")
    await eventually(lambda: users[0].is_crowded, message="the user of the slot is told")
    await first.close()
    second = await waiting
    assert second.is_running
    await second.close()


async def test_another_secret_is_refused(tmp_path: Path, host: RunningHost, epochs: Epochs) -> None:
    user = user_of(
        tmp_path / "stranger", host.url, epochs=epochs, browser_secret="another secret here", patience=0
    )
    assert "BROWSER_SECRET" in (await user.ready() or "")
    with pytest.raises(BrowserUnavailable, match="BROWSER_SECRET"):
        await start(user)
    assert host.browsers.open == []
    await user.aclose()


async def test_a_host_that_cannot_be_reached_is_said(tmp_path: Path, epochs: Epochs) -> None:
    user = user_of(tmp_path / "user", "http://127.0.0.1:9", epochs=epochs, patience=0)
    with pytest.raises(BrowserUnavailable, match="No browser host can be used"):
        await start(user)
    assert "127.0.0.1:9" in (await user.ready() or "")
    await user.aclose()


async def test_a_session_moves_from_a_host_that_is_gone(
    tmp_path: Path, host: RunningHost, epochs: Epochs
) -> None:
    gone, notes = "http://127.0.0.1:9", list[str]()
    epochs.hosts["s1"] = gone
    user = user_of(tmp_path / "user", gone, host.url, epochs=epochs, patience=0)
    chromium = await start(user, notes=notes)
    assert epochs.hosts["s1"] == host.url
    assert "without its logins" in notes[0]
    await chromium.close()
    await user.aclose()


async def test_a_silent_holder_is_disconnected_and_the_browser_ends_later(
    tmp_path: Path, epochs: Epochs
) -> None:
    moment = 100.0
    async with running_host(tmp_path / "host", clock=lambda: moment, browser_keep=60) as host:
        user = user_of(tmp_path / "user", host.url, epochs=epochs, run_lease=600)
        chromium = await start(user)
        chromium.egress.use(Reach("always"))  # its last sign of life
        await eventually(lambda: host.browsers.open[0].rules != Rules.of(REACH), message="it is heard")
        moment += 599
        await host.browsers.look()
        assert await chromium.answers()
        moment += 2
        assert host.browsers.find("s1", 1) is None  # also before anything is disconnected
        with pytest.raises(CdpError):
            await chromium.cdp.send("Test.write", {"folder": str(tmp_path), "name": "act", "text": ""})
        assert not (tmp_path / "act").exists()
        await eventually(lambda: not chromium.is_running, message="it is disconnected")
        await eventually(lambda: not host.browsers.open, message="the browser is ended")
        await chromium.close()
        await user.aclose()


async def test_a_browser_that_was_left_is_kept_for_a_while(tmp_path: Path, epochs: Epochs) -> None:
    moment = 100.0
    async with running_host(tmp_path / "host", clock=lambda: moment, browser_keep=60) as host:
        user = user_of(tmp_path / "user", host.url, epochs=epochs)
        chromium = await start(user)
        await chromium.leave()
        moment += 59
        await host.browsers.look()
        assert await user.is_open("s1")
        moment += 2
        await host.browsers.look()
        assert not await user.is_open("s1")
        await user.aclose()


async def test_a_restarted_host_has_the_profile(tmp_path: Path, epochs: Epochs) -> None:
    async with running_host(tmp_path / "host") as host:
        user = user_of(tmp_path / "user", host.url, epochs=epochs)
        chromium = await start(user)
    await eventually(lambda: not chromium.is_running, message="the end of the host is noticed")
    await chromium.close()
    async with running_host(tmp_path / "host", port=host.settings.port):
        again = await start(user)
        assert not again.was_kept
        assert starts_in(tmp_path / "host" / "profiles" / "s1") == 2
        await again.close()
    await user.aclose()


async def test_only_files_of_the_session_are_given_to_a_page(
    tmp_path: Path, host: RunningHost, users: list[HostChromiums]
) -> None:
    chromium = await start(users[0])
    files = tmp_path / "one" / "files" / "s1"
    files.mkdir(parents=True)
    (files / "mine.txt").write_text("mine")
    (tmp_path / "other.txt").write_text("other")
    given = await chromium.cdp.send("DOM.setFileInputFiles", {"files": [str(files / "mine.txt")]})
    there = given["got"]["files"][0]
    assert there != str(files / "mine.txt")
    assert Path(there).name == "mine.txt"
    assert (await chromium.cdp.send("Test.read", {"path": there}))["text"] == "mine"
    with pytest.raises(CdpError, match="not a file of this session"):
        await chromium.cdp.send("DOM.setFileInputFiles", {"files": [str(tmp_path / "other.txt")]})
    await chromium.close()
    assert not list((tmp_path / "host").rglob("mine.txt"))


async def test_the_rules_are_those_of_the_process_and_the_port_is_the_hosts(
    host: RunningHost, users: list[HostChromiums]
) -> None:
    chromium = await start(users[0])
    egress = host.browsers.open[0].chromium.egress  # type: ignore[union-attr]
    assert egress.reach.refuse_name("blocked.example", 80)
    assert {host.settings.port, 8123} <= set(egress.reach.own_ports())
    chromium.egress.use(Reach("always"))
    await eventually(
        lambda: egress.reach.refuse_name("blocked.example", 80) is None, message="the rules change"
    )
    egress.on_refusal("Blocked by Pilothouse.")
    await eventually(lambda: chromium.egress.last_refusal, message="the refusal is told")
    await chromium.close()


async def test_profiles_of_sessions_that_are_gone_are_deleted_later(
    tmp_path: Path, users: list[HostChromiums]
) -> None:
    for name in ("here", "gone"):
        (tmp_path / "host" / "profiles" / name).mkdir(parents=True)

    async def known(session_ids: object) -> set[str]:
        return {"here"}

    await users[0].purge_unknown(known)
    assert [path.name for path in (tmp_path / "host" / "profiles").iterdir()] == ["here"]


async def test_a_browser_on_a_slow_link_works(tmp_path: Path, host: RunningHost, epochs: Epochs) -> None:
    """Each direction forwards at most 64 KB every 20 ms."""

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(0.02)
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", host.settings.port)
        await asyncio.gather(forward(reader, there[1]), forward(there[0], writer))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as link:
        user = user_of(
            tmp_path / "far", f"http://127.0.0.1:{link.sockets[0].getsockname()[1]}", epochs=epochs
        )
        chromium = await start(user)
        text = "x" * 1_000_000
        reply = await chromium.cdp.send("Test.echo", {"text": text}, deadline=30)
        assert reply["got"]["text"] == text
        assert chromium.is_running
        await chromium.close()
        await user.aclose()


def test_the_secret_is_long_and_needed(tmp_path: Path) -> None:
    for wrong in ({}, {"browser_secret": "short"}, {"browser_secret": SECRET, "browser_profile": "shared"}):
        with pytest.raises(ValueError, match=r"BROWSER_SECRET|BROWSER_PROFILE"):
            settings_for(tmp_path, browser_pool="http://host:9200", **wrong)
    assert settings_for(tmp_path, browser_pool="local").browser_hosts == ()
    chosen = settings_for(tmp_path, browser_pool="http://a:1, http://b:2/", browser_secret=SECRET)
    assert chosen.browser_hosts == ("http://a:1", "http://b:2")


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
