"""The built-in demo model: a rule-based chat model that works in the real browser through the real agents.

It understands plain commands (demo_commands.py), decides by rules (demo_planner.py) and says everywhere that it is
no LLM. Two faces: tool calls of the browser's MCP server, or the operator's one decision a step.
"""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from server.agent.demo_commands import Command, read_request
from server.agent.demo_page import DemoPage, read_page
from server.agent.demo_planner import Act, Answer, Next, Progress, plan_next
from server.agent.demo_words import Words

Call = tuple[str, dict[str, Any]]
_ASIDE = "("
"""Notes of the service among the person's messages begin with a bracket."""


class DemoChatModel(BaseChatModel):
    """`delay` is the pause between words, in seconds."""

    delay: float = 0.015

    @property
    def _llm_type(self) -> str:
        return "demo"

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool)["function"] for tool in tools])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply = _reply(messages, tools)
        speaks = isinstance(reply, str) or "final_response" in reply[1]
        for chunk in _chunks(reply):
            await asyncio.sleep(self.delay if speaks else 0)
            yield chunk

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        tools: Sequence[dict[str, Any]] = (),
        **kwargs: Any,
    ) -> ChatResult:
        reply = _reply(messages, tools)
        calls = [] if isinstance(reply, str) else [{"name": reply[0], "args": reply[1], "id": _new_id()}]
        message = AIMessage(reply if isinstance(reply, str) else "", tool_calls=calls, response_metadata=_END)
        return ChatResult(generations=[ChatGeneration(message=message)])


_END = {"finish_reason": "stop", "model_name": "demo", "model_provider": "demo"}


def _new_id() -> str:
    return f"demo_{uuid.uuid4().hex[:12]}"


def _chunks(reply: str | Call) -> Iterator[ChatGenerationChunk]:
    if isinstance(reply, str):
        for word in _words(reply):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
    else:
        name, args = reply
        call: dict[str, Any] = {"name": name, "id": _new_id(), "args": "", "index": 0}
        for piece in _words(json.dumps(args, ensure_ascii=False)):
            yield ChatGenerationChunk(
                message=AIMessageChunk(content="", tool_call_chunks=[call | {"args": piece}])
            )
            call = {"name": None, "id": None, "args": "", "index": 0}
    yield ChatGenerationChunk(
        message=AIMessageChunk(content="", response_metadata=_END, chunk_position="last")
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*$|\s*\S+", text)


def _reply(messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]) -> str | Call:
    """An answer in words, or one tool call."""
    by_name = {tool["name"]: tool for tool in tools}
    decision = next((tool for tool in tools if "final_response" in _properties(tool)), None)
    if decision is not None:
        return _decide(messages[-1].text, decision)
    if not by_name:
        return _pause(messages[-1].text)
    return _call_browser(messages, by_name)


def _properties(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = (tool.get("parameters") or {}).get("properties") or {}
    return properties


# The first face: tools of a browser's MCP server


_LOOKS = ("browser_snapshot", "browser_get_state")
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
}


def _call_browser(messages: Sequence[BaseMessage], tools: Mapping[str, Mapping[str, Any]]) -> str | Call:
    start = max((i for i, message in enumerate(messages) if _is_asked(message)), default=0)
    task, turn = messages[start].text, messages[start + 1 :]
    results = [message for message in turn if isinstance(message, ToolMessage)]
    names = {
        call["id"]: call["name"] for message in turn for call in getattr(message, "tool_calls", None) or ()
    }
    acted = [result for result in results if names.get(result.tool_call_id) not in _LOOKS]
    page = read_page(results[-1].text) if results else None  # an older one is not true any more
    if page is None and len(acted) < len(results):
        page = DemoPage()  # looked, and saw nothing
    step = plan_next(task, _progress(acted), page)
    if isinstance(step, Answer):
        return step.text
    if not isinstance(step, Act):
        look = next((name for name in _LOOKS if name in tools), None)
        return (look, {}) if look else Words(task).say("help")
    if step.command.kind == "log_in":
        return Words(task).say("log_in_please")
    name = next((name for name in _TOOLS[step.command.kind] if name in tools), None)
    if name is None:
        return Words(task).say("cannot", what=Words(task).did(step.command))
    return name, _arguments(step, _properties(tools[name]))


def _is_asked(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and not message.text.startswith(_ASIDE)


def _progress(acted: Sequence[ToolMessage]) -> Progress:
    if acted and (acted[-1].status == "error" or acted[-1].text.startswith("Error")):
        return Progress(len(acted) - 1, acted[-1].text.strip().splitlines()[0][:200])
    return Progress(len(acted))


def _arguments(step: Act, properties: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the names that the server's schema has for them."""
    command, thing = step.command, step.thing
    ref = thing.ref if thing else ""
    values: dict[str, Any] = {
        "url": command.target, "element": f"{thing.role} {thing.name}".strip() if thing else "",
        "target": ref, "ref": ref, "index": int(ref) if ref.isdigit() else ref, "text": command.text,
        "values": [command.text], "key": command.target, "keys": command.target, "direction": command.target,
        "time": float(command.target) if command.kind == "wait" else 0, "submit": command.submit,
    }  # fmt: skip
    if command.kind == "scroll" and "direction" not in properties:
        return {"key": "PageUp" if command.target == "up" else "PageDown"}
    wanted = _WANTED.get(command.kind, ())
    return {name: values[name] for name in wanted if name in properties and values[name] not in ("", False)}


_WANTED = {
    "open": ("url",), "click": ("element", "target", "ref", "index"), "hover": ("element", "target", "ref", "index"),
    "type": ("element", "target", "ref", "index", "text", "submit"), "press": ("key", "keys"),
    "select": ("element", "target", "ref", "index", "values"), "wait": ("time",), "scroll": ("direction",),
}  # fmt: skip


# The second face: one decision of the operator


_ACTIONS = {"open": "navigate", "log_in": "need_user"}
_NOT_STEPS = re.compile(r"the user (?:edited|had the browser)")
_HEARD = re.compile(r"the user said: (.*)")


def _decide(prompt: str, tool: Mapping[str, Any]) -> Call:
    """The prompt shows task, plan, steps and page; the answer fills the asked schema as far as it has a place."""
    work = _Work(prompt)
    step = plan_next(work.task, work.progress(), read_page(prompt) or DemoPage())
    args = work.record() | _action(step, Words(work.task))
    return tool["name"], {name: args[name] for name in _properties(tool) if name in args}


class _Work:
    """The working state, as far as the operator's prompt tells of it."""

    def __init__(self, prompt: str) -> None:
        head = re.split(r"^<page", prompt, maxsplit=1, flags=re.MULTILINE)[0]
        self.task = _section(head, "Task: ") or _section(head, "Goal: ")
        self.plan = re.findall(r"^[> ] \d+\. (.*)$", head, re.MULTILINE)
        marker = re.search(r"^> (\d+)\. ", head, re.MULTILINE)
        self.current = int(marker[1]) - 1 if marker else 0
        self.is_edited = "Plan (edited" in head
        self.has_done = re.search(r"^Done: ", head, re.MULTILINE) is not None
        self.steps = re.findall(r"^\d+\. (.*)$", head.partition("Steps so far:")[2], re.MULTILINE)
        first = re.search(r"^(\d+)\. ", head.partition("Steps so far:\n")[2])
        self.hidden = int(first[1]) - 1 if first else 0
        self._hear()
        if self.is_edited:
            self.task = "; ".join(self.plan) or self.task

    def _hear(self) -> None:
        """Words of the person in the middle of the work are the new task, from there on."""
        for at in reversed(range(len(self.steps))):
            said = _HEARD.match(self.steps[at])
            if said and read_request(said[1]).commands:
                self.task, self.steps, self.hidden, self.plan = said[1], self.steps[at + 1 :], 0, []
                self.current, self.has_done = 0, False
                return

    def progress(self) -> Progress:
        """By the steps of this run; of an earlier run only the plan's marker tells."""
        steps = [step for step in self.steps if not _NOT_STEPS.match(step) and not _HEARD.match(step)]
        done = self.hidden + sum(not step.startswith("failed:") for step in steps)
        if self.current or self.has_done:
            done = max(done, self.current + (0 if steps and steps[-1].startswith("failed:") else 1))
        if self.steps and self.steps[-1].startswith("failed:") and "nothing was done" not in self.steps[-1]:
            return Progress(done, self.steps[-1].removeprefix("failed:").strip())
        return Progress(done)

    def record(self) -> dict[str, Any]:
        """Goal, plan and progress for the state that people see."""
        words, actions, done = Words(self.task), read_request(self.task).actions, self.progress().done
        titles = [words.did(command) for command in actions]
        record: dict[str, Any] = {"reason": "demo rule", "step": min(done, len(titles)) + 1}
        if not self.plan:
            record |= {"goal": self.task, "plan": [*titles[:5], words.say("answer")]}
        if 0 < done <= len(titles):
            record["done"] = titles[done - 1]
        return record


def _section(text: str, name: str) -> str:
    """What follows `name` at a line's start, up to the next section."""
    found = re.search(
        rf"^{re.escape(name)}(.*?)(?=^(?:Goal: |Conversation:|Plan|Done: |Blocked: |Facts:|Steps so far:)|\Z)",
        text, re.MULTILINE | re.DOTALL,
    )  # fmt: skip
    return found[1].strip() if found else ""


def _action(step: Next, words: Words) -> dict[str, Any]:
    if isinstance(step, Answer):
        return {"action": "stop", "final_response": step.text}
    command = step.command if isinstance(step, Act) else Command("wait", "1")
    thing = step.thing if isinstance(step, Act) else None
    action: dict[str, Any] = {"action": _ACTIONS.get(command.kind, command.kind)}
    if thing is not None:
        action["eid"] = thing.ref
    match command.kind:
        case "open":
            action["url"] = command.target
        case "type":
            action |= {"text": command.text, "submit": command.submit}
        case "select":
            action["option"] = command.text
        case "press":
            action["key"] = command.target
        case "scroll":
            action["direction"] = command.target
        case "wait":
            action["ms"] = round(float(command.target) * 1000)
        case "log_in":
            action["reason"] = words.say("log_in_please")
    return action


def _pause(prompt: str) -> str:
    """Asked without tools: a summary at a limit, or plain talk."""
    work = _Work(prompt)
    if "Why you pause:" not in prompt:
        return Words(prompt).say("help")
    done = [step for step in work.steps if not step.startswith("failed:")]
    words = Words(work.task)
    return f"{words.say('pause', done='; '.join(done) or '-')}\n\n{words.say('footer')}"
