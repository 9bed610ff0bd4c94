"""The model providers: their names and the settings that each needs.

A new provider is an entry of PROVIDERS, a module of this folder with its class, and a line in `chat_model._build`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr

from server.browser.addresses import host_matches, host_of, is_near, without_login
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
    return Endpoint.of("openai", "", settings).address is not None


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked. `address` is None at the provider's own. `is_near`: on this machine or in its network, by
    a protocol of local servers; what speaks another one there is a gateway to its provider."""

    model: str
    address: str | None = None
    is_near: bool = False

    @classmethod
    def of(cls, provider: str, model: str, settings: Settings) -> Endpoint:
        given = getattr(settings, f"{provider}_base_url", None)
        address = without_login(given or (OLLAMA_URL if provider == "ollama" else "")).partition("?")[0]
        host = host_of(address)
        if not host or host_matches(host, _OFFICIAL):
            return cls(f"{provider}:{model}")
        return cls(f"{provider}:{model}", address, provider in ("openai", "ollama") and is_near(host))

    def __str__(self) -> str:
        return f"{self.model} at {self.address}" if self.address else self.model


OLLAMA_URL = "http://127.0.0.1:11434"
_OFFICIAL = ("openai.com", "anthropic.com", "openrouter.ai", "googleapis.com", "ollama.com")
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
