"""Tasks that the web UI offers with the demo model, on any page and on the sample site."""

from __future__ import annotations

import pytest

from server.extras.demo.commands import read_request
from tests.support.offered_tasks import LANGUAGES, offered_tasks


@pytest.mark.parametrize(("kind", "number"), [("demo", 4), ("sample", 3)])
def test_the_demo_model_understands_each_offered_task(kind: str, number: int) -> None:
    tasks = offered_tasks(kind)
    assert len(tasks) == number * LANGUAGES
    for _, task in tasks:
        request = read_request(task)
        assert request.commands, task
        assert request.not_understood == (), task
