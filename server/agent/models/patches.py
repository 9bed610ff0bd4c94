"""Install our transport and our Chat Completions in the models that LangChain builds."""

from __future__ import annotations

import logging
from typing import Any

from langchain_core.language_models import BaseChatModel

from server.agent.models.httpx_compat import OlderTransport
from server.agent.models.providers import Provider
from server.agent.models.transport import model_http_client

log = logging.getLogger(__name__)

_GOOGLES_THOUGHTLESS = ("gemini-1", "gemini-2.0", "gemma", "learnlm")
"""Models that reject a request for thoughts."""


def options_for(provider: Provider, model: str, options: dict[str, Any]) -> dict[str, Any]:
    """Adapt the constructor's options to the provider's class."""
    if provider.name == "anthropic" and "thinking" not in options and _thinks_by_default(model):
        options["thinking"] = {"type": "adaptive", "display": "summarized"}
    options = {key: value for key, value in options.items() if value is not None or key.endswith("timeout")}
    if provider.langchain == "openai":
        return options | {
            "http_async_client": model_http_client(),
            "api_key": options.get("api_key") or "none",
        }
    if provider.name == "google":
        return {"include_thoughts": not model.startswith(_GOOGLES_THOUGHTLESS)} | options
    if provider.name == "ollama":
        options["num_predict"] = options.pop("max_tokens")
        options.pop("streaming")
        return {"reasoning": True, "async_client_kwargs": {"transport": OlderTransport()}} | options
    return options


def attach(provider: Provider, model: BaseChatModel) -> None:
    """Replace the HTTP client or class of a model that is already built, where possible."""
    if provider.langchain == "openai":
        _attach_chat_completions(model)
    elif provider.name == "anthropic":
        _attach_anthropic(model)
    elif provider.name == "google":
        _attach_google(model)
    elif provider.name == "ollama":
        _attach_ollama(model)


def _thinks_by_default(model: str) -> bool:
    """True for Anthropic models without a temperature: they always think, but show it only on request."""
    from langchain_anthropic import ChatAnthropic

    profile = ChatAnthropic(model_name=model, api_key="none").profile or {}  # type: ignore[call-arg]
    return bool(profile.get("reasoning_output")) and profile.get("temperature") is False


def _attach_anthropic(model: Any) -> None:
    """Copy the SDK client inside ChatAnthropic, which accepts no HTTP client itself, with our HTTP client."""
    client = getattr(model, "_async_client", None)
    if client is None:
        log.info("this langchain-anthropic hides its client: models use its own HTTP transport")
        return
    model.__dict__["_async_client"] = client.with_options(http_client=model_http_client())


def _attach_google(model: Any) -> None:
    from server.agent.models.gemini import ClosingGemini, client_for

    model.__class__ = ClosingGemini
    model.client = client_for(model.google_api_key.get_secret_value(), model.base_url)


def _attach_ollama(model: Any) -> None:
    from server.agent.models.ollama import ThinkingOllama

    model.__class__ = ThinkingOllama


def _attach_chat_completions(model: Any) -> None:
    from server.agent.models.openai import CompatibleChat, PlainCompletions

    if model.use_responses_api:
        return
    model.__class__ = CompatibleChat
    model.async_client = PlainCompletions(model.root_async_client)
