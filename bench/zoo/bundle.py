"""Installs the packages of the zoo and bundles its React pages."""

from __future__ import annotations

import subprocess
from pathlib import Path

from scripts.node_packages import ZOO, install_folder
from scripts.shell import ROOT


def bundle(folder: Path) -> None:
    """Bundle the sources into `folder`, as modules that a page loads."""
    install_folder(ZOO)
    sources = sorted(map(str, (ZOO / "src").glob("*.jsx")))
    tool = ROOT / "web" / "node_modules" / ".bin" / "rolldown"
    options = ["--dir", folder, "--format", "esm", "--platform", "browser", "--transform.define", "process.env.NODE_ENV:'production'"]  # fmt: skip
    subprocess.run([tool, *sources, *options], cwd=ZOO, check=True, capture_output=True)
