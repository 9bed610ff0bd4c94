"""Add to ChatOllama: the thinking of models that think by default."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage
from langchain_ollama import ChatOllama


class ThinkingOllama(ChatOllama):
    """Is built with `reasoning=True`, so that LangChain keeps received thinking, but never requests it:
    models without thinking reject such a request, those with thinking think by default."""

    def _chat_params(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        params = super()._chat_params(messages, stop, **kwargs)
        return params | {"think": None}
