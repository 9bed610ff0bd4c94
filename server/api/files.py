"""Routes for screenshots, and for the downloads and uploads of a session."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, UploadFile
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import Response

from server.api.deps import RuntimeDep, SessionId
from server.api.schemas import File, Files
from server.files.screenshots import PICTURE_NAME
from server.files.session_files import FileInfo

router = APIRouter(prefix="/api")

PICTURE_HEADERS = {
    "cache-control": "private, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
}


PICTURE_ROUTE = "/{session_id}/{name}"


@router.get(f"/files/screenshots{PICTURE_ROUTE}", response_class=Response)
async def screenshot(
    session_id: str, name: str, runtime: RuntimeDep, w: Annotated[int | None, Query()] = None
) -> Response:
    data, media_type = await runtime.screenshots.read(session_id, name, w)
    return Response(data, media_type=media_type, headers=PICTURE_HEADERS)


class PictureName(Convertor[str]):
    """The name of a screenshot, in a route's path."""

    regex = PICTURE_NAME.pattern

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("picture", PictureName())

pictures = APIRouter()
"""The same screenshots under any prefix: stored addresses keep the `SCREENSHOT_URL_PREFIX` of their time."""
pictures.get("/{prefix:path}/{session_id}/{name:picture}", response_class=Response, include_in_schema=False)(
    screenshot
)


def file_of(session_id: str, info: FileInfo) -> File:
    return File(
        name=info.name,
        size=info.size,
        origin=info.origin,
        created_at=info.created_at,
        url=f"/api/sessions/{session_id}/files/{quote(info.name)}",
    )


@router.get("/sessions/{session_id}/files")
async def list_files(session_id: SessionId, runtime: RuntimeDep) -> Files:
    await runtime.store.session(session_id)
    return Files(items=[file_of(session_id, info) for info in await runtime.files.items(session_id)])


@router.post("/sessions/{session_id}/files", status_code=201)
async def upload(session_id: SessionId, runtime: RuntimeDep, file: UploadFile) -> File:
    await runtime.store.session(session_id)
    info = await runtime.files.add(session_id, file.filename or "file", await file.read())
    return file_of(session_id, info)


@router.get("/sessions/{session_id}/files/{name}", response_class=Response)
async def download(session_id: SessionId, name: str, runtime: RuntimeDep) -> Response:
    await runtime.store.session(session_id)
    return as_download(name, await runtime.files.read(session_id, name))


def as_download(name: str, data: bytes) -> Response:
    """No browser shows it as a page."""
    headers = PICTURE_HEADERS | {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "cache-control": "private, no-store",
    }
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.delete("/sessions/{session_id}/files/{name}", status_code=204)
async def remove(session_id: SessionId, name: str, runtime: RuntimeDep) -> Response:
    await runtime.store.session(session_id)
    await runtime.files.remove(session_id, name)
    return Response(status_code=204)
