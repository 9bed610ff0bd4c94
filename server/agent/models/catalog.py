"""Catalog of known models: label, context window, vision and list prices. Pure data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

CostOf = Callable[[Mapping[str, object]], float | None]
"""Computes the US dollars of a call from its usage metadata; None if the model's price is unknown."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens. Above `long_from` input tokens, `long` applies to the whole call."""

    input: float
    output: float
    cached: float
    cache_write: float = 0.0
    long_from: int = 0
    long: Price | None = None


@dataclass(frozen=True)
class KnownModel:
    id: str
    label: str
    context: int
    price: Price | None = None
    vision: bool = True
    offered: bool = True


@dataclass(frozen=True)
class OfferedModel:
    """A model as `GET /config` lists it. None means unknown."""

    id: str
    provider: str
    label: str
    ready: bool
    missing: str | None = None
    """What must be configured before it can be used."""
    vision: bool | None = None
    context: int | None = None
    """Size of the context window in tokens."""
    price_in: float | None = None
    """US dollars per million tokens, as `price_out`."""
    price_out: float | None = None
    own_server: bool = False
    """Its server belongs to the user, and may have more models: `POST /settings/connect/models` lists them."""
    demo: bool = False


def _openai(input_: float, output: float, cached: float) -> Price:
    long_price = Price(input_ * 2, output * 1.5, cached * 2)
    return Price(input_, output, cached, long_from=272_000, long=long_price)


KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel(
        "anthropic:claude-haiku-5-5",
        "Claude Haiku 5.5",
        1_000_000,
        Price(0.1, 0.5, 0.01, 0.125, long_from=100_000, long=Price(0.5, 2.5, 0.05, 0.625)),
    ),
    KnownModel("anthropic:claude-sonnet-5-5", "Claude Sonnet 5.5", 1_000_000, Price(2, 10, 0.1, 2.5)),
    KnownModel("anthropic:claude-opus-5-5", "Claude Opus 5.5", 1_000_000, Price(4, 20, 0.2, 5)),
    KnownModel("anthropic:claude-haiku-4-5", "Claude Haiku 4.5", 200_000, Price(1, 5, 0.1, 1.25)),
    KnownModel(
        "anthropic:claude-sonnet-5", "Claude Sonnet 5", 1_000_000, Price(2, 10, 0.2, 2.5), offered=False
    ),
    KnownModel(
        "anthropic:claude-sonnet-4-6", "Claude Sonnet 4.6", 1_000_000, Price(3, 15, 0.3, 3.75), offered=False
    ),
    KnownModel("anthropic:claude-opus-5", "Claude Opus 5", 1_000_000, Price(5, 25, 0.5, 6.25), offered=False),
    KnownModel("openai:gpt-6-luna", "GPT-6 Luna", 1_050_000, _openai(0.1, 0.5, 0.01)),
    KnownModel("openai:gpt-6.1-sol", "GPT-6.1 Sol", 1_050_000, _openai(2, 10, 0.1)),
    KnownModel("openai:gpt-6-astra", "GPT-6 Astra", 1_050_000, _openai(10, 50, 1)),
    KnownModel("openai:gpt-6-sol", "GPT-6 Sol", 1_050_000, _openai(2, 10, 0.2), offered=False),
    KnownModel("openai:gpt-5", "GPT-5", 272_000, Price(1.25, 10, 0.125), offered=False),
    KnownModel("openai:gpt-5-mini", "GPT-5 mini", 272_000, Price(0.25, 2, 0.025), offered=False),
    KnownModel("openai:gpt-4.1", "GPT-4.1", 1_047_576, Price(2, 8, 0.5), offered=False),
    KnownModel("openai:gpt-4.1-mini", "GPT-4.1 mini", 1_047_576, Price(0.4, 1.6, 0.1), offered=False),
    KnownModel("openai:gpt-4o", "GPT-4o", 128_000, Price(2.5, 10, 1.25), offered=False),
    KnownModel("openai:gpt-4o-mini", "GPT-4o mini", 128_000, Price(0.15, 0.6, 0.075), offered=False),
    KnownModel("google:gemini-3.8-flash", "Gemini 3.8 Flash", 1_048_576),
    KnownModel("google:gemini-2.5-pro", "Gemini 2.5 Pro", 1_048_576, Price(1.25, 10, 0.31), offered=False),
    KnownModel(
        "google:gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576, Price(0.3, 2.5, 0.075), offered=False
    ),
    KnownModel("openrouter:anthropic/claude-haiku-5.5", "Claude Haiku 5.5 (OpenRouter)", 1_000_000),
    KnownModel("openrouter:openai/gpt-6-luna", "GPT-6 Luna (OpenRouter)", 1_050_000),
    KnownModel(
        "openrouter:deepseek/deepseek-v4-flash", "DeepSeek V4 Flash (OpenRouter)", 1_000_000, vision=False
    ),
)

_BY_ID = {model.id: model for model in KNOWN_MODELS}


def known_model(name: str) -> KnownModel | None:
    """The entry for `provider:model`, also for an id with a date suffix such as `...-20251001`."""
    if name in _BY_ID:
        return _BY_ID[name]
    stem, _, date = name.rpartition("-")
    return _BY_ID.get(stem) if len(date) == 8 and date.isdigit() else None


def usage_cost(name: str, usage: Mapping[str, object]) -> float | None:
    """The list price of one call in US dollars, None if the model's price is unknown.

    `usage` is LangChain's usage_metadata; its `input_tokens` include cache reads and cache writes.
    """
    model = known_model(name)
    if model is None or model.price is None:
        return None
    price, total = model.price, _tokens(usage, "input_tokens")
    if price.long and total > price.long_from:
        price = price.long
    given = usage.get("input_token_details")
    details = given if isinstance(given, Mapping) else {}
    cached = _tokens(details, "cache_read")
    by_age = (_tokens(details, name) for name in details if name.startswith("ephemeral_"))
    written = _tokens(details, "cache_creation") or sum(by_age)
    plain = max(total - cached - written, 0)
    spent = plain * price.input + cached * price.cached + written * (price.cache_write or price.input)
    return (spent + _tokens(usage, "output_tokens") * price.output) / 1_000_000


def _tokens(counted: Mapping[str, object], name: str) -> int:
    """A count that the provider may have left out."""
    count = counted.get(name)
    return count if isinstance(count, int) else 0
