"""The model providers: the settings each needs and the options for LangChain's constructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from server.settings import Settings

OPENROUTER_URL = "https://openrouter.ai/api/v1"
OLLAMA_URL = "http://127.0.0.1:11434"
OLLAMA_CONTEXT = 16_384
"""Tokens. With Ollama's default of 4096, the start of a longer prompt is cut without a warning."""


@dataclass(frozen=True)
class Provider:
    """`langchain` is LangChain's name of the provider. `key` is the setting with the API key (in upper case:
    the environment variable), None if it needs none. `parallel_tools` is the value to request, None if
    unsupported."""

    name: str
    label: str
    langchain: str
    key: str | None
    options: Callable[[Settings], dict[str, Any]]
    parallel_tools: bool | None = None

    @property
    def env(self) -> str | None:
        return self.key.upper() if self.key else None

    def secret(self, settings: Settings) -> str | None:
        value = getattr(settings, self.key) if self.key else None
        return value.get_secret_value() or None if isinstance(value, SecretStr) else None

    def missing(self, settings: Settings) -> str | None:
        """The environment variable that must be set first, None if the provider can be used."""
        if self.key is None or self.secret(settings) or (self.name == "openai" and is_own_server(settings)):
            return None
        return self.env


def is_own_server(settings: Settings) -> bool:
    """True if OPENAI_BASE_URL points to a server other than OpenAI's; such servers often need no key."""
    host = urlsplit(settings.openai_base_url or "").hostname
    return host is not None and host != "openai.com" and not host.endswith(".openai.com")


def speaks_responses(settings: Settings) -> bool:
    """True to use the Responses API: by default for OpenAI itself, where images in tool results require it.

    Other servers use Chat Completions by default.
    """
    if settings.openai_api == "auto":
        return not is_own_server(settings)
    return settings.openai_api == "responses"


def _anthropic(settings: Settings) -> dict[str, Any]:
    return {"base_url": settings.anthropic_base_url, "default_request_timeout": None, "max_retries": 0}


def _openai(settings: Settings) -> dict[str, Any]:
    return {
        "base_url": settings.openai_base_url,
        "timeout": None,
        "max_retries": 0,
        "stream_usage": True,
        "stream_chunk_timeout": None,
        "use_responses_api": speaks_responses(settings),
    }


def _openrouter(settings: Settings) -> dict[str, Any]:
    return {
        "base_url": settings.openrouter_base_url or OPENROUTER_URL,
        "timeout": None,
        "max_retries": 0,
        "stream_usage": True,
        "stream_chunk_timeout": None,
        "use_responses_api": False,
    }


def _google(settings: Settings) -> dict[str, Any]:
    return {"base_url": settings.google_base_url, "max_retries": 1, "vertexai": False}


def _ollama(settings: Settings) -> dict[str, Any]:
    return {"base_url": settings.ollama_base_url or OLLAMA_URL, "num_ctx": OLLAMA_CONTEXT}


PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "anthropic", "Anthropic", "anthropic", "anthropic_api_key", _anthropic, parallel_tools=False
        ),
        Provider("openai", "OpenAI", "openai", "openai_api_key", _openai, parallel_tools=False),
        Provider(
            "openrouter", "OpenRouter", "openai", "openrouter_api_key", _openrouter, parallel_tools=False
        ),
        Provider("google", "Google", "google_genai", "google_api_key", _google),
        Provider("ollama", "Ollama", "ollama", None, _ollama),
    )
}

_ALIASES = {"google_genai": "google", "gemini": "google"}
_PREFIXES = {"claude": "anthropic", "gpt-": "openai", "o3": "openai", "o4": "openai", "gemini": "google"}


def split_name(name: str) -> tuple[str, str]:
    """Split `provider:model` at the first colon. Well-known model names need no provider."""
    provider, colon, model = name.strip().partition(":")
    if colon:
        return _ALIASES.get(provider, provider), model
    for prefix, known in _PREFIXES.items():
        if provider.startswith(prefix):
            return known, provider
    return "", provider
