"""The model providers: their names and the settings that each needs.

A new provider is an entry of PROVIDERS, a module of this folder with its class, and a line in `chat_model._build`.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from server.settings import Settings


@dataclass(frozen=True)
class Provider:
    """`key` is the setting with the API key (in upper case: the environment variable), None if it needs none."""

    name: str
    label: str
    key: str | None

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


PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider("anthropic", "Anthropic", "anthropic_api_key"),
        Provider("openai", "OpenAI", "openai_api_key"),
        Provider("openrouter", "OpenRouter", "openrouter_api_key"),
        Provider("google", "Google", "google_api_key"),
        Provider("ollama", "Ollama", None),
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
