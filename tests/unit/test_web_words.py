"""Words of the server that the web UI knows, so that it can say them in another language."""

from __future__ import annotations

import re

from scripts.shell import ROOT
from server.agent.policy.verdict import _REASONS
from server.extras.demo.commands import read_request
from server.extras.mock.model import script_for


def test_the_reasons_of_the_rules_are_those_of_the_dictionary() -> None:
    text = (ROOT / "web/src/i18n/en.ts").read_text(encoding="utf-8")
    assert dict(re.findall(r"'risk\.(\w+)': '(.*)',", text)) == _REASONS


def test_mock_mode_and_the_demo_model_can_do_the_tasks_that_the_start_page_offers() -> None:
    text = (ROOT / "web/src/features/start/startWords.ts").read_text(encoding="utf-8")
    tasks = re.findall(r"'(mock|demo)\.(\w+)': '(.*)',", text)
    tasks += [("demo", *found) for found in re.findall(r"'sample\.(\w+)\.task':\s+'(.*)',", text)]
    scripts: dict[str, set[object]] = {}
    for kind, name, task in tasks:
        if kind == "demo":
            request = read_request(task)
            assert request.commands, task
            assert request.not_understood == (), task
        else:
            scripts.setdefault(name, set()).add(script_for(task.lower()))
    assert len(tasks) == 22
    assert len(scripts) == 4
    assert [name for name, found in scripts.items() if len(found) > 1 or None in found] == []
