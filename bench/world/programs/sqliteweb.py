"""sqlite-web: tables of a database, and statements on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from bench.task.script import Look, Script, check, click, fill, first
from bench.world.program import Home, Program

DB = "stock.db"


def _start(home: Home) -> Sequence[str]:
    with closing(sqlite3.connect(home.folder / DB)) as database:
        database.execute("create table items (id integer primary key, name text, pieces integer)")
        database.executemany(
            "insert into items (name, pieces) values (?, ?)", [("rope", 12), ("anchor", 3), ("buoy", 7)]
        )
        database.commit()
    return [home.program("sqlite_web"), "--host", "127.0.0.1", "--port", str(home.port), "--no-browser", DB]


PROGRAM = Program("sqliteweb", _start)


def _pieces(home: Home) -> dict[str, int]:
    return dict(home.rows(DB, "select name, pieces from items"))


@PROGRAM.task(
    "add 25 pennants to the items", "/items/insert/",
    lambda home: _pieces(home) == {"rope": 12, "anchor": 3, "buoy": 7, "pennant": 25},
)  # fmt: skip
def add_a_row() -> Script:
    yield [fill({"name": "pennant", "pieces": "25"}), click("Insert", kind="button")]
    return "added"


@PROGRAM.task(
    "there are 4 anchors now, change it", "/items/content/", lambda home: _pieces(home)["anchor"] == 4
)
def change_a_row() -> Script:
    yield click("Edit", near="anchor")
    yield check("Allow updating this column.", near="pieces")
    yield fill({"pieces": "4"})
    yield click("Update|Save.*", kind="button")
    return "changed"


@PROGRAM.task("how much of everything is there? Ask it with SQL", "/query/", expected="total 48", asks=1)
def ask_with_sql() -> Script:
    yield fill({"SQL.*|": "select 'total ' || sum(pieces) as answer from items"})
    yield click("Execute")
    return first((yield Look(r"total \d+")))


@PROGRAM.task("delete the buoy", "/items/content/", lambda home: "buoy" not in _pieces(home), asks=1)
def delete_a_row() -> Script:
    yield click("Delete", near="buoy")
    yield click("Delete|Yes.*", kind="button")
    return "deleted"
