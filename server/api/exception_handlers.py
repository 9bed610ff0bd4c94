"""Exception handlers of the routes, which return `application/problem+json`."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from server.agent.logins import VaultLocked
from server.errors import AppError, Conflict, Unavailable
from server.http.problems import problem, render
from server.ops import stale_install
from wording.catalogue import joined, sentence
from wording.fault_words import fault_words

logger = logging.getLogger(__name__)

CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 408: "timeout", 413: "too_large"}

FULL = "storage_full", sentence("storage.full")
FAILS = "storage_failed", sentence("storage.fails")
DENIED = "storage_failed", sentence("server.data_folder_read_only")
BAD_DISK = {
    errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EIO: FAILS, errno.EROFS: FAILS, errno.EACCES: DENIED, errno.EPERM: DENIED,
}  # fmt: skip

HIDDEN_KEY = "[key]"
"""In pydantic's places: what is wrong is the name before it."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def methods_of(request: Request) -> list[str]:
    """The methods of the path: for `/automations/export` not those of `/automations/{id}`, which fits it, too."""
    fitting = [one for one in request.app.routes if one.matches(request.scope)[0] is not Match.NONE]
    routes = [one for one in fitting if one.path == fitting[0].path]
    return [method for method in METHODS if any(method in (one.methods or ()) for one in routes)]


def _place(error: Mapping[str, Any]) -> str:
    """Where the input is wrong, without names that the client has chosen: those are input, too."""
    place = [str(part)[:100] for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        place = place[:-1]
    if HIDDEN_KEY in place:
        place = [*place[: place.index(HIDDEN_KEY) - 1], HIDDEN_KEY]
    return ".".join(place)


def install(app: FastAPI) -> None:
    """Register the handlers for all exceptions of routes."""

    @app.exception_handler(AppError)
    async def app_error(request: Request, error: AppError) -> Response:
        return render(error, request.state.request_id)

    @app.exception_handler(VaultLocked)
    async def vault_locked(request: Request, error: VaultLocked) -> Response:
        return render(Conflict(error.why, code="vault_locked"), request.state.request_id)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        # The input is not returned: it may contain text that cannot be encoded, or secrets.
        faults = [joined((_place(item), fault_words(item)), ": ") for item in error.errors()[:10]]
        return problem(422, "invalid", joined(faults, "; "), request.state.request_id)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        code = CODES.get(error.status_code, "http_error")
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(methods_of(request))
        return problem(error.status_code, code, str(error.detail), request.state.request_id, headers)

    @app.exception_handler(OSError)
    async def bad_disk(request: Request, error: OSError) -> Response:
        if error.errno not in BAD_DISK:
            raise error
        logger.error("request %s failed: %s", request.state.request_id, error)
        code, words = BAD_DISK[error.errno]
        return render(Unavailable(words, code=code, retry_after=60), request.state.request_id)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        request_id = getattr(request.state, "request_id", "")
        logger.error("request %s failed", request_id, exc_info=error)
        words = stale_install.REPLACED_SENTENCE if stale_install.is_stale() else sentence("server.failed")
        return problem(500, "internal", words, request_id)
