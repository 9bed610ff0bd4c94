"""Browsers on a host: what holds on this machine holds there, and what only a host has. The programs are real, not Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.cdp import CdpError
from server.browser.chromium.reach import Reach
from server.errors import NotFound
from server.extras.hosts.chromiums import HostChromiums
from server.extras.hosts.protocol import Rules
from tests.support.browsers import settings_for
from tests.support.chromiums import REACH, ContractOfChromiums, Place, start, starts_in
from tests.support.eventually import eventually
from tests.support.hosted import SECRET, Epochs, RunningHost, running_host, user_of


class TestHostChromiums(ContractOfChromiums):
    @pytest.fixture
    async def place(self, tmp_path: Path) -> AsyncIterator[Place]:
        async with running_host(tmp_path / "host") as host:
            chromiums = user_of(tmp_path / "user", host.url, epochs=Epochs())
            yield Place(chromiums, tmp_path / "host")
            await chromiums.aclose()


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


async def test_no_browser_is_started_for_a_session_that_the_database_refuses(
    tmp_path: Path, host: RunningHost
) -> None:
    class Refusing(Epochs):
        async def next(self, session_id: str) -> tuple[int, str | None]:
            raise NotFound("no such session")

    user = user_of(tmp_path / "user", host.url, epochs=Refusing())
    with pytest.raises(BrowserUnavailable, match="no such session"):
        await start(user)
    await user.aclose()


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
