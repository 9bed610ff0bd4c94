"""The printed tables: each task, each kind, and the totals with their targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from bench.task.request_parts import PARTS

ROW = "{:31}{:10}{:>8}{:>6}{:>7}{:>10}{:>9}{:>9}  {}"
HEADS = ("task", "agent", "success", "acts", "calls", "tok/call", "tok/act", "s/act", "")
PARTS_ROW = "{:31}{:10}{:>6}{:>7}" + "{:>9}" * len(PARTS) + "{:>9}"
PARTS_HEADS = ("task", "agent", "acts", "calls", *PARTS, "all")
OURS, STOCK = "operator", "stock"


@dataclass(frozen=True, slots=True)
class Measured:
    task: str
    kind: str
    agent: str
    is_right: bool
    acts: int
    parts: list[dict[str, int]]
    """Tokens of each request, by part."""
    seconds: float
    why: str = ""
    """Why the result is wrong."""

    @property
    def tokens(self) -> list[int]:
        return [sum(parts.values()) for parts in self.parts]

    def parts_row(self) -> str:
        """Tokens of all calls of the task, by part."""
        sums = [sum(parts[name] for parts in self.parts) for name in PARTS]
        return PARTS_ROW.format(self.task, self.agent, self.acts, len(self.parts), *sums, sum(sums))

    def row(self) -> str:
        total, calls, acts = sum(self.tokens), len(self.tokens), max(self.acts, 1)
        return ROW.format(
            self.task, self.agent, "yes" if self.is_right else "NO", self.acts, calls, f"{total / max(calls, 1):,.0f}",
            f"{total / acts:,.0f}", f"{self.seconds / acts:.2f}", self.why[:160],
        ).rstrip()  # fmt: skip


def _share(found: Sequence[Measured]) -> float:
    return sum(one.is_right for one in found) / max(len(found), 1)


def by_kind(found: Sequence[Measured]) -> Iterator[str]:
    yield ""
    yield f"{'kind':31}{OURS:>10}{STOCK:>10}"
    for kind in dict.fromkeys(one.kind for one in found):
        shares = []
        for agent in (OURS, STOCK):
            mine = [one for one in found if (one.kind, one.agent) == (kind, agent)]
            shares.append((_share(mine), f"{sum(one.is_right for one in mine)}/{len(mine)}"))
        missed = "  MISSED: less than stock" if shares[0][0] < shares[1][0] else ""
        yield f"{kind:31}{shares[0][1]:>10}{shares[1][1]:>10}{missed}"


def by_part(found: Sequence[Measured]) -> Iterator[str]:
    """The operator's tokens of each task by part, and of all tasks."""
    mine = [one for one in found if one.agent == OURS]
    every = Measured(
        "all tasks", "", OURS, True, sum(one.acts for one in mine), [parts for one in mine for parts in one.parts], 0.0
    )  # fmt: skip
    yield ""
    yield PARTS_ROW.format(*PARTS_HEADS)
    yield from (one.parts_row() for one in (*mine, every))


def summary(found: Sequence[Measured]) -> Iterator[str]:
    """The totals of all tasks, with the operator's targets."""
    figures = {agent: _figures([one for one in found if one.agent == agent]) for agent in (OURS, STOCK)}
    yield ""
    yield f"{'all tasks':31}{OURS:>10}{STOCK:>10}  aim"
    for name, shown, aim, is_met in (
        ("success", "{:.1%}", ">= 95 %", lambda value: value >= 0.95),
        ("input tokens an act", "{:,.0f}", "<= 900", lambda value: value <= 900),
        ("model calls an act", "{:.2f}", "<= 0.80", lambda value: value <= 0.8),
        ("seconds an act, no model", "{:.2f}", "<= 0.45", lambda value: value <= 0.45),
        ("input tokens a call, median", "{:,.0f}", "", lambda value: True),
        ("model calls a task, median", "{:.0f}", "", lambda value: True),
        ("input tokens a task, median", "{:,.0f}", "", lambda value: True),
        ("input tokens, all tasks", "{:,.0f}", "", lambda value: True),
        ("acts", "{:.0f}", "", lambda value: True),
    ):
        ours, stock = (figures[agent][name] for agent in (OURS, STOCK))
        verdict = "" if is_met(ours) else "  MISSED"
        yield f"{name:31}{shown.format(ours):>10}{shown.format(stock):>10}  {aim}{verdict}".rstrip()


def _figures(found: Sequence[Measured]) -> dict[str, float]:
    acts = max(sum(one.acts for one in found), 1)
    return {
        "success": _share(found),
        "input tokens an act": sum(sum(one.tokens) for one in found) / acts,
        "model calls an act": sum(len(one.tokens) for one in found) / acts,
        "seconds an act, no model": sum(one.seconds for one in found) / acts,
        "input tokens a call, median": median([tokens for one in found for tokens in one.tokens] or [0]),
        "model calls a task, median": median([len(one.tokens) for one in found] or [0]),
        "input tokens a task, median": median([sum(one.tokens) for one in found] or [0]),
        "input tokens, all tasks": sum(sum(one.tokens) for one in found),
        "acts": acts,
    }
