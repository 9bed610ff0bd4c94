"""Roundup: an issue tracker in plain HTML forms."""

from __future__ import annotations

from collections.abc import Sequence

from bench.task.script import Look, Script, choose, click, fill, first
from bench.world.program import Home, Program

DB = "tracker/db/db"
_SERVE = """
import sys
from wsgiref.simple_server import make_server
from roundup.cgi.wsgi_handler import RequestDispatcher
make_server('127.0.0.1', int(sys.argv[1]), RequestDispatcher('tracker')).serve_forever()
"""


def _start(home: Home) -> Sequence[str]:
    home.run("roundup-admin", "-i", "tracker", "install", "classic", "sqlite")
    config = home.folder / "tracker" / "config.ini"
    text = config.read_text().replace("#web = NO DEFAULT", f"web = {home.url}/", 1)
    text = text.replace("#domain = NO DEFAULT", "domain = example.org", 1).replace(
        "#host = NO DEFAULT", "host = localhost", 1
    )
    config.write_text(text)
    home.run("roundup-admin", "-i", "tracker", "initialise", "lighthouse")
    for title, priority in (
        ("The printer jams", "bug"),
        ("Window does not close", "urgent"),
        ("Add a dark theme", "wish"),
    ):
        home.run(
            "roundup-admin",
            "-i",
            "tracker",
            "create",
            "issue",
            f"title={title}",
            f"priority={priority}",
            "status=unread",
        )
    home.write("serve.py", _SERVE)  # its own server refuses to run as root
    return [home.program("python"), "serve.py", str(home.port)]


PROGRAM = Program("roundup", _start)


def _issue(home: Home, number: int) -> tuple[str, str, str]:
    """Title, priority, status."""
    query = "select i._title, p._name, s._name from _issue i left join _priority p on p.id = i._priority left join _status s on s.id = i._status where i.id = ?"
    return next(iter(home.rows(DB, query, number)), ("", "", ""))


def _notes(home: Home, number: int) -> list[str]:
    files = home.folder.glob(f"tracker/db/files/msg/**/msg{number}")
    return [file.read_text() for file in files]


@PROGRAM.task("log in as admin with the password lighthouse", "/", expected="Logout", asks=1)
def log_in() -> Script:
    yield [fill({"Login": "admin"}), fill({"": "lighthouse"}, near="Login")]
    yield click("Login", kind="button")
    return first((yield Look(r"\bLogout\b")))


@PROGRAM.task(
    "file an urgent issue named Harbour light is out", "/issue?@template=item",
    lambda home: _issue(home, 4) == ("Harbour light is out", "urgent", "unread"),
    asks=1,
)  # fmt: skip
def file_an_issue() -> Script:
    yield [fill({"Title": "Harbour light is out"}), choose("Priority", "urgent")]
    yield click("Submit New Entry")
    return "filed"


@PROGRAM.task(
    "the printer works again: note that and set it to resolved", "/issue1",
    lambda home: _issue(home, 1) == ("The printer jams", "bug", "resolved") and "Works again" in str(_notes(home, 1)),
    asks=1,
)  # fmt: skip
def resolve_with_a_note() -> Script:
    yield [choose("Status", "resolved"), fill({"Change Note": "Works again"})]
    yield click("Submit Changes")
    return "resolved"


@PROGRAM.task(
    "which issue is a wish?", "/issue?@columns=title,priority&@sort=id", expected="Add a dark theme"
)
def find_the_wish() -> Script:
    yield click("Add a dark theme")
    return first((yield Look(r"Issue 3: (Add a dark theme)")))


@PROGRAM.task(
    "add the keyword night", "/keyword?@template=item",
    lambda home: home.rows(DB, "select _name from _keyword") == [("night",)],
    asks=1,
)  # fmt: skip
def add_a_keyword() -> Script:
    yield fill({"Keyword": "night"}, submit=True)
    return "added"
