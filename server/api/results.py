"""Routes for the table of a run: as JSON, as a file, and the user's changes of its cells."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, Text
from server.api.export import ATTACHMENT
from server.api.schemas import Result
from server.errors import NotFound
from server.events import MessageAdded
from server.results.columns import CELL_CHARS
from server.results.rows import ResultRow, table_of
from server.results.sheets import to_csv, to_xlsx
from wording.catalogue import sentence

router = APIRouter(prefix="/api/runs/{run_id}/result")

RunId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_FILE_FORMATS = {"csv": (to_csv, "text/csv; charset=utf-8"), "xlsx": (to_xlsx, XLSX)}


class CellEdit(Body):
    """The new value of one cell; null for none."""

    row: Annotated[Text, Field(max_length=64)]
    column: Annotated[Text, Field(max_length=64)]
    value: Annotated[Text, Field(max_length=CELL_CHARS)] | bool | int | float | None


@router.get(
    "",
    response_model=Result,
    responses={200: {"content": {"text/csv": {}, XLSX: {}}}},
)
async def read(
    run_id: RunId, runtime: RuntimeDep, format: Literal["json", "csv", "xlsx"] = "json"
) -> Result | Response:
    run, messages = await runtime.store.run_with_messages(run_id)
    table = table_of(messages)
    if table is None:
        raise NotFound(sentence("run.no_table"), code="no_result")
    if format != "json":
        site = runtime.current_settings.public_address
        write, media_type = _FILE_FORMATS[format]
        data = await asyncio.to_thread(write, table, site)
        title = (await runtime.store.session(run.session_id)).title
        name = quote(re.sub(r"[^\w -]+", " ", title).strip()[:60].strip() or "result")
        headers = ATTACHMENT | {
            "content-disposition": f"attachment; filename=\"result-{run.id[:8]}.{format}\"; filename*=UTF-8''{name}.{format}"
        }
        return Response(data, media_type=media_type, headers=headers)
    answer = next((message for message in messages if message.id == run.answer_id), None)
    is_whole = run.status == "completed" and not (answer and (answer.meta_json or {}).get("outcome"))
    return Result(
        run_id=run.id, status=run.status, complete=is_whole and table.is_complete,
        result_schema=table.schema.to_json(), rows=list(table.rows),
    )  # fmt: skip


@router.patch("")
async def change(run_id: RunId, body: CellEdit, runtime: RuntimeDep) -> ResultRow:
    message, row = await runtime.store.change_cell(run_id, body.row, body.column, body.value)
    runtime.bus.publish(message.session_id, None, [MessageAdded(message=message)])
    return row
