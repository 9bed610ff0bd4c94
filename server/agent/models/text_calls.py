"""Tool calls that a model wrote as text, in the notations of open models. Pure; linear in the length of the text.

Servers without a parser for a model's notation, or with the wrong one, pass its calls on as text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from server.agent.arguments import CODE_BLOCK, find_object
from server.ops.json_types import Json, JsonObject

Tools = Mapping[str, JsonObject]
"""The schemas of the arguments of the bound tools, by name."""

MAX_TEXT_CALLS = 16
"""In one text; further ones are left out."""
_PYTHON_LENGTH = 8_000

CALL_MARKS = (
    "<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<functioncall>", "<toolcall>", "<function=",
    "<function name=", "<invoke name=", "<minimax:tool_call>", "<seed:tool_call>", "<｜dsml｜", "<|dsml|",
    "<|python_tag|>", "<|tool_call|>", "<|tool_call_start|>", "<|tool_call>", "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>", "<|tools_prefix|>", "<|start_action|>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>",
    "<|tool▁calls▁begin|>", "<｜tool_calls_begin｜>", "<|tool_calls_begin|>", "<steptml:", "[tool_calls]",
    "[tool_call]", "functools[", "<|action_start|>", "```tool_call", "```tool_code", "```tool_use", "```function_call",
)  # fmt: skip
"""In lower case: a text that begins with one of these is a call, or was meant as one."""

_NAME_KEYS = ("name", "tool_name", "tool", "function", "function_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "kwargs", "tool_input", "params")
_OTHER_KEYS = ("type", "id", "tool_calls", *_ARGUMENT_KEYS)
_FENCE_INFOS = ("", "json", "xml", "tool", "text")
_FIRST_PAIR = re.compile(
    r'\s*\[?\s*(?:\{\s*(?:"(?P<key>\w*)(?P<whole>"\s*(?::\s*(?P<value>"[^"\n]*"?|[^\s"]|$))?)?)?)?', re.DOTALL
)
_FIRST_CALL = re.compile(r"\s*\[\s*(?P<name>[A-Za-z_][\w.]*)(?P<whole>\()?")

_INVOKED = re.compile(
    r"<[\w:｜|]*?(?:function|invoke)(?:=|\s+name=)[\"']?(?P<name>[\w.-]+)[\"']?\s*>"
    r"(?P<body>.*?)(?=</[\w:｜|]*(?:function|invoke)>|<[\w:｜|]*?(?:function|invoke)(?:=|\s+name=)|\Z)",
    re.DOTALL,
)
_PARAMETER = re.compile(
    r"<[\w:｜|]*?param(?:eter)?(?:=|\s+name=)[\"']?(?P<key>[\w.-]+)[\"']?[^<>]*>\n?"
    r"(?P<value>.*?)\n?(?=</[\w:｜|]*param(?:eter)?>|<[\w:｜|]*?param(?:eter)?(?:=|\s+name=)|\Z)",
    re.DOTALL,
)
_KEY_AND_VALUE = re.compile(
    r"<arg_key>\s*(?P<key>[\w.-]+)\s*</arg_key>\s*<arg_value>\n?(?P<value>.*?)\n?(?=</arg_value>|<arg_key>|\Z)",
    re.DOTALL,
)
_CALL_HEAD = re.compile(
    r"(?:<tool_call>|\[TOOL_CALLS\]|<[|｜](?:tool[▁_]call[▁_](?:begin|argument_begin)|tool[▁_]sep|python_tag)[|｜]>)\s*"
    r"(?:function<[|｜]tool[▁_]sep[|｜]>)?\s*(?P<name>[A-Za-z_][\w.-]*)(?::\d+)?\s*"
    r"(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]|<[|｜]tool[▁_](?:sep|call_argument_begin)[|｜]>)?\s*(?:```json\s*)?"
    r"(?=\{|<arg_key>|</tool_call>)"
)
_PYTHON = re.compile(r"\s*(?:<\|[a-z_]+\|>|```[a-z_]*\s)?\s*(?P<code>\[?\s*[A-Za-z_][\w.]*\(.*)", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


def bound_tools(options: Mapping[str, Any]) -> Tools:
    """The tools in the options of a model call, as LangChain binds them for any provider."""
    found: dict[str, JsonObject] = {}
    for tool in options.get("tools") or ():
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            found[function["name"]] = function.get("parameters") or function.get("input_schema") or {}
    return found


def may_be_call(text: str, tools: Tools) -> bool | None:
    """Whether a text that begins with `{`, `[` or a fence is one call of a bound tool; None: too short to say."""
    if fence := CODE_BLOCK.match(text):
        if fence[1].lower() not in _FENCE_INFOS:
            return False
        text = fence[2]
        inner = text.lstrip().lower()
        if inner.startswith(CALL_MARKS):
            return True
        if any(mark.startswith(inner) for mark in CALL_MARKS):
            return None
    elif text.lstrip().startswith("```"):
        return False if "\n" in text or len(text) > 40 else None
    called = _FIRST_CALL.match(text)
    if called:
        return _is_name(called["name"], tools, whole=bool(called["whole"]), at_end=called.end() == len(text))
    pair = _FIRST_PAIR.match(text)
    if pair is None or pair["key"] is None:
        return None if pair and pair.end() == len(text) and len(text) < 200 else False
    own = _only_arguments(tools)
    keys = (*_NAME_KEYS, *_OTHER_KEYS, *own)
    if pair["whole"] is None:
        is_open = pair.end() == len(text) and any(key.startswith(pair["key"]) for key in keys)
        return None if is_open else False
    if pair["key"] not in _NAME_KEYS or pair["key"] in own:
        return pair["key"] in keys
    value = pair["value"]
    if not value:
        return None if pair.end() == len(text) else False
    if value == "{":
        return pair["key"] == "function"
    is_whole = len(value) > 1 and value.endswith('"')
    return value.startswith('"') and _is_name(
        value.strip('"'), tools, whole=is_whole, at_end=pair.end() == len(text)
    )


def _is_name(name: str, tools: Tools, *, whole: bool, at_end: bool) -> bool | None:
    name = name.removeprefix("functions.")
    if whole:
        return name in tools
    return None if at_end and any(tool.startswith(name) for tool in tools) else False


def _only_arguments(tools: Tools) -> Mapping[str, Json]:
    """The arguments of the one tool that is bound: a model that must call it may leave out its name."""
    return next(iter(tools.values())).get("properties") or {} if len(tools) == 1 else {}


def read_calls(text: str, tools: Tools) -> list[tuple[str, str]]:
    """Name and arguments (JSON) of the calls in a text that begins as a call; none if it cannot be read."""
    for notation in (_invoked, _named, _python, _values):
        calls: list[tuple[str, str]] = []
        try:
            for call in islice(notation(text, tools), MAX_TEXT_CALLS):
                calls.append(call)
        except (ValueError, RecursionError, SyntaxError, MemoryError):
            return calls  # what follows the calls is not one
        if calls:
            return calls
    return []


def as_json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False)


def _bare(name: str) -> str:
    return name.removeprefix("functions.")


def _invoked(text: str, tools: Tools) -> Iterator[tuple[str, str]]:
    """`<function=NAME>`, `<invoke name="NAME">` with parameters as elements or as JSON."""
    for match in _INVOKED.finditer(text):
        yield _with_parameters(_bare(match["name"]), match["body"], _PARAMETER, tools)


def _named(text: str, tools: Tools) -> Iterator[tuple[str, str]]:
    """A name between marks, then its arguments as JSON or as pairs of elements."""
    places = list(_CALL_HEAD.finditer(text))
    ends = [*(match.start() for match in places[1:]), len(text)]
    for match, end in zip(places, ends, strict=False):
        body = text[match.end() : end].split("</tool_call>", 1)[0]
        yield _with_parameters(_bare(match["name"]), body, _KEY_AND_VALUE, tools)


def _with_parameters(name: str, body: str, pairs: re.Pattern[str], tools: Tools) -> tuple[str, str]:
    """Raises ValueError if the body is neither such pairs nor a JSON object nor empty."""
    found = {
        pair["key"]: _typed(pair["value"], tools.get(name, {}), pair["key"]) for pair in pairs.finditer(body)
    }
    if found:
        return name, as_json(found)
    arguments = find_object(body) if body.strip() else {}
    if arguments is None:
        raise ValueError("arguments that cannot be read")
    return name, as_json(arguments)


def _typed(text: str, schema: JsonObject, key: str) -> Json:
    """The value of an argument that was written without quotes."""
    declared = (schema.get("properties") or {}).get(key) or {}
    kinds = {declared.get("type"), *(one.get("type") for one in declared.get("anyOf") or ())}
    if "string" in kinds:
        return text
    words = {"True": True, "False": False, "None": None}
    try:
        return words[text.strip()] if text.strip() in words else json.loads(text)
    except (ValueError, RecursionError):
        return text


def _values(text: str, tools: Tools) -> Iterator[tuple[str, str]]:
    """JSON objects with a name and arguments, alone, in a list, or one after the other between marks."""
    at = _next_value(text, 0)
    while at >= 0:
        value, end = _DECODER.raw_decode(text, at)
        yield from _calls_of(value, tools)
        at = _next_value(text, end)


def _next_value(text: str, start: int) -> int:
    brackets = re.compile(r"\{|\[(?=\s*[\[{])").search(text, start)
    return brackets.start() if brackets else -1


def _calls_of(value: Json, tools: Tools) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _calls_of(item, tools)
        return
    if not isinstance(value, dict):
        raise ValueError("no call")
    if isinstance(value.get("tool_calls"), list):
        yield from _calls_of(value["tool_calls"], tools)
    elif isinstance(value.get("function"), dict):
        yield from _calls_of(value["function"], tools)
    elif _only_arguments(tools).keys() & value.keys() and not any(key in value for key in _ARGUMENT_KEYS):
        yield next(iter(tools)), as_json(value)
    elif name := next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None):
        given: Json = next((value[key] for key in _ARGUMENT_KEYS if key in value), {})
        if isinstance(given, str):
            given = json.loads(given or "{}", strict=False)
        given = given or {}
        if not isinstance(given, dict):
            raise ValueError("arguments that are no object")
        yield _bare(name), as_json(given)
    elif len(value) == 1 and next(iter(value)) in tools and isinstance(next(iter(value.values())), dict):
        yield next(iter(value)), as_json(next(iter(value.values())))
    else:
        raise ValueError("no call")


def _python(text: str, tools: Tools) -> Iterator[tuple[str, str]]:
    """`[NAME(key="value"), ...]`, `NAME.call(key="value")`."""
    found = _PYTHON.match(text[:_PYTHON_LENGTH])
    if not found:
        return
    code = re.split(r"<\||```|\n\n", found["code"], maxsplit=1)[0].strip()
    tree = ast.parse(code, mode="eval").body
    for node in tree.elts if isinstance(tree, ast.List) else [tree]:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print" and node.args:
            node = node.args[0]
        if not isinstance(node, ast.Call) or node.args:
            raise ValueError("no call with named arguments")
        name = _bare(ast.unparse(node.func)).removesuffix(".call")
        yield name, as_json({one.arg or "": ast.literal_eval(one.value) for one in node.keywords})
