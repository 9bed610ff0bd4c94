"""Imports go down only, in the house that docs/architecture.md draws, and libraries stay in their rooms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

DRAWING = (ROOT / "docs/architecture.md").read_text().partition("```\n")[2].partition("```")[0]


def names_in(part: str) -> list[str]:
    """`store/*  agent/operator (why)` -> server.store, server.agent.operator"""
    names = re.findall(r"[\w/]+", re.sub(r"\(.*?\)", "", part))
    return [f"server.{name.rstrip('/').replace('/', '.')}" for name in names]


def read_floors() -> dict[str, int]:
    floors, floor = dict[str, int](), 0
    for line in DRAWING.splitlines():
        floor = int(line[0]) if line[0].isdigit() else floor
        floors |= dict.fromkeys(names_in(line[1:]), floor)
    return floors


FLOORS = read_floors()
COLUMNS = [line[1:].split("|") for line in DRAWING.splitlines() if "|" in line]
LEFT = tuple(name for left, _ in COLUMNS for name in names_in(left))
RIGHT = tuple(name for _, right in COLUMNS for name in names_in(right))
"""The two columns below the runner never import each other."""

ROOMS: dict[str, tuple[str, ...]] = {
    "fastapi": ("server.main", "server.api", "server.http.startup"),
    "starlette": (
        "server.main",
        "server.api",
        "server.auth",
        "server.http.spa",
        "server.http.startup",
        "server.http.problems",
    ),
    "sse_starlette": ("server.api",),
    "uvicorn": ("server.__main__", "server.http.connection"),
    "sqlalchemy": ("server.database.models", "server.store", "server.database", "server.checkpoints"),
    "alembic": ("server.database.migrate",),
    "langchain": ("server.agent", "server.runs.agents"),
    "langchain_core": ("server.agent", "server.runs.agents", "server.checkpoints"),
    "langchain_mcp_adapters": ("server.agent",),
    "langgraph": ("server.agent", "server.runs.agents", "server.checkpoints"),
    "mcp": ("server.browser",),
    "typer": ("cli",),
    "rich": ("cli",),
    "prompt_toolkit": ("cli",),
}


DEVTOOLS = (
    "server.browser.chromium.cdp", "server.browser.chromium.chromium", "server.browser.chromium.devtools", "server.browser.chromium.dialogs",
    "server.browser.chromium.frames", "server.browser.takeover.input_dispatcher", "server.browser.chromium.hangs", "server.browser.mcp.current_page",
    "server.browser.observation.page_script", "server.browser.chromium.page_monitor", "server.browser.observation.viewport_script",
    "server.browser.chromium.watched_page",
)  # fmt: skip
"""Where DevTools is spoken, and what runs there. The agent knows the door `browser.browser` alone."""


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
    assert named, f"{module} is on no floor: give it one in docs/architecture.md"
    return FLOORS[max(named, key=len)]


def is_in(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(place + ".") for place in places)


MODULES = {
    module_of(path): path for folder in ("server", "cli") for path in sorted((ROOT / folder).rglob("*.py"))
}


def test_the_house_has_no_empty_rooms() -> None:
    assert not FLOORS.keys() - MODULES.keys()


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


@pytest.mark.parametrize(
    "module", [name for name in MODULES if is_in(name, ("server.agent", "server.runs.agents"))]
)
def test_the_agent_knows_nothing_of_devtools(module: str) -> None:
    for imported in imports_of(MODULES[module]):
        assert not is_in(imported, DEVTOOLS), f"{module} imports {imported}"
        assert imported.partition(".")[0] not in ("playwright", "websockets"), f"{module} imports {imported}"


def test_the_modules_that_speak_devtools_are_all_named() -> None:
    speak = {name for name, path in MODULES.items() if "Runtime.evaluate" in path.read_text()}
    assert speak - {"server.browser.takeover.element_list", "server.browser.chromium.dismissals"} <= set(
        DEVTOOLS
    )


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
