"""What the real providers refuse, as far as agents run into it. Pure: the reason for a 400, or None."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.support import google_format, ollama_format
from tests.support.model_reply import Wire

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_THINKS_ALWAYS = re.compile(r"claude-(opus|sonnet|fable)-5-[15]")


def refusal(wire: Wire, body: dict[str, Any]) -> str | None:
    """The first rule that the request breaks, in the provider's manner of speaking."""
    return next(_CHECKS[wire](body), None)


def _anthropic(body: dict[str, Any]) -> Iterator[str]:
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens: Field required"
    messages = body.get("messages") or []
    if not messages or messages[0]["role"] != "user":
        yield 'messages: at least one message is required and the first must use the "user" role'
    yield from _empty_texts("system", body.get("system"))
    for i, message in enumerate(messages):
        if not message.get("content"):
            yield f"messages.{i}: all messages must have non-empty content"
        yield from _empty_texts(f"messages.{i}", message.get("content"))
    yield from _anthropic_order(messages)
    yield from _anthropic_tools(body)
    if str(body).count("'cache_control'") > 4:
        yield "A maximum of 4 blocks with cache_control may be provided."
    if messages[-1]["role"] == "assistant":
        yield "This model does not support assistant message prefill. The conversation must end with a user message."


def _anthropic_order(messages: list[dict[str, Any]]) -> Iterator[str]:
    open_calls: set[str] = set()
    for i, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [b["tool_use_id"] for b in blocks if b.get("type") == "tool_result"]
        if missing := open_calls - set(results):
            yield (
                f"messages.{i - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(sorted(missing))}"
            )
        if foreign := set(results) - open_calls:
            yield f"messages.{i}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(foreign)}"
        calls = [b["id"] for b in blocks if b.get("type") == "tool_use"]
        if len(calls) != len(set(calls)):
            yield f"messages.{i}: `tool_use` ids must be unique"
        open_calls = set(calls)
    if open_calls:
        yield "messages: `tool_use` ids were found without `tool_result` blocks at the end"


def _anthropic_tools(body: dict[str, Any]) -> Iterator[str]:
    tools = body.get("tools") or []
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    thinks = (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    if forced and (thinks or _THINKS_ALWAYS.match(body["model"])):
        yield "Thinking may not be enabled when tool_choice forces tool use."
    if body.get("tool_choice") and not tools:
        yield "tool_choice: may only be specified while providing tools"
    names = [tool["name"] for tool in tools]
    if len(names) != len(set(names)):
        yield "tools: Tool names must be unique."
    for i, tool in enumerate(tools):
        schema = tool.get("input_schema") or {}
        if not _TOOL_NAME.fullmatch(tool["name"]):
            yield f"tools.{i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        if schema.get("type") != "object":
            yield f"tools.{i}.custom.input_schema.type: Field required"
        if {"oneOf", "anyOf", "allOf"} & set(schema):
            yield f"tools.{i}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
        if "'$ref'" in str(schema):
            yield f"tools.{i}.custom.input_schema: JSON schema is invalid: $ref is not supported"
        if bad := [p for p in schema.get("properties") or {} if not _PROPERTY.fullmatch(p)]:
            yield f"tools.{i}.custom.input_schema.properties: Property keys should match pattern: {bad[0]!r}"


def _empty_texts(where: str, content: Any) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "text" and not block.get("text", "").strip():
            yield f"{where}: text content blocks must be non-empty"
        if block.get("type") == "tool_result":
            yield from _empty_texts(where, block.get("content"))


def _chat(body: dict[str, Any]) -> Iterator[str]:
    if not body.get("messages"):
        yield "Invalid 'messages': empty array."
    open_calls: set[str] = set()
    for i, message in enumerate(body.get("messages") or []):
        role, content = message["role"], message.get("content")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield f"messages.[{i}].role: messages with role 'tool' must be a response to a preceding 'tool_calls'"
            open_calls.discard(message.get("tool_call_id"))
            if isinstance(content, list) and any(part.get("type") != "text" for part in content):
                yield "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' has one."
            continue
        if open_calls:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id': {', '.join(sorted(open_calls))}"
            )
        if content is None and not (role == "assistant" and message.get("tool_calls")):
            yield f"Invalid value for 'messages.[{i}].content': expected a string, got null."
        open_calls = {c["id"] for c in message.get("tool_calls") or ()}
    if open_calls:
        yield "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    yield from _openai_tools(body, [tool.get("function") or {} for tool in body.get("tools") or ()])


def _responses(body: dict[str, Any]) -> Iterator[str]:
    items = body.get("input") or []
    if "messages" in body:
        yield "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'."
    if not items:
        yield 'One of "input" or "previous_response_id" must be provided.'
    made = {item["call_id"] for item in items if item.get("type") == "function_call"}
    answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    if missing := made - answered:
        yield f"No tool output found for function call {sorted(missing)[0]}."
    if foreign := answered - made:
        yield f"No tool call found for function call output with call_id {sorted(foreign)[0]}."
    yield from _openai_tools(body, [t for t in body.get("tools") or () if t.get("type") == "function"])


def _openai_tools(body: dict[str, Any], functions: list[dict[str, Any]]) -> Iterator[str]:
    if "tools" in body and not body["tools"]:
        yield "Invalid 'tools': empty array. Expected an array with minimum length 1."
    if "parallel_tool_calls" in body and not body.get("tools"):
        yield "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified."
    for function in functions:
        if not _TOOL_NAME.fullmatch(function.get("name") or ""):
            yield f"Invalid 'tools[0].function.name': string does not match pattern: {function.get('name')!r}"
        schema = function.get("parameters") or {"type": "object"}
        if schema.get("type") != "object":
            yield f"Invalid schema for function '{function['name']}': schema must be a JSON Schema of 'type: \"object\"'"
        if {"oneOf", "anyOf", "allOf", "enum", "not"} & set(schema):
            yield f"Invalid schema for function '{function['name']}': must not have 'oneOf'/'anyOf'/'allOf' at the top level"
        loose = schema.get("additionalProperties") is not False
        if function.get("strict") and (
            loose or set(schema.get("required") or ()) != set(schema.get("properties") or ())
        ):
            yield f"Invalid schema for function '{function['name']}': strict needs all properties required and no others"


_CHECKS = {
    "anthropic": _anthropic,
    "chat": _chat,
    "responses": _responses,
    "google": google_format.refusal,
    "ollama": ollama_format.refusal,
}
