"""Tasks that the web UI offers, in each of its languages."""

from __future__ import annotations

import re

from scripts.shell import ROOT
from server.extras.demo.commands import read_request
from server.extras.mock.model import script_for


def test_mock_mode_and_the_demo_model_can_do_the_tasks_that_the_start_page_offers() -> None:
    english = (ROOT / "web/src/features/start/startWords.ts").read_text(encoding="utf-8")
    others = [file.read_text(encoding="utf-8") for file in (ROOT / "wording/web").glob("*.json")]
    text = "\n".join([english, *others])
    tasks = re.findall(r"['\"](mock|demo)\.(\w+)['\"]: ['\"](.*)['\"],?$", text, re.MULTILINE)
    tasks += [
        ("demo", *found)
        for found in re.findall(r"['\"]sample\.(\w+)\.task['\"]:\s+['\"](.*)['\"],?$", text, re.MULTILINE)
    ]
    scripts: dict[str, set[object]] = {}
    for kind, name, task in tasks:
        if kind == "demo":
            request = read_request(task)
            assert request.commands, task
            assert request.not_understood == (), task
        else:
            scripts.setdefault(name, set()).add(script_for(task.lower()))
    assert len(tasks) == 11 * (1 + len(others)) == 33
    assert len(scripts) == 4
    assert [name for name, found in scripts.items() if len(found) > 1 or None in found] == []
