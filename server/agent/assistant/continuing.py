"""How a run of the assistant is continued in another process, from its last checkpoint. Pure.

A checkpoint is saved before each step. So it shows which tool call was next, but not how far that has come: one that
may have begun is never repeated, unless it only reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage

from server.agent.assistant.input import find_open_calls
from server.agent.context import InterruptedCall
from server.agent.operator.continuing import NEW_BROWSER
from server.events import Message

TOOLS_NODE, ASKS_MODEL_AFTER = "tools", "tools"
"""Nodes of `create_agent`: the one that makes tool calls; after it the model is asked."""
OWN_READERS = frozenset({"read_page", "read_file"})
"""The names of `READING_TOOLS`, whose module imports much."""
OWN_TOOLS = OWN_READERS | {"propose_notes"}
"""Those of the assistant itself: each may be called again."""


def interrupted_call(
    messages: Sequence[AnyMessage], stored: Sequence[Message], *, harmless: Collection[str]
) -> InterruptedCall | None:
    """The call that may have begun; None if there is none, or if it may be repeated.

    `stored` are the messages of the session, with the results of calls that have ended. `harmless` are the tools
    that only read.
    """
    open_calls = find_open_calls(messages)
    if not open_calls:
        return None
    call, asking = open_calls[0], next(one for one in reversed(messages) if isinstance(one, AIMessage))
    ended = next(
        (one for one in reversed(stored) if (one.meta_json or {}).get("call_id") == call["id"]), None
    )
    if ended is None and call["name"] in harmless:
        return None
    summary = (ended.content.strip() or "done") if ended else None
    return InterruptedCall(call["id"] or "", asking.id, summary)


def of_run(messages: Sequence[AnyMessage], first: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The part of the graph's messages that was added during the run, after its first input `first`."""
    return [*messages[len([one for one in first if not isinstance(one, RemoveMessage)]) :]]


def text_of(messages: Sequence[AnyMessage]) -> str:
    """What the model has said to the user in these messages, as it was streamed."""
    said = (message.text for message in messages if isinstance(message, AIMessage))
    return "\n\n".join(text for text in said if text)


def new_messages(messages: Sequence[AnyMessage], read: Sequence[str]) -> list[AnyMessage]:
    """Changes of the state for a model that is asked next: its browser may be a new one.

    `read` are the words that the person has added during the run and that were read. They are given again if the
    answer to them was not saved.
    """
    results = [message for message in messages if isinstance(message, ToolMessage)]
    changed: list[AnyMessage] = []
    if results:
        changed.append(results[-1].model_copy(update={"content": f"{results[-1].text}\n({NEW_BROWSER})"}))
    known: list[str] = [message.text for message in messages if isinstance(message, HumanMessage)]
    for words in read:
        if words in known:
            known.remove(words)
        else:
            changed.append(HumanMessage(words))
    return changed


def without_answer(messages: Sequence[AnyMessage]) -> Mapping[str, Any]:
    """The state without the final answer, which was not stored: the model gives it again."""
    return {"messages": [RemoveMessage(id=messages[-1].id or "")]}
