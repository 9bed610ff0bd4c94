"""The Node side of the set-up: Node itself, the Playwright MCP server and the built web UI."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from scripts.python_packages import pip_install
from scripts.shell import ROOT, SetupError, run
from scripts.stamp import fingerprint, is_current, mark
from server.browser.chromium import executables as parts

WEB = ROOT / "web"
WIDGETS = ROOT / "tests" / "widgets"
ZOO = ROOT / "bench" / "zoo"
WEB_SOURCES = ("src", "public", "index.html", "package.json", "package-lock.json")
_WORKING_NPM = """#!/bin/sh
here=$(dirname "$0")
exec "$here/node" "$here/../lib/node_modules/npm/bin/npm-cli.js" "$@"
"""


def node() -> str:
    """Node and npm: the machine's own when new enough, else the copy that PyPI carries."""
    if not _has_own_npm():
        _fetch_node()
    found = parts.find_node()
    if found is None:
        raise SetupError(f"{parts.NODE_WHEEL} does not run here. Install Node.js 20.19 or newer and npm.")
    return str(found)


def _has_own_npm() -> bool:
    """Is there an npm, and is the Node that it runs on new enough?"""
    own = shutil.which("node")
    return own is not None and parts.find_node() == Path(own) and shutil.which("npm") is not None


def _fetch_node() -> None:
    folder = parts.FETCHED_NODE.parent
    if is_current(folder / ".stamp", parts.NODE_WHEEL):
        return
    shutil.rmtree(folder, ignore_errors=True)
    pip_install("--no-deps", "--target", folder, parts.NODE_WHEEL)
    # The npm in this wheel is a copy of what should be a link, and looks for its library in the wrong folder.
    (parts.FETCHED_NODE / "bin" / "npm").write_text(_WORKING_NPM)
    mark(folder / ".stamp", parts.NODE_WHEEL)


def npm_environment() -> dict[str, str]:
    """The environment in which `npm` is one that works, for itself and for the scripts it runs."""
    path = os.environ.get("PATH", os.defpath)
    return {} if _has_own_npm() else {"PATH": f"{parts.FETCHED_NODE / 'bin'}{os.pathsep}{path}"}


def _npm(*arguments: str, cwd: Path) -> None:
    run("/usr/bin/env", "npm", *arguments, cwd=cwd, env=npm_environment())


def playwright_mcp() -> str:
    """The pinned MCP server, in node_modules."""
    install_folder(ROOT)
    if parts.find_playwright_mcp() is None:
        raise SetupError(parts.NO_PLAYWRIGHT_MCP)
    return "node_modules/@playwright/mcp"


def web() -> str:
    """The web UI, built into web/dist from the sources that its stamp names."""
    configs = sorted([*WEB.glob("*.config.*"), *WEB.glob("tsconfig*.json")])
    sources = fingerprint(
        [*(WEB / name for name in WEB_SOURCES), ROOT / "wording/sentences", ROOT / "wording/web", *configs]
    )
    if not is_current(WEB / "dist" / ".stamp", sources):
        install_folder(WEB)
        _npm("run", "build", cwd=WEB)
        mark(WEB / "dist" / ".stamp", sources)
    return "web/dist"


def web_packages() -> str:
    """What the web UI's own tests need, also when the UI is built already."""
    install_folder(WEB)
    return "web/node_modules"


def test_widgets() -> str:
    """Other people's editors and fields, which tests of the browser act on."""
    install_folder(WIDGETS)
    return "tests/widgets/node_modules"


def zoo() -> str:
    """The widgets of `bench.zoo`, of which the tests use a part."""
    install_folder(ZOO)
    return "bench/zoo/node_modules"


def install_folder(folder: Path) -> None:
    """The packages of its lock file, unless they are there already."""
    stamp, lock = folder / "node_modules" / ".stamp", fingerprint([folder / "package-lock.json"])
    if not is_current(stamp, lock):
        _npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)
        mark(stamp, lock)
