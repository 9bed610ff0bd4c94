"""What ChatGoogleGenerativeAI lacks: our transport, and a request that ends when its stream is left."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, cast

from google.genai import Client
from google.genai.types import HttpOptions
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_google_genai import ChatGoogleGenerativeAI

from server.agent.models.transport import closing, model_http_client

# They tell at each call what is always so: what Gemini's schemas lack is left out, the SDK could call functions.
logging.getLogger("langchain_google_genai._function_utils").setLevel(logging.ERROR)
logging.getLogger("google_genai.models").setLevel(logging.WARNING)


class ClosingGemini(ChatGoogleGenerativeAI):
    """The SDK holds its response in a cycle: without this a cancelled run would go on being answered."""

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
                yield chunk


def client_for(key: str, base_url: str | None) -> Client:
    """An SDK client on our transport: left alone it opens a session for each model, which nobody closes."""
    options = HttpOptions(base_url=base_url, httpx_async_client=model_http_client())
    return Client(vertexai=False, api_key=key, http_options=options)
