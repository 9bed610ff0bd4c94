"""Datasette with its plugin for editing rows: facts over filtered and paged tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from bench.task.script import Look, Script, choose, click, fill, first
from bench.world.program import Home, Program

DB = "ships.db"
COUNT = 340


def _start(home: Home) -> Sequence[str]:
    with closing(sqlite3.connect(home.folder / DB)) as database:
        database.execute("create table ships (id integer primary key, name text, port text, tons integer)")
        ports = ("Kiel", "Emden", "Bremen", "Rostock", "Hamburg")
        rows = [(n, f"Ship {n:03}", ports[n * 7 % 5], 500 + n * 37 % 4001) for n in range(1, COUNT + 1)]
        database.executemany("insert into ships values (?, ?, ?, ?)", rows)
        database.commit()
    return [
        home.program("datasette"),
        DB,
        "--host",
        "127.0.0.1",
        "--port",
        str(home.port),
        "--root",
        "--setting",
        "num_sql_threads",
        "1",
    ]


PROGRAM = Program("datasette", _start, "/-/versions.json")


@PROGRAM.task("which ship of Kiel has the least tons?", "/ships/ships?_sort=tons", expected="Ship 325")
def smallest_of_a_port() -> Script:
    yield [choose("", "port"), fill({"is not blank": "Kiel"}), click("Apply filters")]
    return first((yield Look(r"Ship \d+")))


@PROGRAM.task("how many ships are in Emden?", "/ships/ships?_facet=port", expected="68")
def count_of_a_port() -> Script:
    yield click("Emden")
    return first((yield Look(r"(\d+) rows where port = .?Emden")))


@PROGRAM.task(
    "on which page of a hundred is the last ship, and what is its name?", "/ships/ships", expected="Ship 340"
)
def last_of_several_pages() -> Script:
    for _ in range(3):
        yield click("Next page")
    return str((yield Look(r"Ship \d+", how="all"))[-1])


@PROGRAM.task("ask with SQL for the sum of all tons in Rostock", "/ships", expected="sum 165419")
def ask_with_sql() -> Script:
    yield fill({".*": "select 'sum ' || sum(tons) as answer from ships where port = 'Rostock'"})
    yield click("Run SQL")
    return first((yield Look(r"sum \d+")))
