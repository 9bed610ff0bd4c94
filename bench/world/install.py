"""Installs the programs and suites of the world, each into an environment of its own under `.cache/world`."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from scripts.node_packages import install_folder
from scripts.shell import ROOT, run
from scripts.stamp import fingerprint, is_current, mark

CACHE = ROOT / ".cache" / "world"
PACKAGES = Path(__file__).parent / "packages"


@dataclass(frozen=True)
class Place:
    """An environment: where its programs are."""

    bin: Path

    @property
    def packages(self) -> Path:
        """Of npm."""
        return self.bin.parent


def install(name: str) -> Place:
    """By the pins of `packages/NAME.txt` from PyPI, or of `packages/NAME/` from npm. Raises SetupError."""
    pins = PACKAGES / f"{name}.txt"
    return _from_pypi(CACHE / name, pins) if pins.exists() else _from_npm(CACHE / name, PACKAGES / name)


def _from_pypi(folder: Path, pins: Path) -> Place:
    stamp, sources = folder / ".stamp", fingerprint([pins], sys.version)
    if not is_current(stamp, sources):
        uv, python = _uv(), folder / "bin" / "python"
        run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder)
        run(uv, "pip", "install", "--quiet", "--no-deps", "--python", python, "--requirement", pins)
        mark(stamp, sources)
    return Place(folder / "bin")


def _from_npm(folder: Path, pins: Path) -> Place:
    shutil.copytree(pins, folder, dirs_exist_ok=True)
    install_folder(folder)
    return Place(folder / "node_modules" / ".bin")


def _uv() -> str:
    return shutil.which("uv") or str(Path(sys.executable).parent / "uv")
