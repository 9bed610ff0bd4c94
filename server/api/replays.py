"""Replays by a link: one session, read only, without a login. The secret of the link is the login."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import HTMLResponse, Response, StreamingResponse

from server.api.deps import Body, RuntimeDep, SessionId
from server.api.export import conversation_of
from server.api.files import as_download
from server.api.links import Secret
from server.api.schemas import NewReplayLink, ReplayLink, ReplayLinks
from server.auth.logins import read_cookies
from server.channels.messages import replay_link
from server.database.models import ReplayLinkRow
from server.errors import NotFound, Unauthorized
from server.events import now
from server.files.session_files import FileInfo
from server.files.transcript import Language
from server.runtime import Runtime
from server.store.links import no_such_link
from wording.catalogue import sentence

router = APIRouter(prefix="/api")

REPLAY_COOKIE = "pilothouse-replay"
REPLAY_PATH = "/api/links/replay"
TO_LINK_PAGE = '<!doctype html><title>Pilothouse</title><meta http-equiv="refresh" content="0; url=../../r">'
"""From `REPLAY_PATH` to the web UI's page for such links, which says without a secret that the link is not valid."""
REPLAY_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-store",
    "content-security-policy": "sandbox allow-scripts allow-downloads; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'",
}
"""The page's own script steps through it. The sandbox gives it an origin of its own, without the owner's login."""


class ReplayLinkBody(Body):
    days: Annotated[int, Field(ge=1, le=365)]
    with_files: bool = False
    """Whether the session's files can be downloaded, too."""


@router.post("/sessions/{session_id}/replays", status_code=201)
async def add_link(session_id: SessionId, body: ReplayLinkBody, runtime: RuntimeDep) -> NewReplayLink:
    """Make a link that shows the session as it is now. It is shown this once."""
    secret = secrets.token_urlsafe(32)
    expires_at = now() + timedelta(days=body.days)
    row = await runtime.store.add_replay_link(session_id, secret, expires_at, with_files=body.with_files)
    link = replay_link(runtime.current_settings.public_address, secret)
    return NewReplayLink(**ReplayLink.model_validate(row).model_dump(), link=link)


@router.get("/sessions/{session_id}/replays")
async def list_links(session_id: SessionId, runtime: RuntimeDep) -> ReplayLinks:
    """The links that are valid now, the oldest first."""
    found = await runtime.store.replay_links(session_id)
    return ReplayLinks(items=[ReplayLink.model_validate(row) for row in found])


@router.delete("/sessions/{session_id}/replays/{link_id}", status_code=204)
async def end_link(session_id: SessionId, link_id: str, runtime: RuntimeDep) -> Response:
    await runtime.store.end_replay_link(session_id, link_id)
    return Response(status_code=204)


@router.post("/links/replay/open", status_code=204)
async def open_link(request: Request, runtime: RuntimeDep, secret: Secret = "") -> Response:
    """Keep the secret in a cookie for the page, whose address, which proxies log, has none."""
    row = await runtime.store.replay_link(secret)
    response = Response(status_code=204)
    response.set_cookie(
        REPLAY_COOKIE, secret, max_age=int((row.expires_at - now()).total_seconds()),
        path=f"{runtime.settings.base_path}{REPLAY_PATH}", httponly=True,
        samesite="lax",  # the page's own links to files come from an origin of its own
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


async def get_link(request: Request, runtime: RuntimeDep) -> ReplayLinkRow | None:
    for secret in read_cookies(request.headers, REPLAY_COOKIE):
        try:
            return await runtime.store.replay_link(secret)
        except Unauthorized:
            continue
    return None


Opened = Annotated[ReplayLinkRow | None, Depends(get_link)]


@router.get("/links/replay", response_class=Response)
async def replay(request: Request, opened: Opened, runtime: RuntimeDep, lang: Language = "en") -> Response:
    """The page of the link that was opened last, as an HTML export shows it."""
    if opened is None:
        if "text/html" in request.headers.get("accept", ""):  # a person, whose link has ended
            return HTMLResponse(TO_LINK_PAGE, 401)
        raise no_such_link()
    from server.files.report import FileLink, to_html  # Jinja and Markdown, of use to exports only

    whole = await conversation_of(runtime, opened.session_id)
    conversation = whole.until(opened.last_position, opened.created_at)
    files = [
        FileLink(info.name, f"replay/files/{quote(info.name, safe='')}")
        for info in await shared_files(runtime, opened)
    ]
    parts = to_html(conversation, runtime.screenshots.path_of, lang, files=files)
    return StreamingResponse(parts, media_type="text/html", headers=REPLAY_HEADERS)


@router.get("/links/replay/files/{name}", response_class=Response)
async def file(name: str, opened: Opened, runtime: RuntimeDep) -> Response:
    if opened is None:
        raise no_such_link()
    if name not in {info.name for info in await shared_files(runtime, opened)}:
        raise NotFound(sentence("file.unknown"))
    return as_download(name, await runtime.files.read(opened.session_id, name))


async def shared_files(runtime: Runtime, opened: ReplayLinkRow) -> Sequence[FileInfo]:
    if not opened.with_files:
        return []
    items = await runtime.files.items(opened.session_id)
    return [info for info in items if info.created_at <= opened.created_at]
