"""Anthropic's models: ChatAnthropic on our transport, with visible thinking."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from anthropic import AsyncAnthropic
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import LanguageModelInput

from server.agent.models.guard import GuardedModel
from server.agent.models.transport import model_http_client
from server.ops.json_types import JsonObject
from server.settings import Settings


class AnthropicChat(GuardedModel, ChatAnthropic):
    parallel_tools: ClassVar[bool | None] = False
    needed: ClassVar[frozenset[str]] = frozenset({"max_tokens"})

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> JsonObject:
        return self.refused.apply(super()._get_request_payload(input_, stop=stop, **kwargs))

    @cached_property
    def _async_client(self) -> AsyncAnthropic:
        """The SDK client with our HTTP client, which ChatAnthropic itself does not accept: its own would load all
        certificates."""
        return AsyncAnthropic(**self._client_params, http_client=model_http_client())

    def prepare(self) -> None:
        super().prepare()
        self._async_client  # noqa: B018  # the client


def build_anthropic(model: str, settings: Settings) -> AnthropicChat:
    profile = ChatAnthropic(model_name=model, api_key="none").profile or {}  # type: ignore[call-arg]
    # Models without a temperature always think, but show it only on request.
    always_thinks = bool(profile.get("reasoning_output")) and profile.get("temperature") is False
    thinking = {"type": "adaptive", "display": "summarized"} if always_thinks else None
    return AnthropicChat.build(
        settings,
        "anthropic",
        model=model,
        api_key=settings.anthropic_api_key,
        base_url=settings.anthropic_base_url,
        max_tokens=settings.model_max_tokens,
        streaming=True,
        thinking=thinking,
        default_request_timeout=None,
        max_retries=0,
    )
