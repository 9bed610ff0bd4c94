"""How much memory a browser's processes use. Knows Linux; elsewhere everything weighs nothing."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Weight:
    """Of one process group, in bytes that only it uses."""

    total: int = 0
    renderers: dict[int, int] = field(default_factory=dict)
    """Process ids of the processes that run pages."""

    @property
    def heaviest(self) -> int | None:
        return max(self.renderers, key=self.renderers.__getitem__, default=None)


def weigh(groups: Collection[int]) -> dict[int, Weight]:
    """Each group's weight. Reads all of /proc once; takes some milliseconds."""
    weights = {group: Weight() for group in groups}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            group = int((folder / "stat").read_text().rpartition(") ")[2].split()[2])
            if group not in weights:
                continue
            _, resident, shared = (folder / "statm").read_text().split()[:3]
            is_renderer = b"--type=renderer" in (folder / "cmdline").read_bytes()
        except (OSError, ValueError, IndexError):
            continue  # it has just ended
        size = (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
        weights[group].total += size
        if is_renderer:
            weights[group].renderers[int(folder.name)] = size
    return weights
