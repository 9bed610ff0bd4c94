"""Saved snapshots of real Chromium, taken by `python -m bench.observation.capture`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from server.browser.observation import Extra, Observation, observe_snapshot

FOLDER = Path(__file__).parents[1] / "pages" / "observation"


@cache
def load_shot(name: str) -> dict[str, Any]:
    """`snapshot` (the raw reply), `extra` (of PAGE_SCRIPT), `controls` (tag and box of what can be used)."""
    shot: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return shot


def shot_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def observe_shot(name: str) -> Observation:
    shot = load_shot(name)
    return observe_snapshot(shot["snapshot"], extra=Extra.model_validate(shot["extra"]))
