"""Add to ChatGoogleGenerativeAI: our transport, and closing the request when its stream is left."""

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

# They log the same at each call: unsupported schema keys are dropped, the SDK supports function calls.
logging.getLogger("langchain_google_genai._function_utils").setLevel(logging.ERROR)
logging.getLogger("google_genai.models").setLevel(logging.WARNING)


class ClosingGemini(ChatGoogleGenerativeAI):
    """Closes the response of a cancelled stream: the SDK keeps it in a cycle, so it would continue."""

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
    """An SDK client on our transport. By default it opens a session per model that is never closed."""
    options = HttpOptions(base_url=base_url, httpx_async_client=model_http_client())
    return Client(vertexai=False, api_key=key, http_options=options)
