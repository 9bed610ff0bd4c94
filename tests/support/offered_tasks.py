"""The tasks that the web UI offers, in each of its languages."""

from __future__ import annotations

import re

from scripts.shell import ROOT

LANGUAGES = 3


def offered_tasks(kind: str) -> list[tuple[str, str]]:
    """Name and words of each task of `kind` (`mock`, `demo`, `sample`)."""
    english = (ROOT / "web/src/features/start/startWords.ts").read_text(encoding="utf-8")
    others = [file.read_text(encoding="utf-8") for file in (ROOT / "wording/web").glob("*.json")]
    assert len(others) == LANGUAGES - 1
    text, ending = "\n".join([english, *others]), r"\.task" if kind == "sample" else ""
    return re.findall(rf"['\"]{kind}\.(\w+){ending}['\"]:\s+['\"](.*)['\"],?$", text, re.MULTILINE)
