"""The inbox: the open questions of all sessions, and those decided lately. `POST /api/sessions/{id}/decision` answers one."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from server.api.deps import RuntimeDep, Text
from server.api.schemas import OpenQuestion, Questions
from server.api.sessions import question_of
from server.events import now

router = APIRouter(prefix="/api/questions")


@router.get("")
async def list_questions(
    runtime: RuntimeDep,
    status: Literal["open", "decided"] = "open",
    since: AwareDatetime | None = None,
    cursor: Annotated[Text | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Questions:
    """The open ones: the next to expire first, those that do not expire last. The decided ones: the newest first, at most
    `limit` of those decided at `since` or later."""
    if status == "open":
        found = await runtime.store.open_questions(cursor=cursor, limit=limit)
    else:
        found = await runtime.store.decided_questions(since or now() - timedelta(days=1), limit=limit)
    items = [
        OpenQuestion(**dict(question_of(row)), session_id=row.session_id, session_title=title)
        for row, title in found.rows
    ]
    return Questions(items=items, next_cursor=found.next_cursor, total=found.total)
