"""Who a server is: the same after a restart, in a new container too, and never the same as another that lives."""

from __future__ import annotations

import shutil
from pathlib import Path

from server.ops.installation import LOCK_FILE, owned_installation
from server.runtime import Runtime
from server.store import Store, is_gone, process_name


def test_a_data_folder_has_one_name_and_one_holder(tmp_path: Path) -> None:
    with (
        owned_installation(tmp_path) as first,
        owned_installation(tmp_path) as second,
        owned_installation(tmp_path) as third,
    ):
        assert len({first, second, third}) == 3
    with owned_installation(tmp_path) as again:
        assert again == first


def test_a_copy_of_the_folder_is_another_installation(tmp_path: Path) -> None:
    here, copy = tmp_path / "here", tmp_path / "copy"
    here.mkdir()
    copy.mkdir()
    with owned_installation(here) as name:
        shutil.copy(here / LOCK_FILE, copy / LOCK_FILE)
        with owned_installation(copy) as other:
            assert other != name


def test_only_earlier_processes_of_the_same_installation_are_known_to_be_gone() -> None:
    me = process_name("home")
    assert is_gone(process_name("home"), me)
    for owner in (me, process_name("elsewhere"), process_name(), None):
        assert not is_gone(owner, me)
    assert not is_gone(process_name(), process_name()), "two without an installation"


async def test_two_live_servers_never_end_each_others_runs(world: Runtime, tmp_path: Path) -> None:
    """A second one on the same data folder, and one on another machine."""
    session = await world.store.create_session(
        id=None, title=None, agent="operator", model="m", max_tool_steps=1
    )
    begun = await world.store.begin_execution((await world.store.accept(session.id, "go")).run.id)
    assert begun
    with owned_installation(world.settings.data_dir) as second:
        for other in (second, "elsewhere"):
            assert await Store(world.database, process_name(other)).orphaned_runs() == []
