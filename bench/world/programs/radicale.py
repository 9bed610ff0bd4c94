"""Radicale: calendars and address books, made in its web page of plain JavaScript."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.task.script import Look, Script, choose, click, fill, first
from bench.world.program import Home, Program


def _start(home: Home) -> Sequence[str]:
    home.write("users", "mia:lighthouse\n")
    given = ["--auth-type", "htpasswd", "--auth-htpasswd-filename", "users", "--auth-htpasswd-encryption", "plain",
             "--sharing-type", "csv", "--sharing-collection-by-map", "true"]  # its page asks for shares, and logs an error without  # fmt: skip
    return [
        home.program("python"),
        "-m",
        "radicale",
        "--server-hosts",
        f"127.0.0.1:{home.port}",
        "--storage-filesystem-folder",
        "data",
        *given,
    ]


PROGRAM = Program("radicale", _start, "/.web/")


def _collections(home: Home) -> dict[str, str]:
    """By name: what kind they are."""
    found = (
        json.loads(file.read_text())
        for file in home.folder.glob("data/collection-root/mia/*/.Radicale.props")
    )
    return {one.get("D:displayname", ""): one.get("tag", "") for one in found}


def _log_in() -> Script:
    """Its page forgets the login when it is opened again."""
    yield [fill({"Username": "mia", "Password": "lighthouse"}), click("Next")]
    return ""


@PROGRAM.task(
    "log in as mia with the password lighthouse: whose collections are there?",
    "/.web/",
    expected="mia",
    asks=1,
)
def log_in() -> Script:
    yield from _log_in()
    return first((yield Look(r"(\w+)'s Collections")))


@PROGRAM.task(
    "log in as mia with the password lighthouse and make a calendar named Tides", "/.web/",
    lambda home: _collections(home).get("Tides") == "VCALENDAR", asks=1,
)  # fmt: skip
def make_a_calendar() -> Script:
    yield from _log_in()
    yield click("Create a new addressbook or calendar")
    yield [fill({"Title.*": "Tides"}), choose("Type.*", "calendar"), click("Create")]
    return "made"


@PROGRAM.task(
    "log in as mia with the password lighthouse and make an address book named Crew", "/.web/",
    lambda home: _collections(home).get("Crew") == "VADDRESSBOOK", asks=1,
)  # fmt: skip
def make_an_address_book() -> Script:
    yield from _log_in()
    yield click("Create a new addressbook or calendar")
    yield [fill({"Title.*": "Crew"}), choose("Type.*", "Address book"), click("Create")]
    return "made"
