"""What holds in every session at every moment, whatever was done to it and in which order."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.support.chat import Event
from tests.support.reader import Reader

Rows = Sequence[Mapping[str, Any] | sqlite3.Row]
UNFINISHED = ("queued", "running", "waiting_user", "paused")


@contextmanager
def moment(file: Path) -> Iterator[sqlite3.Connection]:
    """All that is read inside is from one moment."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        db.execute("BEGIN")
        yield db


def rows_of(db: sqlite3.Connection, table: str, session_id: str) -> list[sqlite3.Row]:
    return db.execute(f"SELECT * FROM {table} WHERE session_id = ?", [session_id]).fetchall()


def check_stored(file: Path, session_id: str) -> None:
    """A completed run has one answer, any other none; one run is executed at a time; a question has a run that waits."""
    with moment(file) as db:
        runs, messages = rows_of(db, "runs", session_id), rows_of(db, "messages", session_id)
        questions = rows_of(db, "interrupts", session_id)
    check_rows(runs, messages, questions)


def check_rows(runs: Rows, messages: Rows, questions: Rows) -> None:
    """The same of rows that were read at one moment, from whatever database."""
    asking = [row["run_id"] for row in questions if row["status"] == "open"]
    answers = {row["id"]: row["run_id"] for row in messages if row["role"] == "assistant"}
    completed = {row["answer_id"]: row["id"] for row in runs if row["status"] == "completed"}
    assert answers == completed
    for run in runs:
        assert (run["finished_at"] is None) == (run["status"] in UNFINISHED), dict(run)
        assert (run["status"] == "completed") == (run["finished_at"] is not None and not run["error_code"])
    assert asking == [row["id"] for row in runs if row["status"] == "waiting_user"]
    open_runs = [row for row in runs if row["finished_at"] is None]
    assert not open_runs or [row["held"] for row in open_runs].count(0) == 1, [dict(row) for row in open_runs]


def check_gone(file: Path, session_id: str) -> None:
    """No table has anything of the session."""
    with moment(file) as db:
        tables = [row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            names = {row["name"] for row in db.execute(f"PRAGMA table_info({table})")}
            for column, value in (
                ("session_id", session_id),
                ("thread_id", session_id),
                ("thread_id", f"assistant:{session_id}"),
            ):
                if column in names:
                    found = db.execute(f"SELECT * FROM {table} WHERE {column} = ?", [value]).fetchall()
                    assert not found, f"{table}: {[dict(row) for row in found]}"


def finished_runs(file: Path, session_id: str) -> dict[str, str]:
    """By run: how it ended."""
    with moment(file) as db:
        runs = rows_of(db, "runs", session_id)
        return {row["id"]: row["error_code"] or "done" for row in runs if row["finished_at"]}


def endings(events: Iterable[Event]) -> list[tuple[str, str]]:
    """The run and the outcome of each terminal event."""
    terminal = [event for event in events if event["type"] in ("done", "error")]
    return [(event["run_id"], event.get("code", "done")) for event in terminal]


def check_told(reader: Reader, finished: dict[str, str]) -> None:
    """Ids grow, and the published end of a run is the stored one."""
    ids = _ids(reader)
    assert ids == sorted(set(ids)), ids
    ends = endings(reader.events)
    assert set(ends) <= set(finished.items())


def check_told_all(reader: Reader, finished: dict[str, str]) -> None:
    """After all work has ended: every run has ended, once, and no event was left out."""
    assert sorted(endings(reader.events)) == sorted(finished.items())
    for epoch in {epoch for epoch, _ in _ids(reader)}:
        seqs = [seq for of, seq in _ids(reader) if of == epoch]
        assert seqs == list(range(1, len(seqs) + 1)), seqs
    for run_id in finished:
        _check_whole([event for event in reader.events if event["run_id"] == run_id])


def _ids(reader: Reader) -> list[tuple[int, int]]:
    return [(event["epoch"], event["seq"]) for event in reader.events]


def _check_whole(events: list[Event]) -> None:
    """Every call has its end, and the tokens of the answer are its text."""
    started, ended = (
        Counter(event["call_id"] for event in events if event["type"] == kind)
        for kind in ("tool_start", "tool_end")
    )
    assert started == ended
    for done in (event for event in events if event["type"] == "done"):
        tokens = [event["text"] for event in events if event["type"] == "token"]
        assert "".join(tokens) == done["message"]["content"]
