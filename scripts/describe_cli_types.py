"""Writes cli/client/api_types.py, the types of what the command line reads, from the API's description.

    .venv/bin/python -m scripts.describe_cli_types

`npm --prefix web run types` runs it, too. A schema becomes a TypedDict of the same name; only those that ROOTS name or
need are written.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from scripts.describe_api import DESCRIPTION, describe
from scripts.shell import ROOT

TARGET = ROOT / "cli/client/api_types.py"
EVENTS = {
    "Decision", "Done", "Error", "Interrupt", "MessageAdded", "Observed", "Resync", "RunChanged", "StateChanged",
    "Thinking", "Token", "ToolEnd", "ToolStart", "UsageChanged",
}  # fmt: skip
ROOTS = EVENTS | {
    "Automation", "AutomationList", "Config", "Devices", "Firings", "Grants", "Instructions", "KeptSiteList", "NoteList", "Outcome", "Questions", "ResultRow", "SessionDetail", "Sessions", "StoredLoginList", "VaultLog",
}  # fmt: skip
HEAD = '''"""Types of what the server sends. Written by scripts/describe_cli_types.py: change the API's schemas instead."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

AnyObject = dict[str, Any]
"""An object whose keys the API's description does not say."""


class Published(TypedDict):
    """What each event of a stream has: its place there, its time and its run."""

    epoch: NotRequired[int]
    seq: NotRequired[int]
    ts: NotRequired[str]
    run_id: NotRequired[str]
'''
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = dict[str, Any]


def text_of(description: Schema) -> str:
    """The module's text, formatted."""
    command = (sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-")
    given = _types_of(description)
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def _types_of(description: Schema) -> str:
    schemas = description["components"]["schemas"]
    names, left = set[str](), [*ROOTS]
    while left:
        name = left.pop()
        if name not in names:
            names.add(name)
            left += _references(schemas[name])
    classes = "".join(_class(name, schemas[name]) for name in sorted(names))
    return f"{HEAD}{classes}\n\nEvent = {' | '.join(sorted(EVENTS))}\n"


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            elif key not in ("discriminator", "title", "description", "default"):
                yield from _references(value)


def _class(name: str, schema: Schema) -> str:
    if "properties" not in schema:
        return f'\n\n{name}: TypeAlias = "{_type(schema)}"\n'
    required = schema.get("required", ())
    fields = [
        f"    {key}: {kind if key in required or 'const' in value else f'NotRequired[{kind}]'}\n"
        for key, value in schema["properties"].items()
        for kind in [_type(value)]
    ]
    base = "Published" if name in EVENTS else "TypedDict"
    return f"\n\nclass {name}({base}):\n{''.join(fields)}"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
    if one_of := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(_type(one) for one in one_of))
    if "prefixItems" in schema:
        return f"tuple[{', '.join(_type(one) for one in schema['prefixItems'])}]"
    match schema.get("type"):
        case "array":
            return f"list[{_type(schema['items'])}]"
        case "object":
            values = schema.get("additionalProperties", True)
            return "AnyObject" if values is True else f"dict[str, {_type(values)}]"
        case str(name):
            return SIMPLE[name]
    return "Any"


if __name__ == "__main__":
    TARGET.write_text(text_of(json.loads(DESCRIPTION.read_text()) if DESCRIPTION.exists() else describe()))
