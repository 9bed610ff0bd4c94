"""The built-in demo model: a rule-based chat model that uses the real browser through the real agents.

It parses plain commands (commands.py), decides by rules (planner.py) and states in its answers that it is not
an LLM. It supports two interfaces: tool calls of the browser's MCP server, and the operator's one move per
step (operator.py).
"""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from server.agent import foresight
from server.agent.today import without_today
from server.extras.demo.answers import look_up
from server.extras.demo.commands import READING_COMMANDS, read_request
from server.extras.demo.errands import is_reached
from server.extras.demo.operator import decide, foresee, pause
from server.extras.demo.page import DemoPage, read_page
from server.extras.demo.planner import Act, DemoProgress, FinalAnswer, LookFirst, Which, is_choice, plan_next
from server.extras.demo.words import Words
from server.ops.json_types import JsonObject
from server.text import split_attached

Call = tuple[str, JsonObject]
_ASIDE = "("
"""Notes of the service among the user messages begin with a bracket."""


class DemoChatModel(BaseChatModel):
    """`delay` is the pause between streamed words, in seconds."""

    delay: float = 0.015

    @property
    def _llm_type(self) -> str:
        return "demo"

    def bind_tools(
        self, tools: Sequence[JsonObject | type | Callable[..., object] | BaseTool], **kwargs: object
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool)["function"] for tool in tools])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        tools: Sequence[JsonObject] = (),
        **kwargs: object,
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply = _reply(messages, tools)
        is_answer = isinstance(reply, str) or "final_response" in reply[1]
        for chunk in _chunks(reply):
            await asyncio.sleep(self.delay if is_answer else 0)
            yield chunk

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        tools: Sequence[JsonObject] = (),
        **kwargs: object,
    ) -> ChatResult:
        return generate_from_stream(_chunks(_reply(messages, tools)))


_END_METADATA = {"finish_reason": "stop", "model_name": "demo", "model_provider": "demo"}


def _chunks(reply: str | Call) -> Iterator[ChatGenerationChunk]:
    if isinstance(reply, str):
        yield from (_chunk(content=word) for word in _words(reply))
    else:
        name, args = reply
        call: JsonObject = {"name": name, "id": f"demo_{uuid.uuid4().hex[:12]}", "index": 0}
        for piece in _words(json.dumps(args, ensure_ascii=False)):
            yield _chunk(content="", tool_call_chunks=[call | {"args": piece}])
            call = {"name": None, "id": None, "index": 0}
    yield _chunk(content="", response_metadata=_END_METADATA, chunk_position="last")


def _chunk(**values: Any) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(**values))


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*$|\s*\S+", text)


def _reply(messages: Sequence[BaseMessage], tools: Sequence[JsonObject]) -> str | Call:
    """The reply: a text, or one tool call."""
    messages = without_today(messages)
    by_name = {tool["name"]: tool for tool in tools}
    act = next((tool for tool in tools if "final_response" in _properties(tool)), None)
    if act is not None:
        return act["name"], decide(messages[-1].text, _properties(act))
    if messages[0].text == foresight.FORESIGHT_PROMPT:
        return json.dumps(foresee(messages[-1].text), ensure_ascii=False)
    if not by_name:
        return pause(messages[-1].text)
    return _call_browser(messages, by_name)


def _properties(tool: JsonObject) -> JsonObject:
    properties: JsonObject = (tool.get("parameters") or {}).get("properties") or {}
    return properties


# First interface: tools of a browser's MCP server


_LOOK_TOOLS = ("browser_snapshot", "browser_get_state")
_AIM_ARGUMENTS = ("element", "target", "ref", "index")
_TOOLS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "open": (("browser_navigate",), ("url",)),
    "back": (("browser_navigate_back", "browser_go_back"), ()),
    "click": (("browser_click",), _AIM_ARGUMENTS),
    "hover": (("browser_hover",), _AIM_ARGUMENTS),
    "type": (("browser_type",), (*_AIM_ARGUMENTS, "text", "submit")),
    "press": (("browser_press_key", "browser_send_keys"), ("key", "keys")),
    "select": (("browser_select_option",), (*_AIM_ARGUMENTS, "values")),
    "wait": (("browser_wait_for",), ("time",)),
    "scroll": (("browser_scroll", "browser_press_key"), ("direction",)),
    "screenshot": (("browser_take_screenshot", "browser_screenshot"), ()),
    **dict.fromkeys(READING_COMMANDS, (("read_page",), ())),
    "ask": (("read_page",), ("query",)),
}
"""The tools that do a command, of which each server has one, and their arguments."""


@dataclass(frozen=True)
class _Result:
    """What a tool has returned."""

    message: ToolMessage
    name: str | None = None
    """The tool's; None if its call is not known any more."""
    element: str = ""
    """Role and name of what it was done to; "" if that is not known."""

    @property
    def is_error(self) -> bool:
        return self.message.status == "error" or self.message.text.startswith("Error")

    @property
    def line(self) -> str:
        """The step as a line of the operator's prompt."""
        role, _, named = self.element.partition(" ")
        return f'{self.name} {role} "{named}"' if named else ""

    @property
    def reading(self) -> str:
        """The page's text in a result of `read_page`; "" if nothing matched."""
        found = re.search(r"<(untrusted-page(?:-\d+)?)>\n(.*?)\n</\1>", self.message.text, re.DOTALL)
        return found[2] if found else ""


def _call_browser(messages: Sequence[BaseMessage], tools: Mapping[str, JsonObject]) -> str | Call:
    start, choice = _asked(messages)
    is_first = not any(isinstance(one, AIMessage) and one.text for one in messages[:start])
    task, results = split_attached(messages[start].text)[0], _results(messages[start + 1 :])
    step = plan_next(task, _progress(task, results, choice, is_first=is_first), _page(results))
    words = Words(task)
    match step:
        case FinalAnswer(text=text) | Which(question=text):
            return text
        case LookFirst():
            look = next((name for name in _LOOK_TOOLS if name in tools), None)
            return (look, {}) if look else words.say("help")
    if step.command.kind == "log_in":
        return words.say("log_in_please")
    able, wanted = _TOOLS.get(step.command.kind, ((), ()))
    name = next((name for name in able if name in tools), None)
    if name is None:
        return words.say("cannot", what=words.undone(step.command))
    return name, _arguments(step, wanted, _properties(tools[name]))


_WHICH = re.compile(r"^1\. .*\n(?:\d+\. .*\n)+\n.*“?«?(?:done|готово)", re.MULTILINE)
"""The question which element is meant."""


def _asked(messages: Sequence[BaseMessage]) -> tuple[int, str]:
    """The place of the message with the task, and the user's later choice of an element; "" without one."""
    own = [
        at for at, message in enumerate(messages)
        if isinstance(message, HumanMessage) and not message.text.startswith(_ASIDE)
    ]  # fmt: skip
    last = own[-1] if own else 0
    before = messages[last - 1] if last else None
    is_choice_of = isinstance(before, AIMessage) and _WHICH.search(before.text)
    if is_choice_of and is_choice(messages[last].text):
        return own[-2] if own[-2:-1] else last, messages[last].text
    return last, ""


def _results(turn: Sequence[BaseMessage]) -> list[_Result]:
    calls = {call["id"]: call for message in turn for call in getattr(message, "tool_calls", None) or ()}
    done = [(calls.get(one.tool_call_id), one) for one in turn if isinstance(one, ToolMessage)]
    return [
        _Result(one, call["name"], str(call["args"].get("element") or "")) if call else _Result(one)
        for call, one in done
    ]


def _page(results: Sequence[_Result]) -> DemoPage | None:
    """The page as last shown; None if something was done since, so that it may be outdated."""
    changing = [result for result in results if result.name != "read_page"]
    if not changing:
        return None
    shown = read_page(changing[-1].message.text)
    return shown or (DemoPage() if changing[-1].name in _LOOK_TOOLS else None)  # an empty snapshot


def _progress(task: str, results: Sequence[_Result], choice: str, *, is_first: bool) -> DemoProgress:
    commands, words = read_request(task).commands, Words(task)
    acted, on_way = list[_Result](), list[str]()
    for result in results:
        if result.name in _LOOK_TOOLS:
            continue
        following = commands[len(acted) : len(acted) + 1]
        if following and not result.is_error and not is_reached(following[0], result.line):
            on_way.append(result.line)
        else:
            acted, on_way = [*acted, result], []
    earlier = zip(commands, acted[:-1], strict=False)
    notes = tuple(
        look_up(command, DemoPage(title=words.say("earlier")), result.reading, words).note
        for command, result in earlier
        if result.name == "read_page" and command.kind in READING_COMMANDS
    )
    progress = DemoProgress(len(acted), notes=notes, choice=choice, is_first=is_first, on_way=tuple(on_way))
    last = acted[-1] if acted else None
    if last and last.name == "read_page":
        return replace(progress, is_asked=True, reading=None if last.is_error else last.reading)
    if last and last.is_error:
        failure = last.message.text.strip().partition("\n")[0][:200]
        return replace(progress, done=len(acted) - 1, failure=failure, on_way=())
    return progress


def _arguments(step: Act, wanted: Sequence[str], properties: JsonObject) -> JsonObject:
    """The arguments, under the names in the tool's schema."""
    command, thing = step.command, step.thing
    ref = thing.ref if thing else ""
    values: JsonObject = {
        "url": command.target, "element": f"{thing.role} {thing.name}".strip() if thing else "",
        "target": ref, "ref": ref, "index": int(ref) if ref.isdigit() else ref, "text": command.text,
        "values": [command.text], "key": command.target, "keys": command.target, "direction": command.target,
        "query": command.text, "time": float(command.target) if command.kind == "wait" else 0, "submit": command.submit,
    }  # fmt: skip
    if command.kind == "scroll" and "direction" not in properties:
        return {"key": "PageUp" if command.target == "up" else "PageDown"}
    return {name: values[name] for name in wanted if name in properties and values[name] not in ("", False)}
