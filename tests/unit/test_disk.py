"""What takes room on disk has limits, and what belongs to nothing is removed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.profiles import Profiles
from server.browser.pool import BrowserPool
from server.files.screenshots import QUOTA_BYTES, Screenshots
from server.files.sweeper import YOUNG_SECONDS, Sweeper
from server.fs.disk import network_file_system, shortage, size_of
from server.runtime import Runtime
from server.settings import Settings
from tests.support.chat import ask, new_session, read_stream, send

HUGE = 10**12
"""MB: more than any disk has."""


@pytest.fixture
async def runtime(app: FastAPI) -> Runtime:
    """The world of the app that `client` speaks with."""
    runtime: Runtime = await app.state.starting.runtime()
    return runtime


def settings_at(folder: Path, **changes: Any) -> Settings:
    return Settings(_env_file=None, data_dir=folder, **changes)


def write(path: Path, size: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(size))
    return path


def test_the_size_of_a_folder_is_what_its_files_take(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "file", 1_000_000)
    write(tmp_path / "c", 500_000)
    (tmp_path / "link").symlink_to("/usr")
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(10**9)
    assert 1_500_000 <= size_of(tmp_path) < 1_600_000
    assert size_of(tmp_path / "none") == 0


def test_a_shortage_is_told_in_words(tmp_path: Path) -> None:
    assert shortage(tmp_path, 0) is None
    assert shortage(tmp_path, 1) is None
    words = shortage(tmp_path, HUGE)
    assert words is not None
    assert "MIN_FREE_DISK" in words
    assert "cannot be read" in (shortage(tmp_path / "none", 1) or "")


async def test_ready_says_that_the_disk_has_too_little_room(world: Runtime) -> None:
    assert await world.problem() is None
    world.settings = world.settings.model_copy(update={"min_free_disk": HUGE})
    assert "MIN_FREE_DISK" in (await world.problem() or "")


async def test_no_browser_is_started_without_room(tmp_path: Path) -> None:
    pool = BrowserPool(settings_at(tmp_path, min_free_disk=HUGE))
    try:
        with pytest.raises(BrowserUnavailable, match="MIN_FREE_DISK"):
            await (await pool.get("a")).open()
        assert pool.peek("a") is None
    finally:
        await pool.aclose()


async def test_a_profile_that_is_too_large_loses_what_can_be_loaded_again_first(tmp_path: Path) -> None:
    profiles = Profiles(settings_at(tmp_path))
    profile = await profiles.open("a")
    cookies = write(profile / "Default" / "Cookies", 1000)
    stored = [
        write(profile / "Default" / "IndexedDB" / "x" / "1", 1_500_000),
        write(profile / "Default" / "WebStorage" / "1" / "CacheStorage" / "1", 1_000_000),
        write(profile / "Default" / "Code Cache" / "js" / "1", 1_000_000),
    ]
    assert await profiles.trim("a", 10) is None
    assert all(path.exists() for path in stored)
    assert "cookies were kept" in (await profiles.trim("a", 2) or "")
    assert cookies.exists()
    assert not any(path.exists() for path in stored)
    write(profile / "Default" / "Local Storage" / "1", 3_000_000)
    assert "logins" in (await profiles.trim("a", 2) or "")
    assert not profile.exists()


async def leave_cookie(profiles: Profiles, session_id: str, cookie: str) -> None:
    profile = await profiles.open(session_id)
    write(profile / "Default" / cookie)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


async def test_a_purged_session_gives_nothing_to_the_shared_profile(tmp_path: Path) -> None:
    profiles = Profiles(settings_at(tmp_path, browser_profile="shared"))
    await leave_cookie(profiles, "a", "of a")
    await profiles.close("a", limit=10)
    await leave_cookie(profiles, "b", "of b")
    await profiles.close("b", limit=10, purge=True)
    await profiles.purge("b")
    assert names(tmp_path / "profiles" / ".common") == {"of a"}
    assert not (tmp_path / "profiles" / "b").exists()


async def test_the_shared_profile_goes_with_the_last_session(tmp_path: Path) -> None:
    profiles = Profiles(settings_at(tmp_path, browser_profile="shared"))
    for session_id in ("a", "b"):
        await leave_cookie(profiles, session_id, f"of {session_id}")
        await profiles.close(session_id, limit=10)
    (tmp_path / "profiles" / ".shared").mkdir()
    await profiles.purge("a")
    assert names(tmp_path / "profiles" / ".common") == {"of a", "of b"}
    await profiles.purge("b")
    assert names(tmp_path / "profiles") == set()
    assert not (tmp_path / "profiles" / ".common").exists()


async def test_a_copy_that_a_kill_left_unfinished_does_not_keep_the_shared_profile(tmp_path: Path) -> None:
    folder = tmp_path / "profiles"
    profiles = Profiles(settings_at(tmp_path, browser_profile="shared"))
    await leave_cookie(profiles, "a", "of a")
    await profiles.close("a", limit=10)
    write(folder / "b.new" / "Default" / "of a")  # the copy of the common profile with which b was to start
    write(folder / "c.old" / "Default" / "of c")  # the profile of c, whose next start takes it back
    await profiles.purge("a")
    assert names(folder / ".common") == {"of a"}
    await profiles.purge("c")
    assert names(folder) == set()


async def test_what_a_page_stored_in_one_session_does_not_fill_the_shared_profile(tmp_path: Path) -> None:
    profiles = Profiles(settings_at(tmp_path, browser_profile="shared"))
    await leave_cookie(profiles, "a", "of a")
    write(tmp_path / "profiles" / "a" / "Default" / "IndexedDB" / "1", 2_000_000)
    await profiles.close("a", limit=1)
    assert names(tmp_path / "profiles" / ".common") == {"of a"}
    await leave_cookie(profiles, "b", "of b")
    write(tmp_path / "profiles" / "b" / "Default" / "Local Storage" / "1", 2_000_000)
    await profiles.close("b", limit=1)  # it has no cookies any more
    assert names(tmp_path / "profiles" / ".common") == {"of a"}


async def test_open_tabs_stay_in_their_session(tmp_path: Path) -> None:
    profiles = Profiles(settings_at(tmp_path, browser_profile="shared"))
    tabs = write((await profiles.open("a")) / "Default" / "Sessions" / "Tabs_1")
    await profiles.close("a", limit=10)
    write(tmp_path / "profiles" / ".common" / "Default" / "Sessions" / "Tabs_1")  # of an earlier version
    await profiles.open("b")
    assert names(tmp_path / "profiles" / "b") == set()
    await profiles.renew("a")
    assert tabs.exists()


@pytest.mark.parametrize("kept", ["a", ".common"])
async def test_a_kill_while_a_profile_is_replaced_loses_no_login_and_leaves_nothing_behind(
    tmp_path: Path, kept: str
) -> None:
    folder = tmp_path / "profiles"
    write(folder / f"{kept}.old" / "Default" / "Cookies")  # moved aside; its copy is complete
    write(folder / f"{kept}.new" / "Default" / "Cookies")
    profiles = Profiles(settings_at(tmp_path, browser_profile="shared"))
    assert names(await profiles.open("a")) == {"Cookies"}
    write(folder / f"{kept}.old" / "Default" / "Cookies")
    await profiles.purge("a")
    assert names(folder) == set()


async def test_pictures_of_a_session_have_a_quota(tmp_path: Path) -> None:
    screenshots = Screenshots(tmp_path, "/pictures")
    (tmp_path / "a").mkdir()
    with (tmp_path / "a" / "many.jpg").open("wb") as many:
        many.truncate(QUOTA_BYTES - 1000)
    await screenshots.keep("a", b"x" * 1000, "image/jpeg")
    with pytest.raises(OSError, match="quota"):
        await screenshots.keep("a", b"y", "image/jpeg")
    assert await screenshots.keep("a", b"x" * 1000, "image/jpeg")  # it is there already
    assert await screenshots.keep("b", b"y", "image/jpeg")
    assert not any(name.endswith(".part") for name in names(tmp_path))


async def test_a_run_goes_on_without_its_pictures_when_the_quota_is_reached(
    client: httpx.AsyncClient, runtime: Runtime
) -> None:
    session_id = await new_session(client)
    folder = runtime.settings.screenshots / session_id
    folder.mkdir(parents=True)
    with (folder / "many.jpg").open("wb") as many:
        many.truncate(QUOTA_BYTES)
    await send(client, session_id, "steps please")
    await read_stream(client, session_id)
    messages = (await client.get(f"/api/sessions/{session_id}")).json()["messages"]
    assert messages[-1]["role"] == "assistant"
    assert [path.name for path in folder.iterdir()] == ["many.jpg"]


def age(path: Path, seconds: float) -> Path:
    os.utime(path, (time.time() - seconds, time.time() - seconds))
    return path


async def test_the_sweep_removes_what_belongs_to_no_session_and_nothing_else(
    client: httpx.AsyncClient, runtime: Runtime
) -> None:
    session_id, events = await ask(client, "steps please", max_tool_steps=1)
    (await client.patch(f"/api/sessions/{session_id}", json={"pinned": True})).raise_for_status()
    address = next(event["screenshot"] for event in events if event.get("screenshot"))
    settings = runtime.settings
    named = age(settings.screenshots / session_id / address.rpartition("/")[2], 10 * YOUNG_SECONDS)
    kept = [
        named,
        write(settings.screenshots / session_id / ("a" * 40 + ".jpg")),  # young: its message may be to come
        write(settings.downloads_dir / session_id / "report.pdf"),
        write(settings.profiles / session_id / "Default" / "Cookies"),
        write(settings.profiles / ".common" / "Default" / "Cookies"),
        write(settings.profiles / "other.new" / "being copied"),
        write(settings.profiles / f"{session_id}.old" / "moved aside"),
    ]
    unused = [
        age(write(settings.screenshots / session_id / ("b" * 40 + ".jpg")), 2 * YOUNG_SECONDS),
        age(write(settings.screenshots / session_id / ("c" * 40 + ".part")), 2 * YOUNG_SECONDS),
        write(settings.screenshots / "gone" / ("d" * 40 + ".jpg")),
        write(settings.downloads_dir / "gone" / "given" / "notes.txt"),
        write(settings.profiles / "gone" / "Default" / "Cookies"),
        write(settings.profiles / "gone.new" / "Default" / "Cookies"),
        write(settings.private_dir / "gone" / "private_sites.json"),
    ]
    kept.append(write(settings.private_dir / session_id / "private_sites.json"))
    for folder in (settings.screenshots, settings.downloads_dir, settings.profiles, settings.private_dir):
        age(folder / "gone", 2 * YOUNG_SECONDS)
        age(folder / session_id, 2 * YOUNG_SECONDS)
    age(settings.profiles / "gone.new", 2 * YOUNG_SECONDS)
    age(settings.profiles / f"{session_id}.old", 2 * YOUNG_SECONDS)
    kept.append(write(settings.screenshots / "young" / ("e" * 40 + ".jpg")))  # of a branch that is being made
    sweeper = Sweeper(settings, runtime.store, runtime.screenshots)
    assert await sweeper.sweep() == 7
    assert all(path.exists() for path in kept), kept
    assert not any(path.exists() for path in unused), unused
    assert await sweeper.sweep() == 0


async def test_a_picture_that_only_a_question_or_a_branch_names_is_kept(
    client: httpx.AsyncClient, runtime: Runtime
) -> None:
    session_id, events = await ask(client, "steps please", max_tool_steps=1)
    address = next(event["screenshot"] for event in events if event.get("screenshot"))
    picture = age(runtime.settings.screenshots / session_id / address.rpartition("/")[2], 2 * YOUNG_SECONDS)
    last = (await client.get(f"/api/sessions/{session_id}")).json()["messages"][-1]["id"]
    await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": last})
    assert await Sweeper(runtime.settings, runtime.store, runtime.screenshots).sweep() == 0
    assert picture.exists()


MOUNT_TABLE = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 27 0:40 / /home/me rw - nfs4 nas:/home rw,vers=4.2
41 27 0:41 / /home/me/my\\040data rw shared:1 - ext4 /dev/vdb rw
42 27 0:42 / /srv/share rw - cifs //nas/share rw
43 27 0:43 / /mnt/layers rw - fuse.fuse-overlayfs layers rw
odd
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/pilot/.data", "nfs4"),
        ("/home/me", "nfs4"),
        ("/home/me/my data/pilot", None),
        ("/home/meadow", None),
        ("/srv/share/x", "cifs"),
        ("/mnt/layers/x", None),
        ("/", None),
    ],
)
def test_a_folder_on_a_network_file_system_is_known(tmp_path: Path, folder: str, kind: str | None) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNT_TABLE)
    assert network_file_system(Path(folder), table) == kind
    assert network_file_system(Path(folder), tmp_path / "none") is None
