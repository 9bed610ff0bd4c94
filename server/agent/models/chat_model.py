"""Build chat models by name: checks the key, sets limits, builds the provider's class."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from server.agent.models.catalog import KNOWN_MODELS, OfferedModel, known_model, usage_cost
from server.agent.models.errors import (
    ModelFailure,
    broken_tool_calls,
    check_complete,
    classify,
    is_cut,
    stop_reason,
)
from server.agent.models.providers import PROVIDERS, Provider, is_own_server, split_name
from server.errors import ModelNotConfigured
from server.settings import Settings
from wording.catalogue import Wording, sentence

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "DEMO",
    "ModelFailure",
    "broken_tool_calls",
    "build_chat_model",
    "check_complete",
    "classify",
    "forces_tools",
    "is_cut",
    "is_demo",
    "is_known",
    "is_ready",
    "model_choices",
    "stop_reason",
    "takes_images",
    "unknown_words",
    "usage_cost",
]

DEMO = "demo"
"""The name of the built-in model that needs no key: an addition, which `ModelMenu` is given or not."""


def build_chat_model(name: str, settings: Settings) -> BaseChatModel:
    """Build the chat model `name` (`provider:model`).

    Raises ModelNotConfigured, naming the missing setting, if it cannot be used with these settings.
    Runs may share models.
    """
    provider, model = _provider_of(name)
    if missing := provider.missing(settings):
        raise ModelNotConfigured(
            sentence("model.no_key", provider=provider.label, variable=missing, demo=DEMO)
        )
    return _build(provider.name, model, settings)


def is_demo(name: str) -> bool:
    return name.partition(":")[0] == DEMO


def is_known(name: str) -> bool:
    """True if the name has a known provider. The provider's models are not checked."""
    provider, model = split_name(name)
    return bool(model.strip()) and provider in PROVIDERS


def unknown_words(name: str) -> Wording:
    """The message to the user about an unknown model name."""
    known = ", ".join(f"{provider}:..." for provider in PROVIDERS)
    return sentence("model.unknown_named", model=repr(name), names=known, demo=DEMO)


def is_ready(name: str, settings: Settings) -> bool:
    """True if the model of this name could be built now."""
    return is_known(name) and _provider_of(name)[0].missing(settings) is None


def model_choices(settings: Settings) -> list[OfferedModel]:
    """The providers' models that are offered to the user: the configured ones, then well-known ones."""
    names = [settings.agent_model, settings.summary_model or settings.agent_model]
    has_other_models = is_own_server(settings)  # OPENAI_BASE_URL points to a server without OpenAI's models
    offered = (model.id for model in KNOWN_MODELS if model.offered)
    names += [name for name in offered if not (has_other_models and name.startswith("openai:"))]
    return [_choice(name, settings) for name in dict.fromkeys(names) if is_known(name)]


def takes_images(model: BaseChatModel) -> bool:
    """True if images may be sent to this model in a user message."""
    profile = getattr(model, "profile", None) or {}
    if "image_inputs" in profile:
        return bool(profile["image_inputs"])
    name = str(getattr(model, "model", None) or getattr(model, "model_name", ""))
    return any(
        known.vision for known in KNOWN_MODELS if known.id.partition(":")[2] == name.removeprefix("models/")
    )


def forces_tools(model: BaseChatModel) -> bool:
    """True if the model can be forced to call a tool. Models with thinking enabled reject that."""
    return not getattr(model, "thinking", None)


def _provider_of(name: str) -> tuple[Provider, str]:
    if not is_known(name):
        raise ModelNotConfigured(unknown_words(name))
    provider, model = split_name(name)
    return PROVIDERS[provider], model


@lru_cache(maxsize=64)
def _build(provider: str, model: str, settings: Settings) -> BaseChatModel:
    """Imports one provider's SDK only: together they take seconds, and the service starts without them."""
    if provider == "anthropic":
        from server.agent.models.anthropic import build_anthropic

        return build_anthropic(model, settings)
    if provider == "google":
        from server.agent.models.gemini import build_gemini

        return build_gemini(model, settings)
    if provider == "ollama":
        from server.agent.models.ollama import build_ollama

        return build_ollama(model, settings)
    from server.agent.models import openai

    if provider == "openrouter":
        return openai.build_openrouter(model, settings)
    return openai.build_openai(model, settings)


def _choice(name: str, settings: Settings) -> OfferedModel:
    provider, model = _provider_of(name)
    missing, known = provider.missing(settings), known_model(f"{provider.name}:{model}")
    if known is None:
        own = provider.name == "ollama" or (provider.name == "openai" and is_own_server(settings))
        return OfferedModel(name, provider.name, model, missing is None, missing, own_server=own)
    price = known.price
    return OfferedModel(
        name,
        provider.name,
        known.label,
        missing is None,
        missing,
        known.vision,
        known.context,
        price.input if price else None,
        price.output if price else None,
    )
