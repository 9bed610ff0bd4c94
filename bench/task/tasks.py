"""Forty web tasks of many kinds: what a person asks, and the moves that do it in words that fit any agent.

Answers are made of what the scripts found on the pages; `expected` is what they are compared with.
"""

from __future__ import annotations

from bench.task import control_tasks, page_tasks  # noqa: F401  they add their tasks
from bench.task.script import TASKS

__all__ = ["KINDS", "TASKS"]

KINDS = tuple(dict.fromkeys(one.kind for one in TASKS))
