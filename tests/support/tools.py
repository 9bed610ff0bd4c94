"""The tools of other servers, as an agent of a test has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from server.browser.browser import ToolOutcome, ToolSpec
from server.ops.json_types import JsonView

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("files_read", "Reads a file.", SCHEMA, "files", acts=False, pin="r1")
DELETE = ToolSpec("files_delete", "Deletes a file.", SCHEMA, "files", pin="d1")


@dataclass
class FakeTools:
    """Implements `ToolBox`: `specs` can be changed between two steps."""

    specs: Sequence[ToolSpec] = (READ, DELETE)
    answer: str = "done by the server"
    ok: bool = True
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def offered(self) -> Sequence[ToolSpec]:
        return self.specs

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        self.calls.append((spec.name, dict(args)))
        return ToolOutcome(self.ok, self.answer)
