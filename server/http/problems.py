"""Renders errors for clients as `application/problem+json`, without internal details."""

from __future__ import annotations

import math
from http import HTTPStatus

import orjson
from starlette.responses import Response

from server.errors import AppError
from wording.catalogue import changed, parts_of


def render(error: AppError, request_id: str) -> Response:
    headers = {"retry-after": str(math.ceil(error.retry_after))} if error.retry_after else {}
    return problem(error.status, error.code, error.detail, request_id, headers)


def problem(
    status: int, code: str, detail: str, request_id: str, headers: dict[str, str] | None = None
) -> Response:
    words = changed(detail, lambda text: text.encode("utf-8", "replace").decode())  # may contain client input
    body = {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": words,
        "request_id": request_id,
        **({"detail_parts": parts} if (parts := parts_of(words)) else {}),
    }
    return Response(
        orjson.dumps(body),
        status,
        {"cache-control": "no-store", **(headers or {})},
        media_type="application/problem+json",
    )
