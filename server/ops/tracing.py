"""Configures LangSmith tracing from the settings, without importing LangSmith."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from server.settings import Settings


def configure_tracing(settings: Settings, environ: MutableMapping[str, str] = os.environ) -> None:
    """Set the environment variables that LangSmith's client reads.

    Call it before LangChain is imported. Without `LANGSMITH_TRACING` the environment is not changed.
    """
    if not settings.langsmith_tracing:
        return
    environ["LANGSMITH_TRACING"] = "true"
    key = settings.langsmith_api_key
    values = {
        "LANGSMITH_API_KEY": key.get_secret_value() if key else None,
        "LANGSMITH_ENDPOINT": settings.langsmith_endpoint,
        "LANGSMITH_PROJECT": settings.langsmith_project,
    }
    environ.update({name: value for name, value in values.items() if value})
