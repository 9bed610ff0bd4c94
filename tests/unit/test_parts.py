"""The programs that drive a browser are found where they are, and only when they fit."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from server.browser.chromium import executables as parts
from server.browser.pool import BrowserPool
from tests.support.browsers import settings_for


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing on PATH but what a test puts there, and no browsers of Playwright."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))


def test_a_chosen_executable_wins(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "chromium", "")
    chosen = program(tmp_path / "my-chrome", "")
    assert parts.find_chromium(chosen) == chosen


def test_a_chosen_executable_that_is_missing_is_not_replaced_by_another(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "chromium", "")
    assert parts.find_chromium(tmp_path / "nowhere") is None


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_the_systems_chromium_is_found_under_its_names(tmp_path: Path, name: str) -> None:
    assert parts.find_chromium() is None
    installed = program(tmp_path / "bin" / name, "")
    assert parts.find_chromium() == installed


def test_the_newest_of_playwrights_chromiums_is_found(tmp_path: Path) -> None:
    builds = [
        program(tmp_path / "browsers" / f"chromium-{revision}" / "chrome-linux64" / "chrome", "")
        for revision in (999, 1247, 1100)
    ]
    assert parts.find_chromium() == builds[1]


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("v18.20.4", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.3", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.19.0", True),
        ("nonsense", False),
    ],
)
def test_a_node_is_taken_only_when_all_our_packages_run_on_it(
    tmp_path: Path, version: str, fits: bool
) -> None:
    own = program(tmp_path / "bin" / "node", f"echo {version}")
    assert (parts.find_node() == own) is fits


def test_a_node_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    own = program(tmp_path / "bin" / "node", "exit 1")
    assert parts.find_node() != own


def test_a_node_is_asked_once_what_it_is_and_again_when_its_file_has_changed(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    own = program(tmp_path / "bin" / "node", f"echo once >> {asked}; echo v22.12.0")
    assert [parts.find_node() for _ in range(3)] == [own] * 3
    assert asked.read_text() == "once\n"
    program(own, f"echo again >> {asked}; echo v18.20.4")
    os.utime(own, ns=(0, own.stat().st_mtime_ns + 1))
    assert parts.find_node() != own
    assert asked.read_text() == "once\nagain\n"


def test_uvx_is_the_one_beside_the_running_python() -> None:
    assert parts.find_uvx() == Path(sys.prefix) / "bin" / "uvx"


async def test_all_that_a_browser_lacks_is_listed_at_once(tmp_path: Path) -> None:
    pool = BrowserPool(settings_for(tmp_path))
    missing = await pool.missing_programs()
    assert missing[0] == parts.NO_CHROMIUM
    assert await pool.ready() == " ".join(missing)
    await pool.aclose()


def test_every_missing_part_says_what_to_do() -> None:
    advice = (parts.NO_CHROMIUM, parts.NO_NODE, parts.NO_PLAYWRIGHT_MCP, parts.NO_UVX)
    assert all("make setup" in text for text in advice)
