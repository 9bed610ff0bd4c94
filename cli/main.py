"""The `pilothouse` command."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sys
import webbrowser
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from cli import doctor as checks
from cli.client.address import find_address
from cli.client.client import Client
from cli.conversation import Conversation
from cli.errors import CliError, UsageError
from cli.moving import run_move
from cli.once import run_line, watch_all
from cli.screen import tables
from cli.screen.picture import find_way
from cli.screen.screen import PlainScreen, RichScreen, Screen
from cli.text import whole_text
from cli.words import t
from pilothouse.run import command

INTERRUPTED = 130

Options = Mapping[str, str | int]
"""Of a new session: its agent, model and number of steps."""


class Server(NamedTuple):
    """The server of the options before the command, or of the environment."""

    url: str | None
    token: str | None


class Commands(TyperGroup):
    """The commands, with their help in the language of the terminal."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for part in (self, *self.commands.values()):
            part.help = t(part.help) if part.help else None
            for option in part.params:
                if text := getattr(option, "help", None):
                    option.help = t(text)  # type: ignore[attr-defined]


app = typer.Typer(
    cls=Commands,
    name="pilothouse",
    help="Talk to an assistant that works in a real, visible browser.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
URL_HELP = "The server's address; by default that of `.env`."
TOKEN_HELP = "The server's token; not needed on the machine where the server made its own."


def _own_or_global_url(context: typer.Context, url: str | None) -> str | None:
    return url or context.find_object(Server).url  # type: ignore[union-attr]


def _own_or_global_token(context: typer.Context, token: str | None) -> str | None:
    return token or context.find_object(Server).token  # type: ignore[union-attr]


Url = Annotated[str | None, typer.Option("--url", callback=_own_or_global_url, help=URL_HELP)]
Token = Annotated[
    str | None,
    typer.Option("--token", callback=_own_or_global_token, show_default=False, help=TOKEN_HELP),
]


@app.callback()
def choose_server(
    context: typer.Context,
    url: Annotated[str | None, typer.Option("--url", envvar="PILOTHOUSE_URL", help=URL_HELP)] = None,
    token: Annotated[
        str | None, typer.Option("--token", envvar="AUTH_TOKEN", show_default=False, help=TOKEN_HELP)
    ] = None,
) -> None:
    # Options of a command win over these, and these over the environment.
    context.obj = Server(url, token)


class Format(StrEnum):
    md = "md"
    json = "json"
    html = "html"


@app.command()
def serve(
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Run the server until Ctrl-C. Its settings are read from the environment or `.env`."""
    program = command("server", *(["--open"] if open_page else []))
    os.execv(program[0], program)  # the server replaces this process


@app.command()
def migrate() -> None:
    """Bring the schema of the server's database, DATABASE_URL, to this version."""
    program = command("server", "migrate")
    os.execv(program[0], program)


vault = typer.Typer(no_args_is_help=True, help="The stored logins.")
app.add_typer(vault, name="vault")


@vault.callback()
def choose_vault() -> None:
    """The stored logins."""


@vault.command()
def rotate() -> None:
    """Encrypt all stored logins by a new key, while no server runs."""
    program = command("server", "vault", "rotate")
    os.execv(program[0], program)


@app.command()
def move(
    source: Annotated[str, typer.Option("--from", help="An SQLite file, or a URL as in DATABASE_URL.")],
    target: Annotated[str, typer.Option("--to", help="The same; a database that is migrated and empty.")],
) -> None:
    """Copy everything from one database into another one, such as from SQLite to PostgreSQL."""
    raise typer.Exit(run_move(source, target))


@app.command("browser-host")
def browser_host() -> None:
    """Run browsers for servers on other machines. Its settings are read from the environment or `.env`."""
    program = command("server.browser.host")
    os.execv(program[0], program)


@app.command()
def chat(
    session: Annotated[
        str | None, typer.Argument(help="An id, its beginning, or `last`. Without it a new session begins.")
    ] = None,
    message: Annotated[
        str | None,
        typer.Option("--message", "-m", help="Say this (or do it: /yes, /stop …), show the run, and leave."),
    ] = None,
    json_lines: Annotated[bool, typer.Option("--json", help="Print events as lines of JSON.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="With -m: wait until a question is answered elsewhere.")
    ] = False,
    table: Annotated[
        str | None,
        typer.Option(
            "--table", help="The next message asks for a table: `name, price:number` are its columns."
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Of a new session: operator or assistant.")] = None,
    model: Annotated[str | None, typer.Option(help="Of a new session, as provider:model.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Of a new session: steps for one request.")] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Talk to the agent, in a new session or an existing one, also while the web UI shows it."""
    options = {"agent": agent, "model": model, "max_tool_steps": steps}
    given = {key: value for key, value in options.items() if value is not None}
    if message is None and not json_lines and not sys.stdin.isatty():
        message = sys.stdin.read()
    if message is not None:
        message = whole_text(message)
    _run(url, token, lambda client: _chat(client, session, message, json_lines, wait, table, given))


async def _chat(
    client: Client, name: str | None, line: str | None, json_lines: bool, wait: bool, table: str | None,
    options: Options,
) -> int:  # fmt: skip
    if line is not None and not line.strip():
        raise UsageError(t("There is nothing to say: the message is empty."))
    session_id = await client.find(name) if name else None
    if line is not None:
        screen = PlainScreen(sys.stderr, sys.stderr) if json_lines else _screen(client)
        conversation = _with_table(Conversation(client, screen, session_id, options), table)
        return await run_line(conversation, line, waits=wait, lines=sys.stdout if json_lines else None)
    if not json_lines:
        await _talk(client, session_id, table, options)
    elif session_id:
        await watch_all(client, session_id, sys.stdout)
    else:
        raise UsageError(t("--json without -m watches a session: name one."))
    return 0


def _with_table(conversation: Conversation, columns: str | None) -> Conversation:
    if columns is not None:
        conversation.ask_for_table(columns)
    return conversation


async def _talk(client: Client, session_id: str | None, table: str | None, options: Options) -> None:
    from prompt_toolkit.patch_stdout import StdoutProxy

    from cli.repl import Repl

    await client.call("GET", "/auth/me")
    with StdoutProxy(raw=True, sleep_between_writes=0.02) as above:
        screen = RichScreen(above, find_way(os.environ), client.address.url)  # type: ignore[arg-type]
        await Repl(_with_table(Conversation(client, screen, session_id, options), table)).run()


@app.command()
def sessions(
    search: Annotated[str, typer.Option("--search", "-q", help="Words in titles and messages.")] = "",
    archived: Annotated[bool, typer.Option("--archived", help="Those put away.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = 20,
    json_lines: Annotated[bool, typer.Option("--json", help="Print lines of JSON.")] = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """List the sessions, the newest first."""
    _run(url, token, lambda client: _sessions(client, search, archived, limit, json_lines))


async def _sessions(client: Client, search: str, archived: bool, limit: int, json_lines: bool) -> int:
    found = {"q": search} if search else {}
    items = await client.sessions(limit=limit, archived=str(archived).lower(), **found)
    if json_lines:
        for item in items:
            print(json.dumps(item, ensure_ascii=False))
    else:
        _screen(client).print(tables.Sessions(items, datetime.now(UTC)))
    return 0


@app.command("open")
def open_(
    session: Annotated[str | None, typer.Argument(help="An id, its beginning, or `last`.")] = None,
    print_only: Annotated[bool, typer.Option("--print", help="Only print the address.")] = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Open the web UI, or one session in it, and print its address."""
    _run(url, token, lambda client: _open(client, session, print_only))


async def _open(client: Client, name: str | None, print_only: bool) -> int:
    page = client.address.page(await client.find(name) if name else None)
    print(page)
    if not print_only and sys.stdout.isatty():
        webbrowser.open(page)
    return 0


@app.command()
def export(
    session: Annotated[str, typer.Argument(help="An id, its beginning, or `last`.")],
    form: Annotated[Format, typer.Option("--format", "-f", help="html holds the pictures too.")] = Format.md,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file; without it standard output.")
    ] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a session to a file."""
    _run(url, token, lambda client: _export(client, session, form, output))


async def _export(client: Client, name: str, form: Format, output: Path | None) -> int:
    data = await client.fetch(f"/sessions/{await client.find(name)}/export", format=form)
    await asyncio.to_thread(_write, data, output)
    return 0


def _write(data: bytes, output: Path | None) -> None:
    if output is None or str(output) == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise UsageError(t("{path} cannot be written: {why}", path=output, why=error.strerror)) from None
    print(t("{path} ({size} bytes)", path=output, size=f"{len(data):,}"), file=sys.stderr)


@app.command()
def doctor(url: Url = None, token: Token = None) -> None:
    """Check the server, the login, the database, the browser, the model and the versions."""
    _run(url, token, _doctor)


async def _doctor(client: Client) -> int:
    screen, failed = _screen(client), False
    async for check in checks.examine(client):
        screen.print(checks.draw_check(check))
        failed = failed or check.state == "fail"
    return int(failed)


def _screen(client: Client) -> Screen:
    if not sys.stdout.isatty():
        return PlainScreen(sys.stdout, sys.stderr)
    return RichScreen(way=find_way(os.environ), site=client.address.url)


def _run(url: str | None, token: str | None, work: Callable[[Client], Coroutine[Any, Any, int]]) -> None:
    """Run a command with a client; errors become a message and an exit code."""

    async def at_server() -> int:
        async with Client(find_address(url, token)) as client:
            return await work(client)

    try:
        code = asyncio.run(at_server())
    except CliError as error:
        print(error, file=sys.stderr)
        code = 1
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader closed the pipe
            raise
        print(t("The output cannot be written: {why}.", why=error.strerror), file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for Python's own flush at exit
        code = 1
    except KeyboardInterrupt:
        print(t("Not waiting any more; a run goes on at the server."), file=sys.stderr)
        code = INTERRUPTED
    raise typer.Exit(code)


def main() -> None:
    app()
