"""The wheel: built from a copy of the checkout, installed where nothing of the checkout is seen, and used from there."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import httpx
import pytest

from scripts.shell import ROOT
from server.browser.chromium.executables import NODE_WHEEL
from tests.support.eventually import eventually
from tests.support.server import serving

SOURCES = (
    "pyproject.toml",
    "README.md",
    "setup.py",
    "requirements.in",
    "alembic.ini",
    "migrations",
    "pilothouse",
    "server",
    "cli",
    "wording",
)
INSIDE = ("server", "cli", "wording")
"""The packages that are inside of `pilothouse` in a wheel."""
MADE = ("node_modules", "web/dist")
"""What the set-up makes in a checkout, and the wheel holds as well."""
BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
IMPORT_ALL = """
import importlib, sys
import pilothouse
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    print(name, module.__file__)
"""

FIND_MCP = """
import pilothouse
from server.browser.chromium.executables import find_node, find_playwright_mcp
print(find_node(), find_playwright_mcp(), sep="\\n")
"""


def copy_checkout(target: Path, *names: str) -> Path:
    for name in names:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)
    return target


def build(source: Path, kind: str, target: Path) -> subprocess.CompletedProcess[str]:
    """`kind` is the hook of the build back end that pip calls: `build_wheel` or `build_editable`."""
    return subprocess.run(
        [sys.executable, "-c", BUILD, kind, str(target)],
        cwd=source, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    copy_checkout(source, *SOURCES, *MADE)
    old = source / "build" / "lib" / "pilothouse" / "server" / "bundle" / "web" / "dist" / "old.js"
    old.parent.mkdir(parents=True)
    old.write_text("of an earlier build")
    done = build(source, "build_wheel", target)
    assert done.returncode == 0, done.stderr
    (wheel,) = target.iterdir()
    return wheel


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and another's packages of the names of those inside it.

    It sees the libraries of this one, but not the checkout.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    install = ("install", "--no-deps", "--no-index", "--no-compile", "--quiet")
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    subprocess.run([*pip, *install, wheel], check=True, timeout=110)
    # The line of a .pth file adds a folder, and not the .pth files in it, such as that of an editable install.
    (packages_of(folder) / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    for name in INSIDE:
        foreign = packages_of(folder) / name / "__init__.py"
        foreign.parent.mkdir()
        foreign.write_text("raise ImportError('the package of another distribution')")
    return folder


def packages_of(environment: Path) -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))


def files_of(folder: Path) -> set[str]:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {
        name for name in names if not re.search(r"__pycache__|/\.bin/|\.stamp$|\.package-lock", f"/{name}")
    }


def test_every_file_of_the_program_is_in_it_and_nothing_else(wheel: Path) -> None:
    packages = {f"{name}/{file}" for name in INSIDE for file in files_of(ROOT / name)}
    made = {f"{name}/{file}" for name in ("migrations", *MADE) for file in files_of(ROOT / name)}
    expected = packages | {f"server/bundle/{name}" for name in made | {"alembic.ini"}}
    left_out = r"(server|cli|wording)/(?!bundle/).*\.md$|wording/web/"  # the words of pages are in the web UI's build
    expected = {name for name in expected if not re.match(left_out, name)}
    own = {f"pilothouse/{name}" for name in files_of(ROOT / "pilothouse")}
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert found == own | {f"pilothouse/{name}" for name in expected}


def test_it_describes_itself_and_brings_the_notices_of_the_packages_in_the_web_ui(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        described = archive.read(metadata).decode()
        notices = archive.read("pilothouse/server/bundle/web/dist/licenses.md").decode()
    assert "Description-Content-Type: text/markdown" in described
    assert "# Pilothouse" in described
    assert [name for name in ("react", "@base-ui/react", "marked") if f"## {name} - " not in notices] == []
    assert "Permission is hereby granted" in notices


@pytest.mark.timeout(400)
def test_every_module_can_be_imported_from_it(environment: Path, tmp_path: Path) -> None:
    files = [f"{name}/{file}" for name in INSIDE for file in files_of(ROOT / name)]
    files = [name for name in files if name.endswith(".py") and not name.endswith("__main__.py")]
    modules = sorted(name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files)
    ran = subprocess.run(
        [environment / "bin" / "python", "-c", IMPORT_ALL, *modules],
        cwd=tmp_path, env={}, capture_output=True, text=True, timeout=360, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    places = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
    assert list(places) == modules
    inside = str(packages_of(environment) / "pilothouse")
    assert [name for name, file in places.items() if not file.startswith(inside)] == []


def test_it_serves_the_web_ui_on_a_new_data_folder_and_stops(environment: Path, tmp_path: Path) -> None:
    misleading = tmp_path / "data" / "server" / "__main__.py"
    misleading.parent.mkdir(parents=True)
    misleading.write_text("raise SystemExit('not the server')")
    program = (str(environment / "bin" / "pilothouse"), "serve")
    with (
        serving(tmp_path / "data", program=program, pythonpath="") as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client,
    ):
        health = client.get("/api/health").json()
        page = client.get("/", headers={"accept": "text/html"})
        (script,) = re.findall(r'<script type="module"[^>]* src="(/assets/[^"]+)"', page.text)
        asset = client.get(script)
        sessions = client.get("/api/sessions", headers=server.headers)
        (tmp_path / ".env").write_text(f"PORT={server.port}\n")
        doctor = subprocess.run(
            [program[0], "doctor"],
            cwd=tmp_path, env={"AUTH_TOKEN": server.token}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert server.stop() == 0
    assert health == {"status": "ok", "version": importlib.metadata.version("pilothouse")}
    assert page.content == (ROOT / "web/dist/index.html").read_bytes().replace(b'"./', b'"/')
    assert asset.content == (ROOT / "web/dist" / script.lstrip("/")).read_bytes()
    assert sessions.json()["items"] == []
    assert (tmp_path / "data" / "pilothouse.db").is_file()
    assert re.search(rf"✓.*{re.escape(server.url)}", doctor.stdout), doctor.stdout + doctor.stderr


def test_its_mcp_server_runs(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = subprocess.run(
        [environment / "bin" / "python", "-c", FIND_MCP],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    node, script = found.stdout.splitlines()
    assert script.startswith(str(packages_of(environment)))
    ran = subprocess.run([node, script, "--version"], capture_output=True, text=True, timeout=60, check=True)
    wanted = json.loads((ROOT / "package.json").read_text())["dependencies"]["@playwright/mcp"]
    assert ran.stdout.strip() == f"Version {wanted}"


async def test_it_says_how_to_get_node_and_chromium(environment: Path, tmp_path: Path) -> None:
    program = (str(environment / "bin" / "pilothouse"), "serve")
    bare = {"path": str(tmp_path), "home": str(tmp_path), "playwright_browsers_path": "", "pythonpath": ""}
    with serving(tmp_path / "data", program=program, agent_mode="real", **bare) as server:
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            ready = await client.get(f"{server.api}/ready")
        await eventually(
            lambda: server.log.read_text(),
            lambda log: NODE_WHEEL in log,
            message="the log says how to get Node",
        )
    assert ready.status_code == 503
    for place in (ready.json()["detail"], server.log.read_text()):
        assert "sudo apt install chromium" in place
        assert f"{environment}/bin/uvx playwright install --no-shell chromium" in place
        assert f"uv pip install --python {environment}/bin/python {NODE_WHEEL}" in place
        assert "make setup" not in place


def test_one_without_the_web_ui_is_not_built(tmp_path: Path) -> None:
    source = copy_checkout(tmp_path, *SOURCES)
    done = build(source, "build_wheel", tmp_path)
    assert done.returncode != 0
    assert (
        "node_modules and web/dist would be missing in the wheel: build it with `make wheel`" in done.stderr
    )
    assert list(tmp_path.glob("*.whl")) == []


def test_an_editable_install_needs_nothing_that_is_built(tmp_path: Path) -> None:
    done = build(copy_checkout(tmp_path, *SOURCES), "build_editable", tmp_path)
    assert done.returncode == 0, done.stderr
