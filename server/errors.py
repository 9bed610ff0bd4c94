"""The one family of errors that a client can see.

AppError
├── BadRequest      422  the input is wrong and can be corrected
├── Unauthorized    401  nobody is logged in
├── Forbidden       403  the request comes from somewhere that may not ask
├── NotFound        404
├── Conflict        409  right input, wrong moment
├── TooLarge        413
├── TooMany         429  come back after `retry_after` seconds
├── Unavailable     503  a part we depend on is away; come back after `retry_after` seconds
└── RunFailed       ---  ends a run: its `code` and text become the run's terminal error event
    └── ModelNotConfigured
"""

from __future__ import annotations


class AppError(Exception):
    """An error with an HTTP status, a stable code for programs and a sentence for people."""

    status = 500
    code = "internal"

    def __init__(self, detail: str, *, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.retry_after = retry_after


class BadRequest(AppError):
    status, code = 422, "invalid"


class Unauthorized(AppError):
    status, code = 401, "unauthorized"


class Forbidden(AppError):
    status, code = 403, "forbidden"


class NotFound(AppError):
    status, code = 404, "not_found"


class Conflict(AppError):
    status, code = 409, "conflict"


class TooLarge(AppError):
    status, code = 413, "too_large"


class TooMany(AppError):
    status, code = 429, "too_many"


class Unavailable(AppError):
    status, code = 503, "unavailable"


class RunFailed(AppError):
    """A run cannot go on. `detail` is shown to the person: what happened and what to do."""

    status, code = 500, "run_failed"


class ModelNotConfigured(RunFailed):
    status, code = 409, "model_not_configured"
