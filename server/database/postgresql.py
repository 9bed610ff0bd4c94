"""The engine for PostgreSQL. Every wait has a timeout, also if the network fails without a TCP reset."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from sqlalchemy import Engine, create_engine, event, make_url

from server.ops.json_types import JsonObject

T = TypeVar("T")

CONNECT_SECONDS = 5
SILENT_LINK = {
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""libpq parameters, in seconds, the last one in milliseconds. With these the kernel drops a dead peer. It
cannot detect a server that does not respond while its kernel still sends ACKs; `Link` handles that."""

SERVER_SILENT = "the server did not answer in time"

_deadline = threading.local()


def run_until(deadline: float, work: Callable[..., T], *args: object) -> T:
    """Run `work` in this thread; its PostgreSQL calls raise OperationalError after `deadline`.

    `deadline` is a time of `time.monotonic()`.
    """
    _deadline.moment = deadline
    try:
        return work(*args)
    finally:
        del _deadline.moment


def _seconds_left() -> float | None:
    moment = getattr(_deadline, "moment", None)
    return None if moment is None else moment - time.monotonic()


class Link(psycopg.Connection[TupleRow]):
    """A connection that is closed if the server does not respond before the thread's deadline."""

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        left = _seconds_left()
        if left is not None:
            timeout = max(0.0, left if timeout is None else min(left, timeout))
        try:
            return super().wait(gen, interval, timeout)
        except psycopg.OperationalError as error:
            left = _seconds_left()
            if left is None or left > 0:
                raise
            self.pgconn.finish()  # its state is unknown: it must not go back to the pool
            raise psycopg.OperationalError(SERVER_SILENT) from error


def open_postgresql(url: str, connections: int, patience: float, statement_seconds: float) -> Engine:
    """Create the engine for PostgreSQL.

    `patience`: seconds to wait for a lock. `statement_seconds`: the server's timeout for a statement.
    """
    given = make_url(url).query
    defaults = {name: value for name, value in SILENT_LINK.items() if name not in given}
    engine = create_engine(
        url, pool_size=connections, max_overflow=0, pool_pre_ping=True, connect_args=defaults
    )
    limits = {
        "lock_timeout": patience,
        "statement_timeout": statement_seconds,
        # A client that the server cannot reach any more must not keep its locks.
        "idle_in_transaction_session_timeout": statement_seconds,
        "tcp_keepalives_idle": 10,
        "tcp_keepalives_interval": 5,
        "tcp_keepalives_count": 3,
    }
    values = {
        name: f"{value:.0f}" if name.startswith("tcp") else f"{value * 1000:.0f}"
        for name, value in limits.items()
    }
    settings = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in values.items())

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: object, _record: object, cargs: list[str], cparams: JsonObject) -> Link:
        left = _seconds_left()
        if left is not None and left <= 0:
            raise psycopg.OperationalError(SERVER_SILENT)
        seconds = CONNECT_SECONDS if left is None else min(CONNECT_SECONDS, left)
        given: JsonObject = {"connect_timeout": max(2, round(seconds))} | cparams
        return Link.connect(*cargs, **given)

    @event.listens_for(engine, "connect")
    def prepare(connection: Link, _record: object) -> None:
        connection.execute(f"SELECT {settings}")
        connection.commit()

    return engine
