"""What ChatOllama lacks: the thoughts of models that think without being asked."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage
from langchain_ollama import ChatOllama


class ThinkingOllama(ChatOllama):
    """Built with `reasoning=True`, so that LangChain keeps the thoughts that come, but never asks for them:
    models that have none refuse such a request, those that have some think by default."""

    def _chat_params(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        params = super()._chat_params(messages, stop, **kwargs)
        return params | {"think": None}
