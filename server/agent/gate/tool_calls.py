"""Judges a call of a tool of another MCP server, by what the person allows of it. What the server says of it counts for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.agent.actions import OUTSIDE_PAGES, CallToolAction, aim
from server.agent.gate.gate import with_grants
from server.agent.gate.grantable import TOOL_KIND
from server.agent.policy import Judgement, Verdict
from server.browser.browser import ToolSpec
from server.browser.mcp.tool_schema import find_fault
from server.grants.coverage import HeldGrant
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

ASKED = Judgement(Verdict.ASK, sentence("effect.tool"), TOOL_KIND)
CHANGED = Judgement(Verdict.ASK, sentence("effect.tool_changed"), TOOL_KIND)
ALLOWED = Judgement(Verdict.ALLOW, sentence("effect.tool_allowed"))
LEAK_TO_TOOL = Judgement(Verdict.ASK, sentence("effect.tool_leak"), "transfer")


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A tool that is offered now; or, with none, why the call cannot be made."""

    spec: ToolSpec | None
    problem: str = ""


def find_tool(specs: Sequence[ToolSpec], name: str, args: JsonObject) -> FoundTool:
    """The tool of that name among those that are offered now, if these arguments fit it."""
    spec = next((one for one in specs if one.name == name), None)
    if spec is None:
        return FoundTool(None, f"there is no tool {name[:64]!r}")
    fault = find_fault(spec, args)
    return FoundTool(None, fault) if fault else FoundTool(spec)


def call_of(spec: ToolSpec, args: JsonObject, *, id: str = "", reason: str = "") -> CallToolAction:
    return CallToolAction(
        id=id, reason=reason, tool=spec.name, args=args, server=spec.server, pin=spec.pin, each_time=spec.each_time
    )  # fmt: skip


def judge_call(
    action: CallToolAction, spec: ToolSpec | None, grants: Sequence[HeldGrant], *, leaks: bool
) -> Judgement:
    """`spec`: the tool as it is offered now; a call of any other one is asked about, and fails then."""
    aimed = aim(action, OUTSIDE_PAGES)
    if leaks:
        return LEAK_TO_TOOL
    if spec is None or spec.pin != action.pin or spec.has_changed:
        return with_grants(CHANGED, aimed, grants)
    return with_grants(ASKED, aimed, grants) if spec.acts else ALLOWED
