"""What the built UI weighs on the wire, in kilobytes of gzip."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from scripts.shell import ROOT

DIST = ROOT / "web/dist"
_ENTRY = re.compile(r'<script type="module"[^>]*src="\.?/assets/([^"]+)"')
_IMPORT = re.compile(r'(?:from|import)\s*"\./([^"]+\.js)"')


@dataclass(frozen=True)
class Weight:
    initial: float
    """The entry and everything it imports before anything is shown."""
    largest_lazy: float
    style: float


def weigh(dist: Path = DIST) -> Weight:
    assets = dist / "assets"
    initial = _closure(assets, _ENTRY.findall((dist / "index.html").read_text()))
    lazy = [_kilobytes(file) for file in assets.glob("*.js") if file.name not in initial]
    return Weight(
        initial=sum(_kilobytes(assets / name) for name in initial),
        largest_lazy=max(lazy),
        style=sum(_kilobytes(file) for file in assets.glob("*.css")),
    )


def _closure(assets: Path, names: list[str]) -> set[str]:
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names += _IMPORT.findall((assets / name).read_text())
    return found


def _kilobytes(file: Path) -> float:
    return file.with_name(f"{file.name}.gz").stat().st_size / 1000
