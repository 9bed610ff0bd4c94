"""Imports go down only, and libraries stay in their rooms. docs/architecture.md draws the same house."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FLOORS: dict[str, int] = {
    "server.__main__": 7, "server.front": 7, "server.connection": 7, "server.main": 6, "server.spa": 6, "server.api": 5, "server.auth": 5, "server.problems": 5,
    "server.runtime": 4, "server.agent_runner": 3, "server.agents": 3, "server.execution": 3,
    "server.agent_protocol": 3, "server.executor": 3, "server.budget_guard": 3, "server.journal": 3, "server.recovery": 3, "server.run_events": 3,
    "server.store": 2, "server.database": 2, "server.checkpoints": 2,
    "server.bus": 2, "server.topic": 2, "server.queue": 2, "server.screenshots": 2,
    "server.files": 2, "server.export": 2, "server.preferences": 2,
    "server.agent.operator": 2, "server.agent.assistant": 2, "server.agent.event_adapter": 2, "server.agent.mock": 2,
    "server.models": 1, "server.browser": 1, "server.agent": 1,
    "server.events": 0, "server.errors": 0, "server.settings": 0, "server.version": 0,
    "server.file_names": 0, "server.secret_file": 0, "server.log_lines": 0, "server.stall": 0,
    "server.replaced": 0,
}  # fmt: skip

LEFT = ("server.store", "server.database", "server.checkpoints",
        "server.bus", "server.topic", "server.queue", "server.screenshots", "server.files", "server.export", "server.preferences",
        "server.models")  # fmt: skip
RIGHT = ("server.agent", "server.browser")
"""The two columns below the runner never import each other."""

ROOMS: dict[str, tuple[str, ...]] = {
    "fastapi": ("server.main", "server.api", "server.front"),
    "starlette": (
        "server.main",
        "server.api",
        "server.auth",
        "server.spa",
        "server.front",
        "server.problems",
    ),
    "uvicorn": ("server.__main__", "server.connection"),
    "sqlalchemy": ("server.models", "server.store", "server.database", "server.checkpoints"),
    "alembic": ("server.runtime",),
    "langchain": ("server.agent", "server.agents"),
    "langchain_core": ("server.agent", "server.agents", "server.checkpoints"),
    "langgraph": ("server.agent", "server.agents", "server.checkpoints"),
    "mcp": ("server.browser",),
    "typer": ("cli",),
    "rich": ("cli",),
    "prompt_toolkit": ("cli",),
}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield node.module or ""


def floor_of(module: str) -> int:
    """The floor of the longest prefix that is named."""
    named = [name for name in FLOORS if module == name or module.startswith(name + ".")]
    assert named, f"{module} is on no floor: give it one here and in docs/architecture.md"
    return FLOORS[max(named, key=len)]


def is_in(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(place + ".") for place in places)


MODULES = {
    module_of(path): path for folder in ("server", "cli") for path in sorted((ROOT / folder).rglob("*.py"))
}


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("server.")])
def test_imports_go_down_only(module: str) -> None:
    for imported in imports_of(MODULES[module]):
        if imported.startswith("server."):
            assert floor_of(imported) <= floor_of(module), (
                f"{module} imports {imported}, which lives above it"
            )


@pytest.mark.parametrize("module", [name for name in MODULES if is_in(name, LEFT + RIGHT)])
def test_the_two_columns_do_not_know_each_other(module: str) -> None:
    foreign = RIGHT if is_in(module, LEFT) else LEFT
    assert not [imported for imported in imports_of(MODULES[module]) if is_in(imported, foreign)]


@pytest.mark.parametrize("module", MODULES)
def test_libraries_stay_in_their_rooms(module: str) -> None:
    for imported in imports_of(MODULES[module]):
        rooms = ROOMS.get(imported.partition(".")[0])
        assert rooms is None or is_in(module, rooms), f"{module} may not import {imported}"


def imported_with(path: Path) -> Iterator[str]:
    """What runs when the file itself is imported: nothing inside functions, nothing for type checkers only."""
    nodes: list[ast.stmt] = list(ast.parse(path.read_text()).body)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) != "TYPE_CHECKING":
            nodes += node.body + node.orelse


def test_what_not_every_start_needs_is_imported_when_it_is_needed() -> None:
    ours, others = ["server.main"], set[str]()
    for module in ours:
        for name in imported_with(MODULES[module]):
            if name not in MODULES:
                others.add(name.partition(".")[0])
            elif name not in ours:
                ours.append(name)
    assert "langgraph" in others, "it is looked at"
    assert not others & {"langchain", "alembic"}


def test_the_command_line_knows_only_the_protocol() -> None:
    for module, path in MODULES.items():
        if module.startswith("cli"):
            assert not [name for name in imports_of(path) if name.startswith("server")]
