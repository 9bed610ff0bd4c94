"""The line that says the day, at the end of the last message of a model call, and taken off again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage

from server.clock import TODAY

_LINE = re.compile(rf"\n\n{TODAY}[^\n]*\Z")


def with_today(messages: Sequence[AnyMessage], line: str) -> list[AnyMessage]:
    """The messages, with the line at the end of the last one that is not the model's.

    What comes before the line stays as it was, so that the provider's prompt cache holds.
    """
    told = [*messages]
    at = next((at for at in reversed(range(len(told))) if not isinstance(told[at], AIMessage)), None)
    if at is not None:
        content = told[at].content
        added = (
            f"{content}\n\n{line}" if isinstance(content, str) else [*content, {"type": "text", "text": line}]
        )
        told[at] = told[at].model_copy(update={"content": added})
    return told


def without_today(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages as scripted models read them, which know no days."""
    last = messages[-1]
    return [*messages[:-1], last.model_copy(update={"content": _LINE.sub("", last.text)})]
