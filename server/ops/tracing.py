"""LangSmith tracing, as the settings say. Nothing of LangSmith is imported here."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from server.settings import Settings


def configure_tracing(settings: Settings, environ: MutableMapping[str, str] = os.environ) -> None:
    """Hand the settings to LangSmith's client, which reads the environment and nothing else.

    To be called before LangChain is imported. Without `LANGSMITH_TRACING` the environment stays as it is.
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
