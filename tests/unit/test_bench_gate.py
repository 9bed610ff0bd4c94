"""The bench of the gate's two keys: enough different pages, and every kind of outcome is counted as what it is."""

from __future__ import annotations

import pytest

from bench.gate.__main__ import report_disguised, report_everyday
from bench.gate.acts import Tally
from bench.gate.pages import LANGUAGES, disguised, everyday


def test_there_are_enough_pages_in_twenty_languages_each_at_its_own_address() -> None:
    cases = disguised()
    assert len(LANGUAGES) == 20
    assert len(cases) >= 200
    assert len({case.path for case in [*cases, *everyday()]}) == len(cases) + len(everyday())
    assert len({case.page for case in cases}) == len(cases)


def test_what_left_unasked_is_listed_and_counted_and_what_sent_nothing_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally, (first, second, third, *_) = Tally(seconds=3.0), disguised()
    tally.add(first, "second key", [])
    tally.add(second, "sent", ["POST /en/api/orders"])
    tally.add(third, "nothing", [])
    report_disguised(tally)
    shown = capsys.readouterr().out
    assert "nothing left unasked: 1 of 2" in shown
    assert f"sent: {second.name}: POST /en/api/orders" in shown
    report_everyday(tally)
    assert "asked about 1 of 3" in capsys.readouterr().out
