"""One batch of streams: what came when, and what it cost. Pure but for /proc."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.stream.provider import STAMP

TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class StreamTimes:
    """One answer as its reader saw it; seconds."""

    asked: float = field(default_factory=time.time)
    first: float = 0.0
    first_sent: float = 0.0
    ended: float = 0.0
    tokens: int = 0
    late: list[float] = field(default_factory=list)
    failed: bool = False
    tail: str = ""

    def add(self, text: str) -> None:
        """A piece of the answer; a stamp may be cut in two."""
        now = time.time()
        text = self.tail + text
        end = text.rfind(" ") + 1
        self.tail = text[end:]
        for stamp in STAMP.findall(text[:end]):
            if not self.tokens:
                self.first, self.first_sent = now, float(stamp)
            self.tokens += 1
            self.late.append(now - float(stamp))

    def end(self, *, failed: bool = False) -> None:
        self.ended, self.failed = time.time(), failed or not self.tokens


@dataclass
class Batch:
    """Streams that ran side by side, and the CPU seconds of the process between provider and reader."""

    streams: list[StreamTimes]
    cpu: float

    @property
    def tokens(self) -> int:
        return sum(stream.tokens for stream in self.streams)

    @property
    def seconds(self) -> float:
        return max(s.ended for s in self.streams) - min(s.asked for s in self.streams)

    @property
    def cpu_per_1000(self) -> float:
        return self.cpu / max(self.tokens, 1) * 1000

    @property
    def first_token(self) -> float:
        """Median seconds from asking to the first token in hand."""
        return statistics.median(stream.first - stream.asked for stream in self.streams)

    @property
    def failures(self) -> int:
        return sum(stream.failed for stream in self.streams)

    def late(self, share: float) -> float:
        """The lateness that `share` of all tokens stay under."""
        late = sorted(second for stream in self.streams for second in stream.late)
        return late[min(int(len(late) * share), len(late) - 1)] if late else float("nan")

    def as_json(self) -> dict[str, Any]:
        return {"cpu": self.cpu, "streams": [asdict(stream) for stream in self.streams]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Batch:
        return cls([StreamTimes(**stream) for stream in data["streams"]], data["cpu"])


def cpu_of(pid: int) -> float:
    """CPU seconds of a process and its threads so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_of(pid: int) -> float:
    """Megabytes that a process has for itself, its part of shared pages included (PSS)."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def tree_of(pid: int) -> list[int]:
    """A process and everything below it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def memory_of_tree(pid: int) -> float:
    total = 0.0
    for one in tree_of(pid):
        try:
            total += memory_of(one)
        except OSError:
            continue
    return total
