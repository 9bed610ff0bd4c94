"""Programs that are neither Python nor Node packages: Chromium, browser-use, PostgreSQL, Redis, Xvfb."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from scripts import apt
from scripts.python_packages import VENV
from scripts.shell import ROOT, SetupError, run
from scripts.stamp import fingerprint, is_current, mark
from server.browser.chromium import executables as parts
from server.extras.tools.packages import BROWSER_USE_PACKAGE, BROWSER_USE_PACKAGES, IN_BROWSER_USE

_DEBIAN_CHROMIUM = ("chromium", "chromium-sandbox", "fonts-liberation")
_PLAYWRIGHT = ROOT / "node_modules" / "playwright" / "cli.js"


def setting(name: str, env_file: Path = ROOT / ".env") -> str | None:
    """A setting as the server will read it: from the environment, else from .env."""
    if name in os.environ:
        return os.environ[name] or None
    lines = env_file.read_text().splitlines() if env_file.is_file() else []
    values = [line.partition("=")[2].strip().strip("'\"") for line in lines if line.startswith(f"{name}=")]
    return values[-1] or None if values else None


def chromium() -> str:
    """One that is there, else Debian's, else the one that Playwright downloads."""
    found = _find_chromium()
    if found is None and apt.install(*_DEBIAN_CHROMIUM):
        found = _find_chromium()
    if found is None:
        found = _download_chromium()
    return str(found)


def _find_chromium() -> Path | None:
    chosen = setting("BROWSER_EXECUTABLE")
    found = parts.find_chromium(Path(chosen) if chosen else None)
    if chosen and found is None:
        raise SetupError(f"BROWSER_EXECUTABLE is {chosen}, which is no program.")
    return found


def _download_chromium() -> Path:
    node = parts.find_node()
    advice = "Install one (on Debian: sudo apt install chromium), or set BROWSER_EXECUTABLE."
    if node is None:
        raise SetupError(f"No Chromium found. {advice}")
    try:
        run(node, _PLAYWRIGHT, "install", "--no-shell", "chromium")
        found = _find_chromium()
        run(found or "chromium", "--version")
    except SetupError as error:
        reason = "No Chromium found, and Playwright's does not come or start."
        raise SetupError(f"{reason} {advice}\n{error}") from error
    assert found is not None
    return found


def headless_shell() -> str:
    """The Chromium without a window, in which the tests see the web UI: a page costs a third of the CPU time."""
    if not shutil.which("chromium-headless-shell"):
        apt.install("chromium-headless-shell")
    return shutil.which("chromium-headless-shell") or "not to be had; the tests take Chromium itself"


def browser_use() -> str:
    """The browser-use MCP server's own environment, in uv's cache, so that its first start is quick."""
    stamp = VENV / ".stamp-browser-use"
    pinned = fingerprint([BROWSER_USE_PACKAGES], note=BROWSER_USE_PACKAGE)
    if not is_current(stamp, pinned):
        run(VENV / "bin" / "uvx", *IN_BROWSER_USE, "python", "-c", "import browser_use")
        mark(stamp, pinned)
    return BROWSER_USE_PACKAGE


def postgres() -> str:
    """PostgreSQL's programs for the tests, which start a cluster of their own."""
    if find_postgres() is None and not apt.install("postgresql"):
        raise SetupError("The tests need PostgreSQL. Run: sudo apt install postgresql")
    return str(find_postgres())


def redis() -> str:
    """Redis for the tests, which start a server of their own; the one of Debian's service is not used."""
    if find_redis() is None and not apt.install("redis-server"):
        raise SetupError("The tests need Redis. Run: sudo apt install redis-server")
    return str(find_redis())


def curl() -> str:
    """For scripts/curl_e2e.sh, whose point is that none of our code talks to the server."""
    if not shutil.which("curl") and not apt.install("curl"):
        raise SetupError("The tests need curl. Run: sudo apt install curl")
    return str(shutil.which("curl"))


def strace() -> str:
    """For the tests that watch when the server syncs its files."""
    if not shutil.which("strace") and not apt.install("strace"):
        raise SetupError("The tests need strace. Run: sudo apt install strace")
    return str(shutil.which("strace"))


def xvfb() -> str:
    """An X display without a screen, for tests of browsers with a window."""
    if not shutil.which("Xvfb") and not apt.install("xvfb"):
        raise SetupError("The tests need Xvfb. Run: sudo apt install xvfb")
    return str(shutil.which("Xvfb"))


def find_postgres() -> Path | None:
    """The folder with initdb and postgres: Debian's newest, which is not on PATH, else the one on PATH."""
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda initdb: float(initdb.parts[-3]), default=None) or shutil.which("initdb")
    return Path(newest).parent if newest else None


def find_redis() -> Path | None:
    """Redis or Valkey, which speaks the same protocol."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    return Path(found) if found else None
