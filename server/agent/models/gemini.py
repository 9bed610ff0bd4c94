"""Google's models: ChatGoogleGenerativeAI on our transport; leaving a stream closes its request."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Self, cast

from google.genai import Client
from google.genai.types import HttpOptions
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_google_genai.chat_models import _FUNCTION_CALL_THOUGHT_SIGNATURES_MAP_KEY as SIGNATURES
from pydantic import SecretStr, model_validator

from server.agent.models.answer import EXTRA
from server.agent.models.guard import GuardedModel
from server.agent.models.transport import closing, model_http_client, ssl_context
from server.ops.json_types import JsonObject
from server.settings import Settings

_SIGNATURE = "thought_signature"
_WITHOUT_THOUGHTS = ("gemini-1", "gemini-2.0", "gemma", "learnlm")
"""Models that reject a request for thoughts."""

# They log the same at each call: unsupported schema keys are dropped, the SDK supports function calls.
logging.getLogger("langchain_google_genai._function_utils").setLevel(logging.ERROR)
logging.getLogger("google_genai.models").setLevel(logging.WARNING)


class ClosingGemini(ChatGoogleGenerativeAI):
    """Closes the response of a cancelled stream: the SDK keeps it in a cycle, so it would continue."""

    @model_validator(mode="after")
    def _use_our_transport(self) -> Self:
        """Replace the SDK client: LangChain's opens an HTTP session per model that is never closed."""
        assert isinstance(self.google_api_key, SecretStr)
        options = HttpOptions(
            base_url=self.base_url,
            httpx_async_client=model_http_client(),
            client_args=_certificates(),
            async_client_args=_certificates(),
        )
        self.client = Client(
            vertexai=False, api_key=self.google_api_key.get_secret_value(), http_options=options
        )
        return self

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        chunks = super()._astream(messages, stop, run_manager, **kwargs)
        async with aclosing(closing(cast("AsyncGenerator[ChatGenerationChunk, None]", chunks))) as watched:
            async for chunk in watched:
                message = cast(AIMessageChunk, chunk.message)
                signatures = message.additional_kwargs.get(SIGNATURES) or {}
                for call in message.tool_call_chunks:
                    if signature := signatures.get(call["id"]):
                        cast(JsonObject, call)[EXTRA] = {_SIGNATURE: signature}
                yield chunk


class GuardedGemini(GuardedModel, ClosingGemini):  # type: ignore[misc]  # its bind_tools names more options
    """The guard comes first: each of its attempts is one stream of `ClosingGemini`."""

    sums_usage: ClassVar[bool] = True

    def _prepare_request(self, messages: list[BaseMessage], **kwargs: Any) -> JsonObject:
        request: JsonObject = super()._prepare_request([*map(self._with_signatures, messages)], **kwargs)
        config = request["config"]
        given = {
            name: value for name in type(config).model_fields if (value := getattr(config, name)) is not None
        }
        kept = self.refused.apply(dict(given))
        left_out = dict.fromkeys(given.keys() - kept.keys())
        return request | {"config": config.model_copy(update=kept | left_out)}

    def _with_signatures(self, message: BaseMessage) -> BaseMessage:
        """The message with the signatures that this model gave with its calls, also after a restart."""
        calls = self.parts_of(message).get("calls") or {}
        if not calls or SIGNATURES in message.additional_kwargs:
            return message
        signatures = {call_id: extra[_SIGNATURE] for call_id, extra in calls.items() if _SIGNATURE in extra}
        kwargs = message.additional_kwargs | {SIGNATURES: signatures}
        return message.model_copy(update={"additional_kwargs": kwargs})


def build_gemini(model: str, settings: Settings) -> GuardedGemini:
    return GuardedGemini.build(
        settings,
        "google",
        model=model,
        api_key=settings.google_api_key,
        base_url=settings.google_base_url,
        max_tokens=settings.model_max_tokens,
        streaming=True,
        include_thoughts=not model.startswith(_WITHOUT_THOUGHTS),
        vertexai=False,
        max_retries=1,
        client_args=_certificates(),
    )


def _certificates() -> dict[str, Any]:
    """For the SDK's HTTP and WebSocket clients, each of which would load all certificates again."""
    return {"verify": ssl_context(), "ssl": ssl_context()}
