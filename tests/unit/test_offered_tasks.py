"""Tasks that the web UI offers in mock mode."""

from __future__ import annotations

from server.extras.mock.model import script_for
from tests.support.offered_tasks import LANGUAGES, offered_tasks


def test_mock_mode_can_do_the_tasks_that_the_start_page_offers_in_each_language() -> None:
    scripts: dict[str, set[object]] = {}
    for name, task in offered_tasks("mock"):
        scripts.setdefault(name, set()).add(script_for(task.lower()))
    assert len(offered_tasks("mock")) == len(scripts) * LANGUAGES == 4 * LANGUAGES
    assert [name for name, found in scripts.items() if len(found) > 1 or None in found] == []
