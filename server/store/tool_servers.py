"""Queries for the MCP servers that the person has added."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, delete, select

from server.database import Database, reading, writing
from server.database.models import ToolServerRow
from server.errors import Conflict, NotFound
from server.events import now
from server.ops.json_types import JsonObject
from server.store.records import new_id
from server.store.rows import change, every, first, get, insert
from wording.catalogue import sentence

TOOL_SERVERS = select(ToolServerRow).order_by(ToolServerRow.name)
MAX_TOOL_SERVERS = 20

Tools = list[JsonObject]


class ToolServerQueries:
    database: Database

    @reading
    def tool_servers(self, db: Connection) -> list[ToolServerRow]:
        return every(db, ToolServerRow, TOOL_SERVERS)

    @reading
    def tool_server(self, db: Connection, server_id: str) -> ToolServerRow:
        return _server_of(db, server_id)

    @writing
    def add_tool_server(self, db: Connection, /, **values: object) -> ToolServerRow:
        """Raises Conflict `too_many_servers` or `name_taken`."""
        if len(every(db, ToolServerRow, TOOL_SERVERS)) >= MAX_TOOL_SERVERS:
            raise Conflict(sentence("tool_server.too_many", n=MAX_TOOL_SERVERS), code="too_many_servers")
        _check_name(db, str(values["name"]), "")
        return insert(db, ToolServerRow(id=new_id(), created_at=now(), **values))

    @writing
    def change_tool_server(
        self, db: Connection, server_id: str, /, *, retool: Callable[[Tools], Tools] | None = None, **values: object
    ) -> ToolServerRow:  # fmt: skip
        """`retool` makes the tools of those that are stored, in the transaction: others may change them, too."""
        row = _server_of(db, server_id, lock=True)
        if "name" in values:
            _check_name(db, str(values["name"]), server_id)
        if retool:
            values["tools"] = retool(row.tools)
        if values:
            change(db, row, **values)
        return row

    @writing
    def remove_tool_server(self, db: Connection, server_id: str) -> None:
        if not db.execute(delete(ToolServerRow).where(ToolServerRow.id == server_id)).rowcount:
            raise NotFound(sentence("tool_server.unknown"), code="server_unknown")


def _server_of(db: Connection, server_id: str, *, lock: bool = False) -> ToolServerRow:
    row = get(db, ToolServerRow, server_id, lock=lock)
    if row is None:
        raise NotFound(sentence("tool_server.unknown"), code="server_unknown")
    return row


def _check_name(db: Connection, name: str, server_id: str) -> None:
    same = first(db, ToolServerRow, select(ToolServerRow).where(ToolServerRow.name == name))
    if same and same.id != server_id:
        raise Conflict(sentence("tool_server.name_taken", name=name), code="name_taken")
