"""Rows of a table, as the `record` of a run keeps them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from server.database.models import RunRow
from server.events import Message
from server.results.columns import read_schema
from server.results.rows import ResultRow
from server.store import Store

KETTLES: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number", "description": "in euros"}},
}
AT = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


def kettle(number: int, price: float | None, **more: Any) -> ResultRow:
    values = {"name": f"kettle {number}", "price": price}
    return ResultRow(id=f"c-{number}", values=values, at=AT, url="https://shop.example/", **more)


async def record(
    store: Store, run: RunRow, *rows: ResultRow, schema: Any = None, is_part: bool = False
) -> Message:
    """What the recorder stores at the end of a `record`."""
    result = {
        "schema": read_schema(schema or KETTLES).to_json(),
        "rows": [row.to_json() for row in rows],
        "is_part": is_part,
    }
    meta = {
        "call_id": rows[0].id,
        "name": "record",
        "ok": True,
        "args": {"rows": len(rows)},
        "result": result,
    }
    message = await store.add_tool_message(run, f"{len(rows)} rows added", meta)
    assert message
    return message
