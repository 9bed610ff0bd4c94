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

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
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
from server.extras.demo.planner import Act, DemoProgress, FinalAnswer, Which, is_choice, plan_next
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
        reply = _reply(messages, tools)
        calls = [] if isinstance(reply, str) else [{"name": reply[0], "args": reply[1], "id": _new_id()}]
        message = AIMessage(
            reply if isinstance(reply, str) else "", tool_calls=calls, response_metadata=_END_METADATA
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


_END_METADATA = {"finish_reason": "stop", "model_name": "demo", "model_provider": "demo"}


def _new_id() -> str:
    return f"demo_{uuid.uuid4().hex[:12]}"


def _chunks(reply: str | Call) -> Iterator[ChatGenerationChunk]:
    if isinstance(reply, str):
        for word in _words(reply):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
    else:
        name, args = reply
        call: JsonObject = {"name": name, "id": _new_id(), "args": "", "index": 0}
        for piece in _words(json.dumps(args, ensure_ascii=False)):
            yield ChatGenerationChunk(
                message=AIMessageChunk(content="", tool_call_chunks=[call | {"args": piece}])
            )
            call = {"name": None, "id": None, "args": "", "index": 0}
    yield ChatGenerationChunk(
        message=AIMessageChunk(content="", response_metadata=_END_METADATA, chunk_position="last")
    )


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
_TOOLS: dict[str, tuple[str, ...]] = {
    "open": ("browser_navigate",),
    "back": ("browser_navigate_back", "browser_go_back"),
    "click": ("browser_click",),
    "type": ("browser_type",),
    "press": ("browser_press_key", "browser_send_keys"),
    "select": ("browser_select_option",),
    "hover": ("browser_hover",),
    "wait": ("browser_wait_for",),
    "scroll": ("browser_scroll", "browser_press_key"),
    "screenshot": ("browser_take_screenshot", "browser_screenshot"),
    **dict.fromkeys(READING_COMMANDS, ("read_page",)),
}


def _call_browser(messages: Sequence[BaseMessage], tools: Mapping[str, JsonObject]) -> str | Call:
    own = [
        at for at, message in enumerate(messages)
        if isinstance(message, HumanMessage) and not message.text.startswith(_ASIDE)
    ]  # fmt: skip
    start, choice = own[-1] if own else 0, ""
    if _WHICH.search(_answer_before(messages, start)) and is_choice(messages[start].text):
        start, choice = own[-2] if own[-2:-1] else start, messages[start].text
    task, turn = split_attached(messages[start].text)[0], messages[start + 1 :]
    calls = {call["id"]: call for message in turn for call in getattr(message, "tool_calls", None) or ()}
    done = [message for message in turn if isinstance(message, ToolMessage)]
    results = [(calls[one.tool_call_id]["name"] if one.tool_call_id in calls else None, one) for one in done]
    said = [str(calls.get(one.tool_call_id, {"args": {}})["args"].get("element") or "") for one in done]
    progress = _progress(task, results, said, choice, is_first=_is_first(messages, start))
    step = plan_next(task, progress, _page(results))
    if isinstance(step, FinalAnswer):
        return step.text
    if isinstance(step, Which):
        return step.question
    if not isinstance(step, Act):
        look = next((name for name in _LOOK_TOOLS if name in tools), None)
        return (look, {}) if look else Words(task).say("help")
    if step.command.kind == "log_in":
        return Words(task).say("log_in_please")
    name = next((name for name in _TOOLS.get(step.command.kind, ()) if name in tools), None)
    if name is None:
        return Words(task).say("cannot", what=Words(task).undone(step.command))
    return name, _arguments(step, _properties(tools[name]))


Results = Sequence[tuple[str | None, ToolMessage]]
"""Each result with the name of its tool."""
_WHICH = re.compile(r"^1\. .*\n(?:\d+\. .*\n)+\n.*“?«?(?:done|готово)", re.MULTILINE)
"""The question which element is meant."""


def _answer_before(messages: Sequence[BaseMessage], start: int) -> str:
    return messages[start - 1].text if start and isinstance(messages[start - 1], AIMessage) else ""


def _is_first(messages: Sequence[BaseMessage], start: int) -> bool:
    said = (message for message in messages[:start] if isinstance(message, AIMessage) and message.text)
    return not any(True for _ in said)


def _page(results: Results) -> DemoPage | None:
    """The page as last shown; None if something was done since, so that it may be outdated."""
    shown = next(
        (result for result in reversed(results) if result[0] != "read_page"), None
    )  # it changes nothing
    if shown is None:
        return None
    name, result = shown
    return read_page(result.text) or (DemoPage() if name in _LOOK_TOOLS else None)  # an empty snapshot


def _progress(
    task: str, results: Results, elements: Sequence[str], choice: str, *, is_first: bool
) -> DemoProgress:
    """`elements` has for each result the role and the name of what it was done to; "" if it is not known."""
    commands, words = read_request(task).commands, Words(task)
    acted, on_way = list[tuple[str | None, ToolMessage]](), list[str]()
    for (name, result), element in zip(results, elements, strict=True):
        if name in _LOOK_TOOLS:
            continue
        role, _, named = element.partition(" ")
        line = f'{name} {role} "{named}"' if named else ""
        if (
            commands[len(acted) : len(acted) + 1]
            and not _is_error(result)
            and not is_reached(commands[len(acted)], line)
        ):
            on_way.append(line)
        else:
            acted.append((name, result))
            on_way.clear()
    readings = [(at, result) for at, (name, result) in enumerate(acted, 1) if name == "read_page"]
    is_read = bool(acted) and acted[-1][0] == "read_page"
    notes = tuple(
        look_up(commands[at - 1], DemoPage(title=words.say("earlier")), _reading(result), words).note
        for at, result in readings if at < len(acted) and commands[at - 1 : at] and commands[at - 1].kind in READING_COMMANDS
    )  # fmt: skip
    if acted and not is_read and _is_error(acted[-1][1]):
        failure = acted[-1][1].text.strip().partition("\n")[0][:200]
        return DemoProgress(len(acted) - 1, failure, False, None, notes, choice, is_first=is_first)
    reading = _reading(acted[-1][1]) if is_read and not _is_error(acted[-1][1]) else None
    return DemoProgress(
        len(acted), None, is_read, reading, notes, choice, is_first=is_first, on_way=tuple(on_way)
    )


def _is_error(result: ToolMessage) -> bool:
    return result.status == "error" or result.text.startswith("Error")


def _reading(result: ToolMessage) -> str:
    """The page's text in a result of `read_page`; "" if nothing matched."""
    found = re.search(r"<(untrusted-page(?:-\d+)?)>\n(.*?)\n</\1>", result.text, re.DOTALL)
    return found[2] if found else ""


def _arguments(step: Act, properties: JsonObject) -> JsonObject:
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
    wanted = _WANTED.get(command.kind, ())
    return {name: values[name] for name in wanted if name in properties and values[name] not in ("", False)}


_WANTED = {
    "open": ("url",), "click": ("element", "target", "ref", "index"), "hover": ("element", "target", "ref", "index"),
    "type": ("element", "target", "ref", "index", "text", "submit"), "press": ("key", "keys"),
    "ask": ("query",), "select": ("element", "target", "ref", "index", "values"), "wait": ("time",), "scroll": ("direction",),
}  # fmt: skip
