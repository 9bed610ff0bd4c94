"""Routes that export sessions as files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from server.api.deps import RuntimeDep, SessionId
from server.api.grants import to_grant
from server.errors import NotFound
from server.events import StateChanged
from server.files.export import Archive, Conversation, file_name, to_json, to_markdown
from server.files.transcript import Language
from server.ops.json_types import JsonObject
from server.runtime import Runtime

router = APIRouter(prefix="/api")

ATTACHMENT = {
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
    "content-security-policy": "sandbox; default-src 'none'",
}
"""Headers of a file that holds text from pages."""
EXPORT_TYPES = {"md": "text/markdown", "json": "application/json", "html": "text/html"}


@router.get("/sessions/{session_id}/export", response_class=Response)
async def export_session(
    session_id: SessionId,
    runtime: RuntimeDep,
    format: Literal["md", "json", "html"] = "md",
    lang: Language = "en",
) -> Response:
    """`lang` is the language of the headings of an HTML page."""
    conversation = await conversation_of(runtime, session_id)
    parts: Iterable[str]
    match format:
        case "md":
            parts = [to_markdown(conversation)]
        case "json":
            parts = [to_json(conversation)]
        case "html":
            from server.files.report import to_html  # Jinja and Markdown, of use to exports only

            parts = to_html(conversation, runtime.screenshots.path_of, lang)
    return _attachment(parts, EXPORT_TYPES[format], file_name(conversation, format))


@router.get("/export", response_class=Response)
async def export_all(runtime: RuntimeDep) -> Response:
    return _attachment(_archived(runtime), "application/zip", "pilothouse.zip")


async def _archived(runtime: Runtime) -> AsyncIterator[bytes]:
    """Read, compress (in a thread) and yield one session after the other."""
    archive = Archive()
    for session_id in await runtime.store.session_ids():
        with suppress(NotFound):  # purged during the export
            conversation = await conversation_of(runtime, session_id)
            yield await asyncio.to_thread(archive.add, conversation)
    automations = await runtime.automations.exported()
    if automations["automations"]:
        yield await asyncio.to_thread(archive.add_document, "automations", automations)
    if grants := await _grants(runtime):
        yield await asyncio.to_thread(archive.add_document, "grants", {"grants": grants})
    yield await asyncio.to_thread(archive.end)


async def conversation_of(runtime: Runtime, session_id: str) -> Conversation:
    overview = await runtime.store.overview(session_id)
    state = await runtime.commands.working_state.read(session_id) or StateChanged()
    closed = [row for row in overview.questions if row.status != "open"]
    shown = state.model_dump(exclude={"type"})
    return Conversation(
        overview.session, overview.messages, shown, closed, overview.failures, overview.activities,
        await _grants(runtime, session_id), runtime.current_settings.time_zone or "UTC",
    )  # fmt: skip


async def _grants(runtime: Runtime, session_id: str | None = None) -> list[JsonObject]:
    return [
        to_grant(one).model_dump(mode="json") for one in await runtime.store.grants(session_id=session_id)
    ]


def _attachment(parts: Iterable[str] | AsyncIterator[bytes], media_type: str, name: str) -> Response:
    headers = ATTACHMENT | {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type=media_type, headers=headers)
