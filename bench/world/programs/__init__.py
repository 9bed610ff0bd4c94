"""The programs, in the order in which they are played."""

from __future__ import annotations

from bench.world.program import Program
from bench.world.programs import (
    datasette,
    jupyterlab,
    radicale,
    roundup,
    sqliteweb,
    tiddlywiki,
    trac,
    wagtail,
)

PROGRAMS: list[Program] = [
    one.PROGRAM for one in (roundup, trac, wagtail, datasette, sqliteweb, radicale, tiddlywiki, jupyterlab)
]
