"""`/schedule` at the prompt: what it asks the server for."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from cli.commands.schedule import local_zone, read_schedule
from cli.errors import UsageError
from server.automations.rules import read_rule

NOW = datetime(2026, 1, 5, 9, 41)


@pytest.mark.parametrize(
    ("text", "time", "rule"),
    [
        ("daily 8:05 look at the mail", "080500", "FREQ=DAILY"),
        ("Weekdays 07:30 look at the mail", "073000", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("mon,thu 23:59 look at the mail", "235900", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("monthly 15 08:00 look at the mail", "080000", "FREQ=MONTHLY;BYMONTHDAY=15"),
        ("hours 6 look at the mail", "094100", "FREQ=HOURLY;INTERVAL=6"),
    ],
)
def test_what_is_written_becomes_a_rule_that_the_server_reads(text: str, time: str, rule: str) -> None:
    body = read_schedule(text, NOW, "Europe/Berlin")
    assert body == {
        "name": "look at the mail", "task": "look at the mail", "zone": "Europe/Berlin",
        "rule": f"DTSTART:20260105T{time}\nRRULE:{rule}",
    }  # fmt: skip
    assert read_rule(body["rule"], body["zone"]).text == body["rule"]


@pytest.mark.parametrize(
    "text", ["", "daily", "sometimes 08:00 look", "mon,xyz 08:00 look", "daily 25:00 look", "monthly 08:00"]
)
def test_what_cannot_be_read_is_refused_with_the_usage(text: str) -> None:
    with pytest.raises(UsageError):
        read_schedule(text, NOW, "UTC")


def test_the_zone_is_that_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    link = tmp_path / "localtime"
    assert local_zone(link) == "UTC"
    link.symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    assert local_zone(link) == "Europe/Berlin"
    monkeypatch.setenv("TZ", ":Asia/Tokyo")
    assert local_zone(link) == "Asia/Tokyo"
    monkeypatch.setenv("TZ", "nonsense")
    assert local_zone(link) == "UTC"
