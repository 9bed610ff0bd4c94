"""Tables on the command line: asked for by their columns, shown when the run ends, saved to a file."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cli.client.address import Address
from cli.client.client import Client
from cli.commands.parser import parse
from cli.conversation import Conversation
from cli.errors import UsageError
from cli.screen.items import Failed, Finished, ResultTable, Spoken
from cli.screen.render import THEME, draw
from cli.screen.results import read_columns
from cli.screen.screen import PlainScreen
from server.results.columns import read_schema
from tests.unit.test_cli_view import Story, session

COLUMNS = read_columns("name, price:number")


def recorded(number: int, *rows: dict[str, Any]) -> dict[str, Any]:
    meta = {
        "call_id": f"c{number}",
        "name": "record",
        "ok": True,
        "result": {"schema": COLUMNS, "rows": list(rows)},
    }
    return {"id": f"t{number}", "run_id": "r1", "role": "tool", "content": "added", "meta_json": meta}


AMBER = {"id": "1", "values": {"name": "Amber", "price": 43.9}, "unverified": ["price"]}
BLUE = {"id": "2", "values": {"name": "Blue", "price": None}, "missing": {"price": "sold out"}}
TABLE = ResultTable(
    ("name", "price"),
    (("Amber", "43.9 ?"), ("Blue", "–")),
    ("1: price: not found in what the agent was shown", "2: price: sold out"),
)
ANSWER = {"id": "a", "run_id": "r1", "role": "assistant", "content": "Two."}


def test_columns_are_written_with_their_types() -> None:
    schema = read_columns(" name, Price, €: number,stock:Integer, steel : boolean")
    kinds = {name: part["type"] for name, part in schema["items"]["properties"].items()}
    assert kinds == {
        "name": "string",
        "Price": "string",
        "€": "number",
        "stock": "integer",
        "steel": "boolean",
    }
    assert read_schema(schema).names == tuple(kinds)


@pytest.mark.parametrize("text", ["", " , ", "price:euros", "name:"])
def test_columns_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_columns(text)


def test_the_table_of_a_run_is_shown_once_before_its_end() -> None:
    story = Story()
    story.run()
    assert story.tell("message", message=recorded(1, AMBER)) == []
    assert story.tell("message", message=recorded(2, BLUE)) == []
    items = story.tell("done", message=ANSWER, usage={})
    assert [type(item) for item in items] == [Spoken, ResultTable, Finished]
    assert items[1] == TABLE
    assert story.view.results.newest_run == "r1"


def test_a_run_that_fails_shows_what_it_has() -> None:
    story = Story()
    story.run()
    story.tell("message", message=recorded(1, AMBER, BLUE))
    items = story.tell("error", code="cancelled", message="Task cancelled")
    assert [type(item) for item in items] == [ResultTable, Failed]


def test_a_loaded_session_shows_its_tables_with_edited_cells() -> None:
    story = Story()
    items = story.view.load(session(messages=[recorded(1, AMBER, BLUE), ANSWER]))
    assert TABLE in items
    changed = {**AMBER, "values": {"name": "Amber", "price": 40}, "unverified": []}
    assert story.tell("message", message=recorded(1, changed, BLUE)) == []
    table = story.view.results.table_of("r1")
    assert table is not None
    assert table.rows[0] == ("Amber", "40")


def test_a_table_is_drawn_with_its_notes() -> None:
    out = StringIO()
    Console(file=out, theme=THEME, width=60).print(draw(TABLE))
    text = out.getvalue()
    for part in ("name", "43.9 ?", "–", "2: price: sold out"):
        assert part in text


class Files(Client):
    """A client whose files are their own addresses."""

    async def fetch(self, path: str, **params: str) -> bytes:
        return f"{path} {params}".encode()


@pytest.fixture
def conversation() -> Conversation:
    return Conversation(Files(Address("http://pilot.example")), PlainScreen(StringIO(), StringIO()), "s1")


async def enter(conversation: Conversation, line: str) -> None:
    entry = parse(line, "chat")
    assert entry
    await conversation.do(entry)


async def test_the_newest_table_is_saved_in_the_format_of_the_files_name(
    conversation: Conversation, tmp_path: Path
) -> None:
    conversation.view.load(session(messages=[recorded(1, AMBER), ANSWER]))
    for form in ("csv", "xlsx", "json"):
        file = tmp_path / f"kettles.{form}"
        await enter(conversation, f"/save {file}")
        assert file.read_text() == f"/runs/r1/result {{'format': '{form}'}}"
    with pytest.raises(UsageError, match=r"ends in \.csv"):
        await enter(conversation, f"/save {tmp_path / 'kettles.pdf'}")
    with pytest.raises(UsageError, match="cannot be written"):
        await enter(conversation, f"/save {tmp_path / 'nowhere' / 'kettles.csv'}")


async def test_without_a_table_nothing_is_saved(conversation: Conversation, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no table"):
        await enter(conversation, f"/save {tmp_path / 'kettles.csv'}")
