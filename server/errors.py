"""The hierarchy of errors that clients can see.

AppError
├── BadRequest      422  invalid input
├── Unauthorized    401  not logged in
├── Forbidden       403  not permitted, for example a foreign origin or an action that the policy denies
├── NotFound        404
├── Conflict        409  valid input that does not fit the current state
├── TooLarge        413
├── TooMany         429  retry after `retry_after` seconds
├── Unavailable     503  a dependency is unavailable; retry after `retry_after` seconds
└── RunFailed       ---  ends a run: its `code` and text become the run's terminal error event
    └── ModelNotConfigured
"""

from __future__ import annotations

from wording.catalogue import Wording


class AppError(Exception):
    """An error with an HTTP status, a stable code for programs and a sentence for users."""

    status = 500
    code = "internal"

    def __init__(self, detail: Wording, *, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.retry_after = retry_after


class Explained(Exception):
    """Base of exceptions whose text is the product's own: `why` is a sentence or a part of one."""

    def __init__(self, why: Wording) -> None:
        super().__init__(why)
        self.why = why


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
    """Ends a run with an error. `detail` is shown to the user: what happened and what to do."""

    status, code = 500, "run_failed"


class ModelNotConfigured(RunFailed):
    status, code = 409, "model_not_configured"
