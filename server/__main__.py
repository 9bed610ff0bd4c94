"""`python -m server`: runs the server in the foreground until SIGINT or SIGTERM, or does one thing to a database."""

from __future__ import annotations

import argparse
import asyncio
import gc
import getpass
import json
import logging
import os
import sys
import time
import webbrowser
from collections.abc import Callable
from dataclasses import asdict
from types import FrameType
from typing import Any

import uvicorn
from pydantic import ValidationError

from server.auth import Logins, load_password, password_file
from server.http.connection import connections_up_to
from server.http.startup import StartupApp
from server.ops.log_format import OneLine, without_clients_faults
from server.ops.tracing import configure_tracing
from server.settings import MAX_OPEN_FILES, Settings, file_limit

KEEP_ALIVE = 75
"""Seconds. Longer than clients keep idle connections: a request fails if the server closes just then."""


class Server(uvicorn.Server):
    """At the first signal ends runs and streams while requests are still served; at the second exits."""

    def __init__(self, config: uvicorn.Config, front: StartupApp) -> None:
        super().__init__(config)
        self._front = front
        self._is_ending = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Not passed to uvicorn, which would raise the signal again on exit, with a non-zero exit code.
        if self._is_ending:
            self.should_exit = self.force_exit = True
            return
        self._is_ending = True
        asyncio.get_running_loop().call_soon_threadsafe(self._begin_drain)

    async def on_tick(self, counter: int) -> bool:
        return self._front.fatal is not None or await super().on_tick(counter)

    def _begin_drain(self) -> None:
        self._drain = asyncio.create_task(self._drain_and_exit())

    async def _drain_and_exit(self) -> None:
        try:
            if app := self._front.app:
                await app.state.starting.drain()
        finally:
            self.should_exit = True


def main() -> int:
    os.umask(0o077)  # files created from here on are private to this OS user
    arguments = argparse.ArgumentParser(prog="python -m server", description="Serve Pilothouse.")
    arguments.add_argument("--open", action="store_true", help="open the page in a browser")
    commands = arguments.add_subparsers(dest="command")
    commands.add_parser("migrate", help="bring the schema of DATABASE_URL to this version")
    moving = commands.add_parser("move", help="copy everything from one database into another, empty one")
    moving.add_argument(
        "--from", dest="source", required=True, help="an SQLite file, or a URL as in DATABASE_URL"
    )
    moving.add_argument("--to", dest="target", required=True, help="the same; migrated and empty")
    moving.add_argument("--json", action="store_true", help="print lines of JSON, for the command line")
    vault = commands.add_parser("vault", help="the stored logins").add_subparsers(dest="deed", required=True)
    vault.add_parser("rotate", help="encrypt all stored logins by a new key, while no server runs")
    options = arguments.parse_args()
    if options.command == "move":
        return move_database(options.source, options.target, json_lines=options.json)
    try:
        settings = Settings()
        if options.command == "migrate":
            return migrate_database(settings)
        if options.command == "vault":
            return rotate_vault(settings)
        password, is_new = load_password(settings)
        logins = Logins(
            password, settings.data_dir, base_path=settings.base_path, password_file=password_file(settings)
        )
    except (ValidationError, ValueError) as error:
        print(f"pilothouse: {plain(error)}", file=sys.stderr)
        return 1
    lines = logging.StreamHandler()
    lines.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    lines.addFilter(without_clients_faults)
    logging.basicConfig(level=settings.log_level, handlers=[lines])
    if settings.log_level == "DEBUG":
        # They would log every WebSocket frame, including the text that the user types into a page.
        for wire in ("websockets", "uvicorn.error", "sse_starlette"):
            logging.getLogger(wire).setLevel(logging.INFO)
    else:
        # They would log a line for every model call and every plugin of the migrations.
        for chatty in ("httpx", "httpx2", "alembic.runtime.plugins"):
            logging.getLogger(chatty).setLevel(logging.WARNING)
    configure_tracing(settings)
    return serve(settings, logins, password if is_new else None, open_page=options.open)


def migrate_database(settings: Settings) -> int:
    """Migrate the database of the settings and report it, or the reason why not. Returns the exit code."""
    from server.database import HEAD
    from server.database.migrate import NotReady, migrate_once
    from server.fs.permissions import keep_private

    keep_private(settings.data_dir)
    try:
        asyncio.run(migrate_once(settings))
    except NotReady as error:
        print(f"pilothouse: {error}", file=sys.stderr)
        return 1
    print(f"The database of DATABASE_URL has schema {HEAD}.")
    return 0


def rotate_vault(settings: Settings) -> int:
    """Encrypt all stored logins by a new key and report it, or the reason why not. Returns the exit code."""
    from server.agent.logins import VaultLocked
    from server.database.migrate import NotReady
    from server.errors import AppError
    from server.extras.vault.rotating import rotate

    try:
        count = asyncio.run(rotate(settings, lambda: getpass.getpass("Passphrase: ")))
    except NotReady as error:
        print(f"pilothouse: {error}. Stop the server first.", file=sys.stderr)
        return 1
    except (VaultLocked, AppError) as error:
        print(f"pilothouse: {error}", file=sys.stderr)
        return 1
    print(
        f"{count} stored logins have a new key. Copies of the former one open nothing that is stored from now on."
    )
    return 0


def move_database(source: str, target: str, *, json_lines: bool) -> int:
    """Copy a database; print the progress, at most one line a second for each table. Returns the exit code."""
    from server.extras.move import rows as move
    from server.extras.move.checkpoints import copy_checkpoints

    def show(template: str, **values: object) -> None:
        sentence = move.MoveText(template, values)
        print(json.dumps(asdict(sentence)) if json_lines else sentence, flush=True)

    tables, shown_at = dict[str, int](), 0.0
    try:
        urls = move.address_of(source, "--from"), move.address_of(target, "--to")
        for copied in move.move(*urls, copy_checkpoints):
            tables[copied.table] = copied.rows
            if copied.rows == copied.total or time.monotonic() > shown_at + 1:
                shown_at = time.monotonic()
                show(move.COPIED, table=copied.table, rows=copied.rows, total=copied.total)
    except move.MoveRefused as error:
        show(error.sentence.template, **error.sentence.values)
        return 1
    except KeyboardInterrupt:
        show(move.STOPPED)
        return 130
    show(move.DONE, rows=sum(tables.values()), tables=len(tables))
    return 0


def plain(error: Exception) -> str:
    """The error in one line, with the names of invalid settings, never their values, which may be secret."""
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(
        ": ".join(filter(None, ("".join(map(str, item["loc"][:1])).upper(), item["msg"])))
        for item in error.errors()
    )


def open_many_files() -> None:
    """Raise the limit of open files, up to MAX_OPEN_FILES: each stream uses one, the usual default is 1024."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(settings: Settings, logins: Logins, new_password: str | None, *, open_page: bool) -> int:
    """Serve until a signal. `new_password` was made now and is printed. Returns the exit code."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    url = f"http://{host}:{settings.port}"
    print(f"Pilothouse: {url}", flush=True)
    if new_password:
        file = settings.data_dir.resolve() / "auth_token"
        if sys.stdout.isatty():
            print(f"Password (made now, kept in {file}): {new_password}", flush=True)
        else:  # the output may be kept as a log, which others read
            print(f"A password was made now. It is in {file}", flush=True)
    if open_page and not settings.headless:
        webbrowser.open(url)
    gc.set_threshold(20_000, 20, 50)
    open_many_files()
    front = StartupApp(settings, logins)
    Server(configure(settings, front), front).run()
    if front.fatal:
        print(
            f"pilothouse: cannot start: {front.fatal}", file=sys.stderr
        )  # after uvicorn's lines, where it is looked for
        return 1
    return 0


def configure(settings: Settings, app: Callable[..., Any]) -> uvicorn.Config:
    """Create uvicorn's config. Forwarding headers are trusted only from the proxies in FORWARDED_ALLOW_IPS.

    Connections may use three quarters of the process's open files; the rest is for the database, browsers and
    screenshots.
    """
    proxies = list(settings.forwarded_allow_ips)
    return uvicorn.Config(
        app, host=settings.host, port=settings.port, log_config=None, access_log=False,
        server_header=False, ws_max_size=1_000_000, timeout_graceful_shutdown=5, proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies, timeout_keep_alive=KEEP_ALIVE, http=connections_up_to(file_limit() * 3 // 4),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
