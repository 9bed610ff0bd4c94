"""A chat model that streams scripted replies in small pieces, as providers do. A real `BaseChatModel`.

    model = ScriptedModel(turns=[navigate("https://shop.example/"), click("Buy"), stop("Bought.")])

A turn is a move, a function of the prompt's text that returns one, plain words, an exception to raise, or a list
of tool calls that are made at once. Of a
move `raw` is its JSON as written, `tool` the tool that is called, `beside` the text that comes with the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import ConfigDict

Move = dict[str, Any]


class ScriptedModel(BaseChatModel):
    """`prompts` are the texts it was asked with, `messages` the same as messages."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    turns: list[Any]
    again: Any = None
    """Said when the turns are used up."""
    prompts: list[str] = []
    asked: list[list[BaseMessage]] = []
    tokens: int = 100
    piece: int = 3

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> ChatResult:  # fmt: skip
        raise NotImplementedError("it only streams")

    async def _agenerate(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> ChatResult:  # fmt: skip
        return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:  # fmt: skip
        text = "\n".join(message.text for message in messages)
        self.prompts.append(text)
        self.asked.append(messages)
        turn = self.turns.pop(0) if self.turns else self.again
        answer = turn(text) if callable(turn) else turn
        if isinstance(answer, Exception):
            raise answer
        assert answer is not None, "the script is over"
        for chunk in self._chunks(answer):
            yield ChatGenerationChunk(message=chunk)

    def _chunks(self, answer: Move | str | list[Move]) -> list[AIMessageChunk]:
        usage = UsageMetadata(input_tokens=self.tokens - 1, output_tokens=1, total_tokens=self.tokens)
        last = AIMessageChunk(content="", usage_metadata=usage, chunk_position="last")
        if isinstance(answer, str):
            return [*(AIMessageChunk(content=part) for part in self._pieces(answer)), last]
        if isinstance(answer, list):
            calls = [
                call(one["tool"], one["raw"], f"call_{at}") | {"index": at} for at, one in enumerate(answer)
            ]
            return [AIMessageChunk(content="", tool_call_chunks=calls), last]
        raw = answer.get("raw") or json.dumps(answer, ensure_ascii=False)
        name = answer.get("tool", "act")
        calls = [call(name, "", "call_1")] + [call(None, part, None) for part in self._pieces(raw)]
        beside = [AIMessageChunk(content=answer.get("beside", ""))]
        return [*beside, *(AIMessageChunk(content="", tool_call_chunks=[part]) for part in calls), last]

    def _pieces(self, text: str) -> list[str]:
        return [text[at : at + self.piece] for at in range(0, len(text), self.piece)]


def call(name: str | None, args: str, call_id: str | None) -> Any:
    return {"name": name, "args": args, "id": call_id, "index": 0, "type": "tool_call_chunk"}


def eid_of(name: str, prompt: str) -> str:
    """The newest number of the element with this name in a prompt."""
    found = re.findall(rf'^\[(e\d+)\] \S+ "{re.escape(name)}"', prompt, re.MULTILINE)
    assert found, f"no element {name!r} in:\n{prompt}"
    return str(found[-1])


def on(name: str, action: str, **more: Any) -> Callable[[str], Move]:
    """An action on the element of this name, wherever it is on the page by then."""
    return lambda prompt: {
        "reason": f"{action} {name}",
        "action": action,
        "eid": eid_of(name, prompt),
        **more,
    }


def click(name: str, **more: Any) -> Callable[[str], Move]:
    return on(name, "click", **more)


def type_into(texts: dict[str, str], **more: Any) -> Callable[[str], Move]:
    def decide(prompt: str) -> Move:
        fields = [{"eid": eid_of(name, prompt), "text": text} for name, text in texts.items()]
        return {"reason": "fill in", "action": "type", "fields": fields, **more}

    return decide


def together(*acts: Move) -> Callable[[str], Move]:
    """One move of several acts; `on` in each names its element."""

    def decide(prompt: str) -> Move:
        first, *then = [
            {name: value for name, value in one.items() if name != "on"}
            | ({"eid": eid_of(one["on"], prompt)} if "on" in one else {})
            for one in acts
        ]
        return {"reason": "several at once", **first, "then": then}

    return decide


def act(action: str, **more: Any) -> Move:
    return {"reason": action, "action": action, **more}


def navigate(url: str, **more: Any) -> Move:
    return act("navigate", url=url, **more)


def stop(answer: str, **more: Any) -> Move:
    return act("stop", final_response=answer, **more)
