"""Errors of the command line, with messages that say what to do.

CliError
├── Unreachable     no server answers, or it is not Pilothouse
├── UsageError      invalid command or option
└── ServerRefused   the server rejected the request: `status`, `code`, `retry_after`
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from cli.words import localized, t

ADVICE = {
    "run_in_progress": "It is still working: /stop ends the run.",
    "takeover_held": "Somebody has taken the browser over; it is free when they hand it back.",
}


class CliError(Exception):
    """Its message is shown to the user unchanged."""


class Unreachable(CliError):
    @classmethod
    def not_answering(cls, url: str, error: Exception) -> Unreachable:
        number = getattr(error, "errno", None)
        why = os.strerror(number) if isinstance(number, int) and number > 0 else error or type(error).__name__
        return cls(
            t(
                "No server at {url} ({why}). "
                "Is it running? `make run` or `pilothouse serve` starts one; --url or PILOTHOUSE_URL names another.",
                url=url,
                why=why,
            )
        )


class UsageError(CliError):
    pass


class ServerRefused(CliError):
    """A response with an error status, parsed from its `application/problem+json`."""

    def __init__(self, status: int, problem: Mapping[str, Any], url: str, retry_after: str | None) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))
        hint = t(" Is it older than this command line?") if status == 404 else ""
        unexplained = t("The server answered HTTP {status} and nothing more.{hint}", status=status, hint=hint)
        self.detail = localized(problem, "detail") or str(problem.get("title") or unexplained)
        self.retry_after = _seconds(retry_after)
        super().__init__(self._explain(problem, url))

    def _explain(self, problem: Mapping[str, Any], url: str) -> str:
        if self.status == 401:
            return t(
                "Not logged in at {url}. Give the server's token with --token or AUTH_TOKEN; a server that "
                "made one itself keeps it in auth_token in its data folder.",
                url=url,
            )
        if self.status == 429:
            return t("Too many requests: try again in {pause}.", pause=self._pause())
        if self.status == 503:
            return t("{detail} Try again in {pause}.", detail=self.detail, pause=self._pause())
        if self.status >= 500:
            request_id = problem.get("request_id", "unknown")
            return t(
                "The server failed: {detail} (request {id}, see its log).", detail=self.detail, id=request_id
            )
        advice = ADVICE.get(self.code)
        return " ".join(filter(None, (self.detail, advice and t(advice))))

    def _pause(self) -> str:
        return t("{n} s", n=f"{self.retry_after:.0f}") if self.retry_after else t("a moment")


def _seconds(text: str | None) -> float | None:
    """`Retry-After` in seconds; its date form is not supported and gives None."""
    try:
        return float(text) if text else None
    except ValueError:
        return None
