"""The wheel: built from a copy of the sources, installed where nothing of the checkout is seen, and used from there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from scripts.shell import ROOT
from tests.support.ports import free_port

SOURCES = ("pyproject.toml", "requirements.in", "README.md", "server", "cli")
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    print(name, module.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `pip install` put the packages into."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    ignore = shutil.ignore_patterns("__pycache__")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=ignore)
        else:
            shutil.copy(ROOT / name, source)
    install = ("pip", "install", "--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target")
    subprocess.run([sys.executable, "-m", *install, target, source], check=True, timeout=110)
    return target


def environment(installed: Path) -> dict[str, str]:
    """Only the wheel and the libraries are found, no checkout."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"}


def files_of(folder: Path) -> set[str]:
    found = (path for name in ("server", "cli") for path in (folder / name).rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix() for path in found if "__pycache__" not in path.parts}
    return {name for name in names if not name.endswith(".md")}


def test_every_file_of_the_packages_is_in_it(installed: Path) -> None:
    assert files_of(installed) == files_of(ROOT)
    assert sorted(path.name for path in installed.iterdir() if "dist-info" not in path.name) == [
        "bin",
        "cli",
        "server",
    ]


def test_every_module_can_be_imported_from_it(installed: Path, tmp_path: Path) -> None:
    files = [name for name in files_of(ROOT) if name.endswith(".py") and not name.endswith("__main__.py")]
    modules = sorted(name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files)
    ran = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *modules],
        cwd=tmp_path, env=environment(installed), capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    places = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
    assert list(places) == modules
    assert [name for name, file in places.items() if not file.startswith(str(installed))] == []


def test_the_server_says_what_it_misses_beside_the_wheel(installed: Path, tmp_path: Path) -> None:
    port = free_port()
    ours = {
        "PORT": str(port),
        "AGENT_MODE": "mock",
        "AUTH_TOKEN": "wheel",
        "DATA_DIR": str(tmp_path / "data"),
    }
    log = tmp_path / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "server"],
            cwd=tmp_path, env=environment(installed) | ours, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            transport=httpx.HTTPTransport(retries=8),
            timeout=60,
            trust_env=False,
        ) as client:
            page = client.get("/", headers={"accept": "text/html"})
            answer = client.get("/api/sessions", headers={"authorization": "Bearer wheel"})
    finally:
        process.terminate()
        code = process.wait(60)
    assert code == 0
    assert page.status_code == 503
    assert "The web UI is not here" in page.text
    assert answer.status_code == 503
    assert "migrations are not here" in answer.json()["detail"]
    told = log.read_text()
    assert "web/dist" in told
    assert "alembic.ini" in told
