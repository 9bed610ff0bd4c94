"""Trac: tickets, a wiki and milestones."""

from __future__ import annotations

from collections.abc import Sequence

from bench.task.script import Script, check, choose, click, fill
from bench.world.program import Home, Program

DB = "project/db/trac.db"


def _start(home: Home) -> Sequence[str]:
    home.run("trac-admin", "project", "initenv", "Harbour", "sqlite:db/trac.db")
    home.run("trac-admin", "project", "permission", "add", "anonymous", "TRAC_ADMIN")
    home.run("trac-admin", "project", "component", "add", "crane", "mia")
    return [home.program("tracd"), "--hostname", "127.0.0.1", "-p", str(home.port), "-s", "project"]


PROGRAM = Program("trac", _start)


def _ticket(home: Home, number: int) -> tuple[object, ...]:
    query = "select summary, type, priority, component, status, resolution from ticket where id = ?"
    return next(iter(home.rows(DB, query, number)), ())


@PROGRAM.task(
    "file a critical ticket for the crane: Hook is bent", "/newticket",
    lambda home: _ticket(home, 1) == ("Hook is bent", "defect", "critical", "crane", "new", None),
    asks=1,
)  # fmt: skip
def file_a_ticket() -> Script:
    yield [
        fill({"Summary:": "Hook is bent", "Description:.*": "Seen at noon."}),
        choose("Priority:", "critical"),
        choose("Component:", "crane"),
    ]
    yield click("Create ticket")
    return "filed"


@PROGRAM.task(
    "close ticket 1 as fixed with the comment Straightened", "/ticket/1",
    lambda home: _ticket(home, 1)[3:] == ("crane", "closed", "fixed")
    and home.rows(DB, "select newvalue from ticket_change where field = 'comment' and newvalue <> ''") == [("Straightened",)],
    asks=1,
)  # fmt: skip
def close_a_ticket() -> Script:
    yield [fill({"Comment.*|You may use WikiFormatting here.*": "Straightened"}), check("resolve")]
    yield click("Submit changes")
    return "closed"


@PROGRAM.task(
    "write a wiki page named Tides that says: High water at noon.", "/wiki/Tides?action=edit",
    lambda home: home.rows(DB, "select text from wiki where name = 'Tides'") == [("High water at noon.",)],
    asks=1,
)  # fmt: skip
def write_a_wiki_page() -> Script:
    yield fill({"": "High water at noon."}, near="Adjust edit area height")
    yield click("Submit changes")
    return "written"


@PROGRAM.task(
    "add a milestone named Spring", "/admin/ticket/milestones",
    lambda home: home.rows(DB, "select count(*) from milestone where name = 'Spring'") == [(1,)],
    asks=1,
)  # fmt: skip
def add_a_milestone() -> Script:
    yield fill({"Name:": "Spring"})
    yield click("Add")
    return "added"
