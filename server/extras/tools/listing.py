"""The tools of a server as they were listed, with what the person allows of each. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from mcp.types import Tool
from pydantic import BaseModel

from server.browser.browser import ToolSpec
from server.browser.mcp.tool_schema import make_safe, safe_name
from server.errors import Conflict
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

MAX_TOOLS = 64
MAX_DESCRIPTION = 2000

Mode = Literal["reads", "asks", "off"]
"""`reads`: used without a question. `asks`: each call, unless a grant covers it. `off`: not offered."""
Claim = Literal["reads", "changes", "destroys", "unknown"]


class KnownTool(BaseModel, frozen=True):
    name: str
    """As the server calls it."""
    description: str
    schema_: JsonObject
    """Of its arguments, as every provider accepts it."""
    claim: Claim
    """What the server says of it. It lowers no question: it may be wrong."""
    pin: str
    """Hash of all that the server says of the tool. Another one is another tool."""
    mode: Mode = "asks"
    has_changed: bool = False
    """It is not the tool that the person has decided about."""

    def spec(self, server: str) -> ToolSpec:
        return ToolSpec(
            safe_name(self.name, server), self.description, self.schema_, server=server,
            acts=self.mode != "reads", pin=self.pin, each_time=self.claim == "destroys", has_changed=self.has_changed,
        )  # fmt: skip

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json")


def read_tools(stored: Iterable[JsonObject]) -> list[KnownTool]:
    return [KnownTool.model_validate(one) for one in stored]


def listed(tools: Sequence[Tool], before: Iterable[KnownTool]) -> list[KnownTool]:
    """The tools of a new listing. What the person has decided holds for a tool that has not changed; one that is off
    stays off."""
    known, names = {tool.name: tool for tool in before}, set[str]()
    found: list[KnownTool] = []
    for tool in tools:
        if (name := safe_name(tool.name)) in names or len(found) == MAX_TOOLS:
            continue
        names.add(name)
        new, old = _known(tool), known.get(tool.name)
        if old and old.pin == new.pin:
            found.append(old)
        elif old:
            mode: Mode = "off" if old.mode == "off" else "asks"
            found.append(new.model_copy(update={"mode": mode, "has_changed": True}))
        else:
            found.append(new)
    return found


Decided = Mapping[str, tuple[str, Mode]]
"""By the name of a tool: the pin of the one that the person has seen, and what they allow of it."""


def allowing(tools: Iterable[KnownTool], decided: Decided) -> list[KnownTool]:
    """With what the person decides. Raises Conflict `tool_changed` if a tool is another one than they have seen."""
    found = []
    for tool in tools:
        pin, mode = decided.get(tool.name, ("", tool.mode))
        if pin and pin != tool.pin:
            raise Conflict(sentence("tool.changed", tool=tool.name), code="tool_changed")
        found.append(tool.model_copy(update={"mode": mode, "has_changed": False}) if pin else tool)
    return found


def allowed_by_name(tools: Iterable[KnownTool], server: str, names: Collection[str]) -> list[KnownTool]:
    """With the tools that EXTRA_MCP_ALLOW names, as they were listed first."""
    return [
        tool.model_copy(update={"mode": "reads"})
        if safe_name(tool.name, server) in names and not tool.has_changed
        else tool
        for tool in tools
    ]


def _known(tool: Tool) -> KnownTool:
    said = tool.model_dump(
        mode="json", include={"name", "title", "description", "inputSchema", "annotations"}
    )
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    return KnownTool(
        name=tool.name, description=(tool.description or tool.title or tool.name)[:MAX_DESCRIPTION],
        schema_=make_safe(tool.inputSchema, tool=tool.name), claim=_claim(tool), pin=digest[:32],
    )  # fmt: skip


def _claim(tool: Tool) -> Claim:
    hints = tool.annotations
    if hints is None:
        return "unknown"
    if hints.readOnlyHint:
        return "reads"
    if hints.destructiveHint:
        return "destroys"
    return "unknown" if hints.readOnlyHint is hints.destructiveHint is None else "changes"
