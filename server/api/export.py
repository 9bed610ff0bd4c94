"""Sessions as files to take away."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response

from server.api.deps import SessionId, World
from server.events import State
from server.export import Conversation, file_name, to_html, to_json, to_markdown, to_zip
from server.runtime import Runtime

router = APIRouter(prefix="/api")

MEDIA_TYPES = {"md": "text/markdown", "json": "application/json", "html": "text/html"}


@router.get("/sessions/{session_id}/export", response_class=Response)
async def export_session(
    session_id: SessionId, world: World, format: Literal["md", "json", "html"] = "md"
) -> Response:
    conversation = await _conversation(world, session_id)
    match format:
        case "md":
            text = to_markdown(conversation)
        case "json":
            text = to_json(conversation)
        case "html":
            text = await asyncio.to_thread(to_html, conversation, world.screenshots.path_of)
    return _attachment(text.encode(), MEDIA_TYPES[format], file_name(conversation, format))


@router.get("/export", response_class=Response)
async def export_all(world: World) -> Response:
    ids = await world.store.sessions_untouched_since(None)
    conversations = [await _conversation(world, session_id) for session_id in ids]
    data = await asyncio.to_thread(to_zip, iter(conversations))
    return _attachment(data, "application/zip", "pilothouse.zip")


async def _conversation(world: Runtime, session_id: str) -> Conversation:
    overview = await world.store.overview(session_id)
    state = await world.runner.working_state.read(session_id) or State()
    return Conversation(overview.session, overview.messages, state.model_dump(exclude={"type"}))


def _attachment(data: bytes, media_type: str, name: str) -> Response:
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
        "content-security-policy": "sandbox; default-src 'none'",
    }
    return Response(data, media_type=media_type, headers=headers)
