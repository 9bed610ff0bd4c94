"""Makes tool schemas acceptable to every provider, and checks arguments before a call. Pure functions.

Anthropic rejects a whole request if one tool has a combinator or no object at its root, a `$ref` anywhere, or
an unusual property name; other providers accept that. So schemas are simplified here, and `find_fault` checks
the arguments before the call.
"""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING

from server.browser.browser import ToolOutcome, ToolSpec
from server.ops.json_types import Json, JsonObject, JsonView
from wording.catalogue import parts_of, shortened

if TYPE_CHECKING:
    from mcp.types import CallToolResult, Tool

log = logging.getLogger(__name__)

Schema = JsonObject

COMBINATORS = ("oneOf", "anyOf", "allOf")
MAX_SCHEMA_CHARS = 16_000
MAX_DESCRIPTION_CHARS = 1_000
MAX_SCHEMA_DEPTH = 12
_PROPERTY_NAME = re.compile(r"^[A-Za-z0-9_.-]{1,64}$")
_NOT_IN_TOOL_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def safe_name(name: str, prefix: str = "") -> str:
    """Return a tool name that every provider accepts: letters, digits, `_` and `-`, at most 64 characters."""
    return _NOT_IN_TOOL_NAME.sub("_", f"{prefix}_{name}" if prefix else name)[:64]


def make_safe(schema: JsonView | None, *, tool: str = "") -> Schema:
    """Return the schema as a plain root object without `$ref`.

    Changes are logged; alternatives at the root are described in the schema's description.
    """
    source: Schema = json.loads(json.dumps(schema or {}, default=str))
    definitions = {**_mapping(source.get("definitions")), **_mapping(source.get("$defs"))}
    plain = _mapping(_inline(source, definitions, MAX_SCHEMA_DEPTH))
    alternatives = [part for key in COMBINATORS for part in plain.pop(key, ()) if isinstance(part, dict)]
    properties = _mapping(plain.get("properties"))
    for part in alternatives:
        for name, value in _mapping(part.get("properties")).items():
            properties.setdefault(name, value)
    kept = {name: value for name, value in properties.items() if _PROPERTY_NAME.match(name)}
    safe: Schema = {"type": "object", "properties": kept}
    required = [name for name in _strings(plain.get("required")) if name in kept]
    required += [name for name in _required_by_all(source, alternatives) if name in kept]
    if required:
        safe["required"] = list(dict.fromkeys(required))
    texts = [str(plain.get("description", ""))]
    ways = [", ".join(names) for part in alternatives if (names := _strings(part.get("required")))]
    if len(ways) > 1:
        texts.append(f"Give one of these sets of arguments: {' | '.join(ways)}.")
    if description := " ".join(filter(None, texts)):
        safe["description"] = description[:MAX_DESCRIPTION_CHARS]
    if plain.get("additionalProperties") is False and not alternatives:
        safe["additionalProperties"] = False
    if len(json.dumps(safe)) > MAX_SCHEMA_CHARS:
        safe = _shorten(safe)
    if alternatives:
        log.info("tool %s: alternatives at the root of its schema became optional arguments", tool)
    if dropped := sorted(set(properties) - set(kept)):
        log.warning("tool %s: arguments with unusable names left out: %s", tool, ", ".join(dropped))
    return safe


def as_mcp_tool(spec: ToolSpec) -> Tool:
    """Convert to an MCP tool for LangChain's adapters, with the model-facing name and safe schema."""
    from mcp.types import Tool  # 200 ms

    return Tool(name=spec.name, description=spec.description, inputSchema=spec.schema)


def as_mcp_result(outcome: ToolOutcome) -> CallToolResult:
    """Convert to an MCP result with `{ok, url, title, seen, said}` as structured content.

    `said`: the parts of the text's first line, which the user sees.

    Never sets `isError`: the adapters would drop the structured content.
    """
    from mcp.types import CallToolResult, TextContent

    text = [TextContent(type="text", text=outcome.text or "done")]
    first = shortened(outcome.text, len(outcome.text.partition("\n")[0]))
    known = {
        "ok": outcome.ok, "url": outcome.url, "title": outcome.title, "seen": outcome.seen, "said": parts_of(first),
    }  # fmt: skip
    return CallToolResult(content=text, structuredContent=known)


def find_fault(spec: ToolSpec, args: JsonView) -> str | None:
    """Return what is wrong with a call's arguments, as a text for the model; None if it may be made."""
    wrong = check_arguments(spec.schema, args)
    if (
        wrong is None
        and {"index", "coordinate_x", "coordinate_y"} <= _mapping(spec.schema.get("properties")).keys()
    ):
        wrong = check_click_target(args)
    return f"{spec.name}: wrong arguments: {wrong}." if wrong else None


def check_arguments(schema: JsonView, args: JsonView) -> str | None:
    """Return what is wrong with the arguments, as a text for the model; None if they may be sent.

    Checks common model errors: missing and unknown names, wrong basic types, values outside an enum.
    """
    properties = _mapping(schema.get("properties"))
    missing = [name for name in _strings(schema.get("required")) if name not in args]
    if missing:
        return f"missing: {', '.join(missing)}"
    if schema.get("additionalProperties") is False:
        unknown = [name for name in args if name not in properties]
        if unknown:
            return f"unknown: {', '.join(unknown)}; known are {', '.join(properties) or 'none'}"
    for name, value in args.items():
        if name in properties and (wrong := _wrong_value(properties[name], value)):
            return f"{name} {wrong}"
    return None


def check_click_target(args: JsonView) -> str | None:
    """browser-use's click takes either an index or both coordinates. Returns the error text or None."""
    has_index = args.get("index") is not None
    coordinates = [name for name in ("coordinate_x", "coordinate_y") if args.get(name) is not None]
    if has_index and coordinates:
        return "give either index or coordinate_x and coordinate_y, not both"
    if not has_index and len(coordinates) != 2:
        return "give index, or coordinate_x and coordinate_y together"
    return None


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def _wrong_value(schema: object, value: object) -> str | None:
    if not isinstance(schema, dict):
        return None
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else _strings(kinds)
    if kinds and not any(_fits(kind, value) for kind in kinds):
        return f"must be {' or '.join(kinds)}"
    options = schema.get("enum")
    if isinstance(options, list) and options and value not in options:
        return f"must be one of {', '.join(map(str, options))}"
    return None


def _fits(kind: str, value: object) -> bool:
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _PYTHON_TYPES.get(kind, (object,)))


def _inline(node: Json, definitions: Schema, depth: int) -> Json:
    """Replace each local `$ref` by its definition; a cycle ends in an unconstrained object."""
    if isinstance(node, list):
        return [_inline(item, definitions, depth) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        named = definitions.get(str(node["$ref"]).rpartition("/")[2])
        if named is None or depth <= 0:
            return {"type": "object"}
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _inline({**named, **rest}, definitions, depth - 1)
    dropped = ("$defs", "definitions", "$schema", "$id", "$comment")
    return {key: _inline(value, definitions, depth) for key, value in node.items() if key not in dropped}


def _required_by_all(source: Schema, alternatives: list[Schema]) -> list[str]:
    """Return the names required by any part of `allOf`, or by every part of `oneOf` and `anyOf`."""
    if not alternatives:
        return []
    count_all = "allOf" in source
    lists = [set(_strings(part.get("required"))) for part in alternatives]
    common = set.union(*lists) if count_all else set.intersection(*lists)
    return [name for part in alternatives for name in _strings(part.get("required")) if name in common]


def _shorten(schema: Schema) -> Schema:
    """Drop all but type, enum and items of the properties: descriptions are the bulk of a large schema."""
    properties = {
        name: {key: value[key] for key in ("type", "enum", "items") if key in value}
        for name, value in schema["properties"].items()
        if isinstance(value, dict)
    }
    return {**schema, "properties": properties}


def _mapping(value: object) -> Schema:
    return dict(value) if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
