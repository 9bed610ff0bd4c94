"""Measures and limits the memory of browsers. Linux only: elsewhere all sizes are 0."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from server.browser.chromium.running import LimitedBrowser
from wording.catalogue import sentence

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Weight:
    """Memory of one process group in bytes, without shared pages."""

    total: int = 0
    renderers: dict[int, int] = field(default_factory=dict)
    """Bytes by process id, of the processes that run pages."""

    @property
    def heaviest(self) -> int | None:
        return max(self.renderers, key=self.renderers.__getitem__, default=None)


def weigh(groups: Collection[int]) -> dict[int, Weight]:
    """Return the memory use of each process group. Reads all of /proc once; takes some milliseconds."""
    weights = {group: Weight() for group in groups}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            group = int((folder / "stat").read_text().rpartition(") ")[2].split()[2])
            if group not in weights:
                continue
            _, resident, shared = (folder / "statm").read_text().split()[:3]
            is_renderer = b"--type=renderer" in (folder / "cmdline").read_bytes()
        except (OSError, ValueError, IndexError):
            continue  # the process has just ended
        size = (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
        weights[group].total += size
        if is_renderer:
            weights[group].renderers[int(folder.name)] = size
    return weights


async def end_heavy_pages(browsers: Iterable[LimitedBrowser], limit: int) -> None:
    """Kill the heaviest page process of each browser that uses more than `limit` MB, and no other.

    Chromium keeps the documents of earlier pages until its next garbage collection, so that is asked for first.
    """
    running = {browser.chromium.pid: browser for browser in browsers if browser.chromium}
    heavy = await _heavier_than(limit, running)
    if heavy:
        await asyncio.gather(*(running[group].collect_garbage() for group in heavy))
        heavy = await _heavier_than(limit, heavy)
    for group, weight in heavy.items():
        if heaviest := weight.heaviest:
            log.warning("a browser uses %d MB; its heaviest page is ended", weight.total // 1_000_000)
            running[group].note(sentence("note.memory", n=limit))
            with suppress(ProcessLookupError):
                os.kill(heaviest, signal.SIGKILL)


async def _heavier_than(limit: int, groups: Collection[int]) -> dict[int, Weight]:
    weights = await asyncio.to_thread(weigh, groups) if groups else {}
    return {group: weight for group, weight in weights.items() if weight.total > limit * 1_000_000}
